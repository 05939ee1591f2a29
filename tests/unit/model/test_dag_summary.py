"""What lists show of a version."""

from tradewind.model.asset import AssetRef
from tradewind.model.dag import Dag, Task
from tradewind.model.dag_summary import summary_of
from tradewind.model.timetable import AssetTriggered


def test_a_plain_dag() -> None:
    summary = summary_of(Dag("sales"))

    assert (summary.display_name, summary.owners, summary.tags) == ("sales", "", ())
    assert not summary.has_asset_schedule
    assert not summary.has_task_limits


def test_owners_are_those_of_its_tasks_each_once() -> None:
    tasks = (Task("a", owner="bob"), Task("b", owner="ann"), Task("c", owner="bob", max_active_per_run=1))

    summary = summary_of(Dag("sales", tasks=tasks, display_name="Sales"))

    assert (summary.display_name, summary.owners, summary.has_task_limits) == ("Sales", "ann, bob", True)


def test_tags_that_differ_only_in_spaces_are_one() -> None:
    assert summary_of(Dag("sales", tags=("b", " a", "a ", " "))).tags == ("a", "b")


def test_what_waits_for_assets_and_numbers_that_are_too_large() -> None:
    summary = summary_of(Dag("sales", timetable=AssetTriggered(), assets=AssetRef("a", "a"), max_active_runs=2**40))

    assert summary.has_asset_schedule
    assert summary.max_active_runs == 2**31 - 1
