"""Why there is no next run, in words that follow from the timetable (C1)."""

from dataclasses import replace

from tests.instants import utc
from tradewind.decide.explain import DagFacts, Reason, explain_next_run
from tradewind.model.timetable import Custom, Never

NOW = utc("2026-06-10")
FACTS = DagFacts(
    is_paused=False, error=None, running_runs=0, active_runs=0, max_active_runs=16, timetable=Custom("acme.Workdays")
)


def test_a_timetable_that_starts_no_runs_is_named() -> None:
    assert explain_next_run(FACTS, None, NOW) == [
        Reason(
            "not_scheduled",
            "the timetable acme.Workdays of the DAG's own has named no further run when the file was last read",
        )
    ]


def test_a_pause_is_told_besides() -> None:
    paused = replace(FACTS, is_paused=True, timetable=Never())

    assert [reason.code for reason in explain_next_run(paused, None, NOW)] == ["dag_paused", "not_scheduled"]


def test_a_dag_that_cannot_be_read_is_not_said_to_have_no_schedule() -> None:
    broken = replace(FACTS, error="no such file", timetable=None)

    assert [reason.code for reason in explain_next_run(broken, None, NOW)] == ["dag_unusable"]


def test_a_run_to_come_is_not_due() -> None:
    assert [reason.code for reason in explain_next_run(FACTS, utc("2026-06-11"), NOW)] == ["not_due"]
