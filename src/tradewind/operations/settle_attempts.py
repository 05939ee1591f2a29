"""Attempts end: their states, and all that they leave behind, in one transaction."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from tradewind.decide.retry import LONGEST_DELAY_S
from tradewind.errors import ValueRefused
from tradewind.model.attempt_end import AttemptResult, Deferral, InputAwaited
from tradewind.model.trigger import NewTrigger
from tradewind.operations.cipher import Cipher
from tradewind.operations.inquire import resume_answered
from tradewind.operations.record_asset_events import record_outlet_events
from tradewind.operations.report_tasks import Reported, report_tasks
from tradewind.operations.resumptions import problem_with_method_arguments
from tradewind.operations.structures import Structures
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.kept_stores import StoredDeferral


def settle_attempts(
    tx: Transaction,
    results: Sequence[AttemptResult],
    now: datetime,
    structures: Structures,
    *,
    longest_delay_s: float = LONGEST_DELAY_S,
    cipher: Cipher,
) -> Reported:
    """Store how attempts ended. What a late one leaves behind is not kept either. `cipher` hides what triggers get.

    Raises:
        ValueRefused: one of them left arguments that no method can be called with.
    """
    usages = {result.report.attempt: result.usage for result in results if result.usage is not None}
    reports = [result.report for result in results]
    reported = report_tasks(tx, reports, now, structures, longest_delay_s=longest_delay_s, usages=usages)
    in_time = [result for result in results if result.report.attempt.task in reported.ended]
    _wait(tx, [(result, result.waits_for) for result in in_time if result.waits_for is not None], cipher)
    # People may answer as soon as the question is there, which is before the task has left its worker.
    resume_answered(tx, [each.report.attempt for each in in_time if isinstance(each.waits_for, InputAwaited)], now)
    record_outlet_events(tx, in_time, now)
    return reported


def _wait(tx: Transaction, waiting: Sequence[tuple[AttemptResult, Deferral | InputAwaited]], cipher: Cipher) -> None:
    if not waiting:
        return
    tx.deferrals.put([_stored(result, waits_for) for result, waits_for in waiting])
    tx.triggers.add(
        [_trigger(result, waits_for, cipher) for result, waits_for in waiting if isinstance(waits_for, Deferral)]
    )


def _trigger(result: AttemptResult, waits_for: Deferral, cipher: Cipher) -> NewTrigger:
    kwargs, is_encrypted = cipher.encrypt(json.dumps(waits_for.trigger_kwargs))
    return NewTrigger(
        attempt=result.report.attempt,
        class_path=waits_for.trigger_path,
        kwargs=kwargs,
        is_encrypted=is_encrypted,
        created_at=result.report.at,
        queue=waits_for.queue,
    )


def _stored(result: AttemptResult, waits_for: Deferral | InputAwaited) -> StoredDeferral:
    at = result.report.at
    next_kwargs: Any = waits_for.next_kwargs
    problem = problem_with_method_arguments(waits_for.next_method, next_kwargs)
    if problem is not None:  # workers may have another SDK, or none of ours
        raise ValueRefused(problem)
    return StoredDeferral(
        attempt=result.report.attempt,
        next_method=waits_for.next_method,
        created_at=at,
        next_kwargs=next_kwargs,
        times_out_at=None if waits_for.timeout is None else at + waits_for.timeout,
    )
