"""What triggers ask for and say, answered from the database."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Final

from tradewind.errors import TradewindError
from tradewind.model.exchange import Refusal, Request
from tradewind.model.ids import NO_ATTEMPT, AttemptKey
from tradewind.model.states import TaskState
from tradewind.operations.cipher import Cipher
from tradewind.operations.structures import Structures
from tradewind.operations.task_requests.request import DEFAULT_RETENTION
from tradewind.operations.task_requests.runtime import StoredRuntime
from tradewind.storage.interface import Store, Transaction

_LATE = Refusal("TaskIsLate", "the task does not wait for this trigger any more, so it may change nothing")

_NOBODYS: Final = (
    "was asked in a thread of which nobody knows what trigger it belongs to: ask in the trigger itself, or have it done"
    " by asyncio.to_thread or loop.run_in_executor(None, ...)"
)
_OF_NO_TASK: Final = frozenset(
    {
        "count_dag_runs",
        "count_task_instances",
        "count_xcoms",
        "get_asset",
        "get_asset_events",
        "get_connection",
        "get_dag",
        "get_dag_run",
        "get_dag_run_state",
        "get_task_states",
        "get_variable",
        "get_variable_keys",
        "get_xcom",
        "get_xcom_element",
        "get_xcom_item",
        "get_xcom_slice",
    }
)
"""Questions whose answer is the same whoever asks."""


class TriggerRequests:
    """Answers many in one transaction; where that fails, each in its own, so that one spoils no other."""

    def __init__(
        self,
        store: Store,
        now: Callable[[], datetime],
        structures: Structures,
        secrets: Cipher,
        default_retention: timedelta = DEFAULT_RETENTION,
    ) -> None:
        self._store = store
        self._now = now
        self._structures = structures
        self._secrets = secrets
        self._default_retention = default_retention

    def __call__(self, requests: Sequence[Request]) -> list[object]:
        """An answer, or a `Refusal`, for each."""
        try:
            return self._store.transact(lambda tx: [self._answer(tx, request) for request in requests])
        except TradewindError as error:
            if len(requests) == 1:
                return [Refusal(type(error).__name__, str(error))]
            return [answer for request in requests for answer in self([request])]

    def _answer(self, tx: Transaction, request: Request) -> object:
        if request.attempt == NO_ATTEMPT and request.method not in _OF_NO_TASK:
            return Refusal("RequestFailed", f"{request.method} {_NOBODYS}")
        if not request.method.startswith(("get_", "count_")) and not _still_waits(tx, request.attempt):
            return _LATE
        runtime = StoredRuntime(
            tx,
            request.asker,
            now=self._now(),
            structures=self._structures,
            secrets=self._secrets,
            default_retention=self._default_retention,
        )
        method: Callable[..., object] = getattr(runtime, request.method)
        try:
            return method(**request.arguments)
        except ValueError as error:
            return Refusal(type(error).__name__, str(error))


def _still_waits(tx: Transaction, attempt: AttemptKey) -> bool:
    return any(
        snapshot.state is TaskState.DEFERRED and snapshot.attempt == attempt.attempt
        for snapshot in tx.tasks.snapshots([attempt.task])
    )
