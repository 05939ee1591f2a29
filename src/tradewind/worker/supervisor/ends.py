"""How an attempt ended, as a report to the engine, with a reason that people understand."""

import signal
from datetime import datetime
from typing import Final

from tradewind.model.attempt_end import AttemptResult, Usage
from tradewind.model.states import TaskState
from tradewind.model.task import AwaitingInput, Deferred, EndReport, Failed, Rescheduled, Skipped, Succeeded
from tradewind.worker.protocol import Ended, Gone
from tradewind.worker.supervisor.attempt import Attempt

_GIGA: Final = 1e9
_MEGA: Final = 1e6


def result_of(attempt: Attempt, now: datetime) -> AttemptResult:
    """What the engine is told. The word of the process counts, unless it was ended from outside or said nothing."""
    ended = attempt.ended
    if ended is None or attempt.stopping is not None:
        return _cut_short(attempt, now)
    if attempt.spoiled is not None and ended.state != TaskState.FAILED:
        report: EndReport = Failed(attempt.key, ended.at, _started_at(attempt), reason=attempt.spoiled)
    else:
        report = _reported(attempt, ended)
    return AttemptResult(
        report=report,
        outlet_events=ended.outlet_events,
        waits_for=ended.deferral or ended.input_awaited,
        usage=Usage(ended.cpu_s, ended.peak_memory_bytes),
    )


def _started_at(attempt: Attempt) -> datetime:
    return attempt.order.assignment.started_at


def _reported(attempt: Attempt, ended: Ended) -> EndReport:
    key, at, started_at = attempt.key, ended.at, _started_at(attempt)
    match ended.state:
        case TaskState.SUCCESS:
            return Succeeded(key, at, started_at, map_length=ended.map_length, skips=ended.skips)
        case TaskState.SKIPPED:
            return Skipped(key, at, started_at, reason=ended.reason)
        case TaskState.UP_FOR_RESCHEDULE:
            return Rescheduled(key, at, until=ended.until or at, started_at=started_at)
        case TaskState.DEFERRED if ended.deferral is not None:
            return Deferred(key, at, until=ended.until, started_at=started_at)
        case TaskState.AWAITING_INPUT if ended.input_awaited is not None:
            return AwaitingInput(key, at, until=ended.until, started_at=started_at)
        case TaskState.FAILED:
            return Failed(
                key,
                at,
                started_at,
                reason=ended.reason,
                may_retry=ended.may_retry,
                retry_delay_s=ended.retry_delay_s,
            )
        case _:
            return Failed(key, at, started_at, reason=f"its process said that it is {ended.state!r}")


def _cut_short(attempt: Attempt, now: datetime) -> AttemptResult:
    gone, stopping = attempt.gone, attempt.stopping
    reason = (
        stopping.reason
        if stopping is not None
        else reason_of_end(gone, attempt.spoiled, is_memory_kill=attempt.is_memory_kill)
    )
    may_retry = stopping is None or stopping.may_retry
    usage = None if gone is None else Usage(gone.cpu_s, gone.peak_memory_bytes)
    report = Failed(attempt.key, now, _started_at(attempt), reason=reason, may_retry=may_retry)
    return AttemptResult(report=report, usage=usage)


def reason_of_end(gone: Gone | None, spoiled: str | None, *, is_memory_kill: bool = False) -> str:
    """Why a process that never said how it ended is gone. `is_memory_kill`: the kernel says so."""
    if spoiled is not None:
        return spoiled
    if gone is None:
        return "its process closed its connection and did not end"
    if gone.exit_code >= 0:
        return f"its process ended with exit code {gone.exit_code} and without a result"
    name = signal.Signals(-gone.exit_code).name
    if name != "SIGKILL":
        return f"its process was ended by signal {name}"
    used = f" when it used {amount(gone.peak_memory_bytes)}" if gone.peak_memory_bytes else ""
    if is_memory_kill:
        return f"its process was killed by the kernel{used}, because memory ran out (signal SIGKILL)"
    return f"its process was killed by signal SIGKILL{used}: by a person, or because the system ran out of memory"


def amount(size: float) -> str:
    """Bytes as people say them."""
    return f"{size / _GIGA:.1f} GB" if size >= _GIGA else f"{size / _MEGA:.0f} MB"
