"""An exception that ends an attempt as a failure: whether a retry could help, and what the retry policy says."""

import logging
from pathlib import Path
from types import TracebackType
from typing import Any, Final

import tradewind
from tradewind.sdk.context import Context, whole
from tradewind.sdk.exceptions import AirflowFailException, AirflowSensorTimeout, AirflowTaskTerminated
from tradewind.sdk.retry_policy import RetryAction, RetryDecision, RetryPolicy
from tradewind.sdk.task_instance import RuntimeTaskInstance
from tradewind.worker.task_life.outcome import Failure
from tradewind.worker.task_life.plain_text import plain_text

log = logging.getLogger(__name__)

_FINAL: Final = (AirflowFailException, AirflowSensorTimeout, AirflowTaskTerminated)
_PACKAGE: Final = str(Path(tradewind.__file__).parent)


def failure_of(
    error: BaseException,
    ti: RuntimeTaskInstance,
    context: Context | None,
    *,
    has_tries_left: bool,
    is_final: bool = False,
) -> Failure:
    """The failure. A policy is asked only where a retry is possible at all."""
    if is_final or isinstance(error, _FINAL):
        return Failure(error=error, reason=reason_of(error), may_retry=False)
    decision = _decision(ti.task.retry_policy, error, ti, context) if has_tries_left else RetryDecision.default()
    may_retry = decision.action is not RetryAction.FAIL
    reason = reason_of(error)
    if decision.reason:
        reason = f"{reason} (retry policy: {plain_text(decision.reason)})"
    return Failure(
        error=error,
        reason=reason,
        may_retry=may_retry,
        retry_delay=decision.retry_delay if decision.action is RetryAction.RETRY else None,
        will_retry=may_retry and has_tries_left,
    )


def log_failure(error: BaseException) -> None:
    """Write the exception into the log of the task, with the author's part of its traceback."""
    log.error("Task failed", exc_info=(type(error), error, _authors_part(error.__traceback__)))


def _authors_part(trace: TracebackType | None) -> TracebackType | None:
    """From the first frame on that is not ours; all of it, if all of it is ours."""
    part = trace
    while part is not None and part.tb_frame.f_code.co_filename.startswith(_PACKAGE):
        part = part.tb_next
    return part or trace


def reason_of(error: BaseException) -> str:
    """What people read first: the kind of the exception and its message."""
    if isinstance(error, SystemExit):
        text = f"the task exited with code {error.code!r}"
    else:
        try:
            text = f"{type(error).__name__}: {error}"
        except Exception:  # an author's own __str__
            text = type(error).__name__
    return plain_text(text)


def _decision(
    policy: RetryPolicy | None, error: BaseException, ti: RuntimeTaskInstance, context: Context | None
) -> RetryDecision:
    if policy is None:
        return RetryDecision.default()
    try:
        decision: Any = policy.evaluate(error, ti.try_number, ti.max_tries, context and whole(context))
    except Exception:
        log.exception("The retry policy of task %r failed: the task's own settings count", ti.task_id)
        return RetryDecision.default()
    if not isinstance(decision, RetryDecision):
        log.error("The retry policy of task %r returned %r, which is no RetryDecision", ti.task_id, decision)
        return RetryDecision.default()
    return decision
