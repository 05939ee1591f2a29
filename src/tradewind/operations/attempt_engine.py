"""The engine as supervisors of attempts know it (`worker.engine.Engine`), with the database behind it."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Final, Protocol, TypeVar

from tradewind.errors import DatabaseError, DatabaseUnavailable, TradewindError, TransactionConflict
from tradewind.model.exchange import Exchange, Exchanged, Refusal, Request, one_by_one, spoiled
from tradewind.model.ids import AttemptKey, JobKey
from tradewind.model.task import Failed
from tradewind.operations.begin_attempts import Beginner
from tradewind.operations.cipher import Cipher
from tradewind.operations.report_tasks import heartbeat_tasks, report_tasks
from tradewind.operations.request_callbacks import request_task_callbacks
from tradewind.operations.settle_attempts import settle_attempts
from tradewind.operations.task_requests.request import DEFAULT_RETENTION
from tradewind.operations.task_requests.runtime import StoredRuntime
from tradewind.operations.task_requests.write_together import Writes
from tradewind.storage.interface import LastingStore, Transaction
from tradewind.telemetry.events import AttemptLost, LostBy
from tradewind.telemetry.measurements import JobEnded, JobStarted

T = TypeVar("T")
KIND: Final = "worker"
_LATE: Final = Refusal("TaskIsLate", "this attempt has ended or is no longer the latest one, so it may say nothing")
_WORKER_DIED: Final = "its worker was killed"


class Now(Protocol):
    """Where the time comes from."""

    def now(self) -> datetime:
        """The current instant."""


class StoredEngine:
    """Implements `worker.engine.Engine`."""

    def __init__(
        self,
        store: LastingStore,
        clock: Now,
        beginner: Beginner,
        secrets: Cipher,
        *,
        longest_delay_s: float,
        default_retention: timedelta = DEFAULT_RETENTION,
    ) -> None:
        """A beginner that knows its worker belongs to a supervisor whose life has begun."""
        self._store = store
        self._clock = clock
        self._beginner = beginner
        self._structures = beginner.structures
        self._secrets = secrets
        self._longest_delay_s = longest_delay_s
        self._default_retention = default_retention
        self._job = beginner.worker or JobKey(0)

    def start(self, former: str | None, remember: Callable[[str], object]) -> None:
        """See `Engine.start`."""
        remember(str(self.begin_life(None if former is None else JobKey(int(former)))))

    def begin_life(self, former: JobKey | None) -> JobKey:
        """The same, by the keys of the lives."""
        now = self._clock.now()

        def work(tx: Transaction) -> JobKey:
            job = tx.jobs.start(KIND, hostname=self._beginner.hostname, pid=self._beginner.pid, now=now)
            tx.emit(JobStarted(KIND))
            if former is not None:
                self._bury(tx, former, now)
            return job

        self._job = self._beginner.worker = self._store.transact_lastingly(work)
        return self._job

    def exchange(self, given: Exchange) -> Exchanged:
        """See `Engine.exchange`. What the database refuses is found by doing everything one by one.

        Schedulers hear of it with the commit, and need not wait for the disk; who lets tasks begin must.
        """
        try:
            return self._store.transact_lastingly(lambda tx: self._exchange(tx, given))
        except (DatabaseUnavailable, TransactionConflict):
            raise  # all of it can be tried again
        except Exception:  # what one task says must not end all others, whatever goes wrong with it
            return one_by_one(given, self._try, self._clock.now())

    def heartbeat(self, attempts: Sequence[AttemptKey]) -> set[AttemptKey]:
        """See `Engine.heartbeat`."""
        now = self._clock.now()

        def work(tx: Transaction) -> set[AttemptKey]:
            tx.jobs.heartbeat(self._job, now)
            return heartbeat_tasks(tx, attempts, now) if attempts else set()

        return self._store.transact(work)

    def stop(self) -> None:
        """See `Engine.stop`."""
        now = self._clock.now()

        def work(tx: Transaction) -> None:
            tx.jobs.stop(self._job, now)
            tx.emit(JobEnded(KIND))

        self._store.transact(work)

    def _bury(self, tx: Transaction, former: JobKey, now: datetime) -> None:
        lost = tx.attempts.of_worker(former)
        failures = [Failed(task.attempt_key, now, reason=_WORKER_DIED) for task in lost]
        ended = report_tasks(tx, failures, now, self._structures, longest_delay_s=self._longest_delay_s).ended
        request_task_callbacks(tx, ended, _WORKER_DIED, self._structures, now)
        tx.emit(*(AttemptLost(task.key, _WORKER_DIED, LostBy.WORKER, task) for task in lost if task.key in ended))
        tx.jobs.stop(former, now)

    def _exchange(self, tx: Transaction, given: Exchange) -> Exchanged:
        now = self._clock.now()
        answers = self._answers(tx, given.requests, now) if given.requests else []
        results = spoiled(given, answers)
        if results:
            longest = self._longest_delay_s
            settle_attempts(tx, results, now, self._structures, longest_delay_s=longest, cipher=self._secrets)
        orders = self._beginner.begin(tx, given.begins, now) if given.begins else []
        return Exchanged(answers, orders)

    def _answers(self, tx: Transaction, requests: Sequence[Request], now: datetime) -> list[object]:
        """In order. What may be written together is, but never later than a question of the same exchange."""
        current = tx.attempts.current({request.attempt for request in requests})
        writes = Writes(tx, now)
        answers: list[object] = []
        for request in requests:
            if request.attempt not in current and not _only_asks(request):
                answers.append(_LATE)
            elif writes.takes(request):
                answers.append(None)
            else:
                writes.flush()
                answers.append(_answer(self._runtime(tx, request, now), request))
        writes.flush()
        return answers

    def _runtime(self, tx: Transaction, request: Request, now: datetime) -> StoredRuntime:
        return StoredRuntime(
            tx,
            request.asker,
            now=now,
            structures=self._structures,
            secrets=self._secrets,
            default_retention=self._default_retention,
            is_repeat=request.is_repeat,
        )

    def _try(self, part: Exchange) -> Exchanged | Refusal:
        try:
            return self._store.transact_lastingly(lambda tx: self._exchange(tx, part))
        except (DatabaseUnavailable, TransactionConflict):
            raise
        except Exception as error:
            return Refusal(type(error).__name__, str(error))


def _only_asks(request: Request) -> bool:
    """Whether the answer changes nothing. Callbacks and mails ask after the end of their attempt was stored."""
    return request.method.startswith(("get_", "count_"))


def _answer(runtime: StoredRuntime, request: Request) -> object:
    method: Callable[..., object] = getattr(runtime, request.method)
    try:
        return method(**request.arguments)
    except DatabaseError:
        raise
    except (TradewindError, ValueError) as error:
        return Refusal(type(error).__name__, str(error))
