"""Plans of backfills, as they would be stored."""

from typing import Any

from tradewind.decide.backfill import Span, survey
from tradewind.model.backfill import BackfillPlan
from tradewind.model.ids import VersionKey
from tradewind.model.timetable import Timetable


def plan(timetable: Timetable, span: Span, *, is_backward: bool = False, **values: Any) -> BackfillPlan:
    """Of these dates."""
    found = survey(timetable, span)
    assert found is not None
    return BackfillPlan(
        dag_id="sales",
        version_key=VersionKey(1),
        from_date=span.start,
        to_date=span.end,
        until=span.until,
        is_backward=is_backward,
        total=found.total,
        marks=found.marks,
        **values,
    )
