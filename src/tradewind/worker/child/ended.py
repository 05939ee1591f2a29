"""The outcome of an attempt as a message."""

import resource
import sys
from datetime import datetime, timedelta
from typing import Final

from tradewind.model.attempt_end import Deferral, InputAwaited
from tradewind.model.states import TaskState
from tradewind.worker.protocol import Ended
from tradewind.worker.task_life.outcome import Failure, Outcome, Reschedule, Skip, Success

_BYTES_PER_MAXRSS: Final = 1024 if sys.platform == "linux" else 1


def ended(outcome: Outcome, at: datetime) -> Ended:
    """What the supervisor is told, with what this process has used so far."""
    own, others = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    message = _described(outcome, at)
    message.cpu_s = own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime
    message.peak_memory_bytes = max(own.ru_maxrss, others.ru_maxrss) * _BYTES_PER_MAXRSS
    return message


def failed(reason: str, at: datetime, *, may_retry: bool = True) -> Ended:
    """An attempt that did not come so far as to have an outcome."""
    return Ended(state=TaskState.FAILED, at=at, reason=reason, may_retry=may_retry)


def _described(outcome: Outcome, at: datetime) -> Ended:
    match outcome:
        case Success():
            return Ended(
                state=TaskState.SUCCESS,
                at=at,
                map_length=outcome.map_length,
                skips=outcome.skips,
                outlet_events=outcome.outlet_events,
            )
        case Failure():
            return Ended(
                state=TaskState.FAILED,
                at=at,
                reason=clean(outcome.reason),
                may_retry=outcome.may_retry,
                retry_delay_s=_seconds(outcome.retry_delay),
            )
        case Skip():
            return Ended(state=TaskState.SKIPPED, at=at, reason=clean(outcome.reason))
        case Reschedule():
            return Ended(state=TaskState.UP_FOR_RESCHEDULE, at=at, until=_plain(outcome.until))
        case Deferral():
            return Ended(state=TaskState.DEFERRED, at=at, deferral=outcome, until=_end_of(outcome.timeout, at))
        case InputAwaited():
            until = _end_of(outcome.timeout, at)
            return Ended(state=TaskState.AWAITING_INPUT, at=at, input_awaited=outcome, until=until)


def clean(text: str) -> str:
    """What authors raise may hold anything, also what is no text and could not be sent."""
    return text.encode("utf-8", "replace").decode()


def _plain(instant: datetime) -> datetime:
    return datetime.fromisoformat(instant.isoformat())


def _seconds(duration: timedelta | None) -> float | None:
    return None if duration is None else duration.total_seconds()


def _end_of(timeout: timedelta | None, at: datetime) -> datetime | None:
    return None if timeout is None else at + timeout
