"""What the token of an attempt does not allow, although the engine could do it.

Airflow lets tasks read XComs of any run, and trigger and look at runs of any DAG, so their tokens allow it. But they
write for themselves only.
"""

from dataclasses import replace
from typing import Final

from tradewind.model.exchange import Refusal, Request
from tradewind.model.ids import UNMAPPED
from tradewind.operations.task_requests.write_together import is_own

_OF_OTHERS: Final = Refusal("NotAllowed", "over the Execution API, a task may write and delete its own XComs only")


def refusal_of(request: Request) -> Refusal | None:
    """Why an attempt may not ask for this; None: it may."""
    if request.method == "set_xcom" and not is_own(request):
        return _OF_OTHERS
    if request.method == "delete_xcom" and not is_own(_of_one(request)):
        return _OF_OTHERS
    return None


def _of_one(request: Request) -> Request:
    """Without a map index, all copies of a task are meant: which is itself, where there are no copies."""
    if request.arguments["map_index"] is not None:
        return request
    return replace(request, arguments={**request.arguments, "map_index": UNMAPPED})
