"""Attempts end: their states, and all that they leave behind, in one transaction."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from tradewind.decide.retry import LONGEST_DELAY_S
from tradewind.model.attempt_end import AttemptResult, Deferral, InputAwaited
from tradewind.operations.record_asset_events import record_outlet_events
from tradewind.operations.report_tasks import Reported, report_tasks
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
) -> Reported:
    """Store how attempts ended. What a late one leaves behind is not kept either."""
    usages = {result.report.attempt: result.usage for result in results if result.usage is not None}
    reports = [result.report for result in results]
    reported = report_tasks(tx, reports, now, structures, longest_delay_s=longest_delay_s, usages=usages)
    in_time = [result for result in results if result.report.attempt.task in reported.ended]
    deferrals = [_stored(result, result.waits_for) for result in in_time if result.waits_for is not None]
    if deferrals:
        tx.deferrals.put(deferrals)
    record_outlet_events(tx, in_time, now)
    return reported


def _stored(result: AttemptResult, waits_for: Deferral | InputAwaited) -> StoredDeferral:
    at = result.report.at
    next_kwargs: Any = waits_for.next_kwargs
    trigger_kwargs: Any = waits_for.trigger_kwargs if isinstance(waits_for, Deferral) else None
    trigger = waits_for if isinstance(waits_for, Deferral) else None
    return StoredDeferral(
        attempt=result.report.attempt,
        next_method=waits_for.next_method,
        created_at=at,
        next_kwargs=next_kwargs,
        trigger_path=None if trigger is None else trigger.trigger_path,
        trigger_kwargs=trigger_kwargs,
        queue=None if trigger is None else trigger.queue,
        times_out_at=None if waits_for.timeout is None else at + waits_for.timeout,
    )
