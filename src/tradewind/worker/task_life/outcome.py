"""What can become of an attempt, and how that is reported to the engine."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from tradewind.model.attempt_end import Deferral, InputAwaited, OutletEvent
from tradewind.model.ids import AttemptKey
from tradewind.model.task import AwaitingInput, Deferred, EndReport, Failed, Rescheduled, Skipped, Succeeded
from tradewind.sdk.states import TaskInstanceState


@dataclass(frozen=True, slots=True, kw_only=True)
class Success:
    """It returned."""

    map_length: int | None = None
    skips: tuple[str, ...] = ()
    outlet_events: tuple[OutletEvent, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """It raised."""

    error: BaseException
    reason: str
    may_retry: bool = True
    retry_delay: timedelta | None = None
    will_retry: bool = False
    """Whether another try is expected, as far as the attempt can know."""


@dataclass(frozen=True, slots=True)
class Skip:
    """It asked to be skipped."""

    reason: str


@dataclass(frozen=True, slots=True)
class Reschedule:
    """A sensor frees its worker."""

    until: datetime


Outcome = Success | Failure | Skip | Reschedule | Deferral | InputAwaited


def state_after(outcome: Outcome) -> TaskInstanceState:
    """The state that the task will have."""
    match outcome:
        case Success():
            return TaskInstanceState.SUCCESS
        case Failure():
            return TaskInstanceState.UP_FOR_RETRY if outcome.will_retry else TaskInstanceState.FAILED
        case Skip():
            return TaskInstanceState.SKIPPED
        case Reschedule():
            return TaskInstanceState.UP_FOR_RESCHEDULE
        case Deferral():
            return TaskInstanceState.DEFERRED
        case InputAwaited():
            return TaskInstanceState.AWAITING_INPUT


def report(outcome: Outcome, attempt: AttemptKey, *, at: datetime, started_at: datetime) -> EndReport:
    """The outcome in the words of the engine."""
    match outcome:
        case Success():
            return Succeeded(attempt, at, started_at, map_length=outcome.map_length, skips=outcome.skips)
        case Failure():
            delay = outcome.retry_delay
            return Failed(
                attempt,
                at,
                started_at,
                reason=outcome.reason,
                may_retry=outcome.may_retry,
                retry_delay_s=None if delay is None else delay.total_seconds(),
            )
        case Skip():
            return Skipped(attempt, at, started_at, reason=outcome.reason)
        case Reschedule():
            return Rescheduled(attempt, at, until=outcome.until, started_at=started_at)
        case Deferral():
            return Deferred(attempt, at, until=_end_of(outcome.timeout, at), started_at=started_at)
        case InputAwaited():
            return AwaitingInput(attempt, at, until=_end_of(outcome.timeout, at), started_at=started_at)


def _end_of(timeout: timedelta | None, at: datetime) -> datetime | None:
    return None if timeout is None else at + timeout
