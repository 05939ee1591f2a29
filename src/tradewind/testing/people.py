"""The people of a test: they answer the questions of tasks at once, or never."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from tradewind.model.attempt_end import Deferral, InputAwaited
from tradewind.model.task_answers import HITLDetailRequest, HITLDetailResponse, HITLUserResult
from tradewind.sdk.serde import serialize
from tradewind.sdk.standard.hitl_trigger import HITLTrigger
from tradewind.sdk.task_clock import TaskClock
from tradewind.testing.memory.contents import Memory

Answer = str | Sequence[str] | Mapping[str, Any]
"""The option, several options, or `{"chosen_options": [...], "params_input": {...}}`."""
Answers = Mapping[str, Answer | Callable[[HITLDetailRequest], Answer]]
"""By task id: the answer, or a function of the question."""


def answer(memory: Memory, question: HITLDetailRequest, given: Any, at: datetime) -> None:
    """Somebody answers."""
    said = given(question) if callable(given) else given
    if isinstance(said, str):
        said = [said]
    if not isinstance(said, Mapping):
        said = {"chosen_options": said}
    memory.responses[question.ti_id] = HITLDetailResponse(
        response_received=True,
        responded_by_user=HITLUserResult("test", "test"),
        responded_at=at,
        chosen_options=tuple(said["chosen_options"]),
        params_input=dict(said.get("params_input") or {}),
    )


def as_deferral(question: HITLDetailRequest, wait: InputAwaited, clock: TaskClock) -> Deferral:
    """The wait for an answer, as the wait for a trigger that looks for it."""
    over_at = None if wait.timeout is None else clock.now() + wait.timeout
    params: Any = dict(question.params)
    trigger = HITLTrigger(
        ti_id=question.ti_id,
        options=list(question.options),
        params=params,
        defaults=None if question.defaults is None else list(question.defaults),
        multiple=question.multiple,
        timeout_datetime=over_at,
    )
    path, arguments = trigger.serialize()
    return Deferral(
        trigger_path=path,
        trigger_kwargs=serialize(arguments),
        next_method=wait.next_method,
        next_kwargs=wait.next_kwargs,
    )
