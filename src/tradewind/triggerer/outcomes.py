"""What a runner says of the end of a trigger, as the engine understands it."""

import json
from collections.abc import Mapping
from typing import Any, Final

from tradewind.model.states import TaskState
from tradewind.model.trigger import Broke, EndedTask, Happened, NeedsWorker
from tradewind.triggerer.protocol import Ending, Outcome

_STATES: Final = {
    Ending.SUCCESS: TaskState.SUCCESS,
    Ending.FAILED: TaskState.FAILED,
    Ending.SKIPPED: TaskState.SKIPPED,
}


def what_happened(outcome: Outcome) -> Happened | Broke | EndedTask | NeedsWorker:
    """Raises `ValueError` or `TypeError` where it makes no sense."""
    content: Any = json.loads(outcome.content)
    match outcome.ending:
        case Ending.EVENT:
            return Happened(content)
        case Ending.ERROR:
            return Broke(tuple(content))
        case Ending.WORKER:
            return NeedsWorker()
        case _:
            xcoms: Mapping[str, object] = content
            return EndedTask(_STATES[outcome.ending], xcoms, outcome.map_length, is_listened=outcome.is_listened)
