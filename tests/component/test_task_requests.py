"""What running tasks ask for, answered from the database (D2, D3, E10)."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest

from tests.component.world import Ending, PatientExecutor, World, fails
from tradewind.errors import InvalidRequest, UnknownDag, UnknownGroup, UnknownRun, UnknownTask
from tradewind.model.assignment import Asker
from tradewind.model.dag import Task, TaskGroup
from tradewind.model.dag_file import FileName
from tradewind.model.ids import UNMAPPED, AttemptKey, TaskKey
from tradewind.model.mapping import FixedLength
from tradewind.model.states import RunState, RunType
from tradewind.model.task import Rescheduled
from tradewind.model.task_answers import PrevSuccessfulDagRunResult, XComElement, XComResult
from tradewind.operations.task_requests.runtime import StoredRuntime
from tradewind.secrets.encryption import Encryption

DAY = timedelta(days=1)


def asker(world: World, task_id: str = "load", run_id: str = "r1", map_index: int = UNMAPPED) -> Asker:
    return Asker(TaskKey(world.run(run_id).key, task_id, map_index), "sales", run_id)


@contextmanager
def asking(world: World, task_id: str = "load", run_id: str = "r1", map_index: int = UNMAPPED) -> Iterator[Any]:
    """The runtime of one task instance, for one transaction."""
    who = asker(world, task_id, run_id, map_index)
    with world.database.begin() as tx:
        yield StoredRuntime(tx, who, now=world.clock.now(), structures=world.structures, secrets=Encryption())


def place(task_id: str = "load", run_id: str = "r1", key: str = "return_value") -> dict[str, str]:
    return {"dag_id": "sales", "run_id": run_id, "task_id": task_id, "key": key}


def days(world: World, count: int, **endings: Ending) -> None:
    """Runs r1, r2, … of the tasks load and check on as many days, all of them ended."""
    world.dag(Task("load"), Task("check", upstream=("load",)))
    for day in range(count):
        world.trigger(run_id=f"r{day + 1}", logical_date=world.clock.now() + (day - 10) * DAY)
    world.scheduler(endings=endings)
    world.settle()


# --- XComs


def test_a_task_finds_what_another_left(any_world: World) -> None:
    days(any_world, 1)

    with asking(any_world) as runtime:
        runtime.set_xcom(**place(), value={"rows": [1, 2]}, mapped_length=2, dag_result=True)
        runtime.set_xcom(**place(key="other"), value=None)
    with asking(any_world, "check") as runtime:
        assert runtime.get_xcom(**place()) == XComResult("return_value", {"rows": [1, 2]})
        assert runtime.get_xcom(**place(key="other")) == XComResult("other", None)
        assert runtime.get_xcom(**place(key="none")) is None
        assert runtime.get_xcom(**place(run_id="none")) is None
        runtime.delete_xcom(**place())
        runtime.delete_xcom(**place(run_id="none"))
        assert runtime.get_xcom(**place()) is None


def test_a_task_may_leave_values_in_the_name_of_another_that_exists(world: World) -> None:
    days(world, 2)

    with asking(world) as runtime:
        runtime.set_xcom(**place("check", "r2"), value=7)
        assert runtime.get_xcom(**place("check", "r2")) == XComResult("return_value", 7)
        with pytest.raises(UnknownTask, match="'none'"):
            runtime.set_xcom(**place("none"), value=7)
        with pytest.raises(UnknownRun, match="'r3'"):
            runtime.set_xcom(**place(run_id="r3"), value=7)


def test_values_of_mapped_tasks_are_found_by_index_by_place_and_in_slices(any_world: World) -> None:
    any_world.dag(Task("load", mapping=FixedLength(5)))
    any_world.trigger()
    for index in (4, 1, 3):
        with asking(any_world, map_index=index) as runtime:
            runtime.set_xcom(**place(), value=index, map_index=index)

    with asking(any_world, map_index=0) as runtime:
        assert runtime.count_xcoms(**place()) == 3
        assert runtime.get_xcom(**place()) == XComResult("return_value", 1)
        assert runtime.get_xcom(**place(), map_index=4) == XComResult("return_value", 4)
        assert runtime.get_xcom(**place(), map_index=0) is None
        assert [runtime.get_xcom_item(**place(), offset=offset) for offset in (1, -1, 3)] == [
            XComResult("return_value", 3),
            XComResult("return_value", 4),
            None,
        ]
        assert runtime.get_xcom_slice(**place()) == [1, 3, 4]
        assert runtime.get_xcom_slice(**place(), start=-2, stop=None, step=-1) == [3, 1]
        nowhere = place(run_id="none")
        assert runtime.count_xcoms(**nowhere) == 0
        assert runtime.get_xcom_item(**nowhere, offset=0) is None
        assert runtime.get_xcom_slice(**nowhere) == []


def test_a_copy_of_a_mapped_task_finds_its_element_of_a_list(any_world: World) -> None:
    any_world.dag(Task("load"), Task("check", mapping=FixedLength(3)), Task("other", mapping=FixedLength(2)))
    any_world.trigger()
    with asking(any_world) as runtime:
        runtime.set_xcom(**place(), value=["a", {"b": [2**80]}, None], mapped_length=3)
        runtime.set_xcom(**place(key="dict"), value={"a": 1})
    with asking(any_world, "other", map_index=1) as runtime:
        runtime.set_xcom(**place("other"), value=[1, 2], map_index=1)

    def element(index: int, *, map_index: int = UNMAPPED, **where: str) -> XComElement | None:
        found: XComElement | None = runtime.get_xcom_element(**place(**where), map_index=map_index, index=index)
        return found

    with asking(any_world, "check", map_index=1) as runtime:
        assert [element(index) for index in range(3)] == [
            XComElement("a", 3),
            XComElement({"b": [2**80]}, 3),
            XComElement(None, 3),
        ]
        assert element(4) == element(1)
        assert element(0, task_id="other", map_index=1) == XComElement(1, 2)
        assert element(0, task_id="other") is None
        assert element(0, key="dict") is None
        assert element(0, key="none") is None
        assert element(0, run_id="none") is None


def test_values_of_earlier_runs_are_found_when_asked_for(world: World) -> None:
    days(world, 3)
    with asking(world, run_id="r1") as runtime:
        runtime.set_xcom(**place(run_id="r1"), value="old")
    with asking(world, run_id="r3") as runtime:
        runtime.set_xcom(**place(run_id="r3"), value="newer")

    with asking(world, "check", run_id="r2") as runtime:
        here = place(run_id="r2")
        assert runtime.get_xcom(**here) is None
        assert runtime.get_xcom(**here, include_prior_dates=True) == XComResult("return_value", "old")
        assert runtime.get_xcom_slice(**here, include_prior_dates=True) == ["old"]
        runtime.set_xcom(**here, value="own")
        assert runtime.get_xcom(**here, include_prior_dates=True) == XComResult("return_value", "own")
        assert runtime.get_xcom(**place(run_id="none"), include_prior_dates=True) is None


# --- what a task remembers


def test_a_task_remembers_through_its_tries_for_as_long_as_it_said(world: World) -> None:
    days(world, 1)
    with asking(world) as runtime:
        runtime.set_task_state("usual", 1)
        runtime.set_task_state("short", [2], timedelta(minutes=1))
        runtime.set_task_state("for ever", {"a": 3}, timedelta.max)
        runtime.set_task_state("gone", 4)
        runtime.delete_task_state("gone")

    def remembered(task_id: str = "load") -> list[object]:
        with asking(world, task_id) as runtime:
            return [runtime.get_task_state(key) for key in ("usual", "short", "for ever", "gone")]

    assert remembered() == [1, [2], {"a": 3}, None]
    assert remembered("check") == [None] * 4
    world.clock.advance(60)
    assert remembered() == [1, None, {"a": 3}, None]
    world.clock.advance(30 * 24 * 3600)
    assert remembered() == [None, None, {"a": 3}, None]
    with asking(world) as runtime:
        runtime.clear_task_state()
    assert remembered() == [None] * 4


# --- runs


def test_a_dag_is_described_as_its_current_version_has_it(world: World) -> None:
    tasks = (Task("load", owner="ann"), Task("check", owner="bob"), Task("more", owner="ann"))
    world.dag(*tasks, tags=("x", "y"), is_paused=True)
    world.trigger()
    with world.database.begin() as tx:
        tx.dags.assign({"sales": FileName("main", "folder/sales.py")})

    with asking(world) as runtime:
        dag = runtime.get_dag("sales")
        assert runtime.get_dag("none") is None

    assert (dag.dag_id, dag.is_paused, dag.owners, dag.tags) == ("sales", True, "ann, bob", ("x", "y"))
    assert (dag.bundle_name, dag.relative_fileloc, dag.next_dagrun) == ("main", "folder/sales.py", None)


def test_runs_are_found_and_counted(world: World) -> None:
    days(world, 3, check=fails())
    dates = [world.run(run_id).logical_date for run_id in ("r1", "r2", "r3")]

    with asking(world, run_id="r2") as runtime:
        run = runtime.get_dag_run("sales", "r1")
        assert (run.run_id, run.state, run.logical_date, run.conf) == ("r1", "failed", dates[0], {})
        assert runtime.get_dag_run("sales", "none") is None
        assert runtime.get_dag_run_state("sales", "r1") == "failed"
        assert runtime.get_dag_run_state("none", "r1") is None
        assert runtime.count_dag_runs("sales") == 3
        assert runtime.count_dag_runs("sales", run_ids=["r1", "r9"], states=["failed"]) == 1
        assert runtime.count_dag_runs("sales", logical_dates=dates[:2], states=["success"]) == 0
        assert runtime.get_previous_dag_run("sales", logical_date=dates[2]).run_id == "r2"
        assert runtime.get_previous_dag_run("sales", logical_date=dates[2], state="success") is None
        assert runtime.get_previous_dag_run("sales", logical_date=dates[0]) is None


def test_the_last_successful_run_is_found(world: World) -> None:
    days(world, 3)
    world.mark_run(RunState.FAILED, run_id="r2")
    first = world.run("r1")

    with asking(world, run_id="r3") as runtime:
        found = runtime.get_previous_successful_dag_run()
    with asking(world, run_id="r1") as runtime:
        assert runtime.get_previous_successful_dag_run() == PrevSuccessfulDagRunResult()

    assert (found.start_date, found.end_date) == (first.started_at, first.finished_at)
    assert first.data_interval is not None
    assert (found.data_interval_start, found.data_interval_end) == (
        first.data_interval.start,
        first.data_interval.end,
    )


def test_a_task_triggers_a_run_once_and_may_reset_it(any_world: World) -> None:
    days(any_world, 1)
    any_world.dag(Task("work"), dag_id="other")

    def trigger(**values: Any) -> bool:
        with asking(any_world) as runtime:
            return bool(runtime.trigger_dag_run("other", "made", **values))

    assert trigger(conf={"a": 1}, note="because", logical_date=any_world.clock.now())
    assert not trigger()
    any_world.settle()
    run = any_world.run("made", "other")
    assert (run.state, run.run_type, run.conf, run.note) == (
        RunState.SUCCESS,
        RunType.OPERATOR_TRIGGERED,
        {"a": 1},
        "because",
    )
    assert not trigger()
    assert trigger(reset_dag_run=True)
    assert any_world.run("made", "other").state is RunState.QUEUED
    assert any_world.states("made", "other") == {"work": "none"}


def test_a_run_that_only_has_the_same_date_is_not_reset(world: World) -> None:
    days(world, 1)
    date = world.run().logical_date

    with asking(world) as runtime:
        assert not runtime.trigger_dag_run("sales", "another", logical_date=date, reset_dag_run=True)

    assert [run.run_id for run in world.runs()] == ["r1"]
    assert world.run().state is RunState.SUCCESS


def test_a_run_that_cannot_be_triggered_is_refused_by_name_and_the_transaction_goes_on(world: World) -> None:
    days(world, 1)

    with asking(world) as runtime:
        with pytest.raises(UnknownDag, match="'none'"):
            runtime.trigger_dag_run("none", "made")
        with pytest.raises(InvalidRequest):
            runtime.trigger_dag_run("sales", "made/../up")
        with pytest.raises(InvalidRequest, match="partition"):
            runtime.trigger_dag_run("sales", "made", partition_key="2026")
        runtime.set_xcom(**place(), value=1)

    with asking(world) as runtime:
        assert runtime.count_xcoms(**place()) == 1
        assert runtime.count_dag_runs("sales") == 1


# --- task instances


def test_task_instances_are_counted_and_their_states_told(world: World) -> None:
    groups = (TaskGroup("outer"), TaskGroup("inner", "outer"), TaskGroup("aside"))
    tasks = (
        Task("load"),
        Task("inner.copy", group_id="inner", mapping=FixedLength(2)),
        Task("outer.check", group_id="outer"),
        Task("aside.note", group_id="aside"),
    )
    world.dag(*tasks, groups=groups)
    world.trigger()
    world.scheduler(endings={"load": fails()})
    world.settle()

    with asking(world) as runtime:
        count = runtime.count_task_instances
        assert count("sales") == 5
        assert count("sales", task_ids=["load"], states=["failed"]) == 1
        assert count("sales", task_group_id="outer") == 3
        assert count("sales", task_group_id="outer", task_ids=["load"]) == 4
        assert count("sales", task_group_id="inner", map_index=1) == 1
        with pytest.raises(UnknownGroup):  # as in Airflow: nobody waits for what there is not
            count("sales", task_group_id="none")
        with pytest.raises(UnknownDag):
            count("none", task_group_id="outer")
        assert count("sales", run_ids=["none"]) == 0
        assert runtime.get_task_states("sales", task_group_id="outer", run_ids=["r1"]) == {
            "r1": {"inner.copy_0": "success", "inner.copy_1": "success", "outer.check": "success"}
        }


def test_an_undecided_task_has_no_state(world: World) -> None:
    world.dag(Task("load"))
    world.trigger()

    with asking(world) as runtime:
        assert runtime.get_task_states("sales") == {"r1": {"load": None}}
        assert runtime.get_task_breadcrumbs("sales", "r1") == []


def test_breadcrumbs_tell_how_tasks_ended(world: World) -> None:
    days(world, 1, check=fails())

    with asking(world) as runtime:
        crumbs = runtime.get_task_breadcrumbs("sales", "r1")
        assert runtime.get_task_breadcrumbs("sales", "none") == []

    told = {"map_index": -1, "operator": "BaseOperator", "duration": 0.0}
    assert crumbs == [
        {"task_id": "check", "state": "failed", **told},
        {"task_id": "load", "state": "success", **told},
    ]


def test_the_instance_of_a_task_in_an_earlier_run_is_found(world: World) -> None:
    days(world, 2)
    dates = [world.run(run_id).logical_date for run_id in ("r1", "r2")]

    with asking(world, run_id="r2") as runtime:
        before = runtime.get_previous_task_instance("sales", "load", logical_date=dates[1])
        assert runtime.get_previous_task_instance("sales", "load", logical_date=dates[1], state="failed") is None
        assert runtime.get_previous_task_instance("sales", "load", map_index=3) is None

    assert (before.run_id, before.state, before.logical_date, before.try_number) == ("r1", "success", dates[0], 1)
    assert before.duration == 0.0


def test_a_sensor_learns_when_it_first_poked_in_this_try(world: World) -> None:
    """Through all its reschedules, and anew when it is retried."""
    world.dag(Task("load"))
    world.trigger()
    executor = PatientExecutor(world.clock)
    world.scheduler(executor)
    started_at = world.clock.now()
    answers = []

    def again(attempt: AttemptKey, now: Any) -> Rescheduled:
        return Rescheduled(attempt, now, until=now + timedelta(seconds=60))

    for _ in range(3):
        world.settle()
        with asking(world) as runtime:
            answers.append(runtime.get_first_reschedule_date())
        executor.end(ending=again)
        world.pass_time(61)
    assert answers == [None, started_at, started_at]

    executor.end(ending=fails())
    world.settle()
    world.clear("load")
    world.settle()
    with asking(world) as runtime:
        assert runtime.get_first_reschedule_date() is None


def test_people_see_rendered_fields_and_the_name_of_a_mapped_instance(world: World) -> None:
    world.dag(Task("load", mapping=FixedLength(2)))
    run_key = world.trigger()
    with asking(world, map_index=1) as runtime:
        runtime.set_rendered_fields({"sql": "select 1"})
        runtime.set_rendered_map_index("second")

    with world.database.begin() as tx:
        assert tx.rendered.of_run(run_key) == {TaskKey(run_key, "load", 1): {"sql": "select 1"}}
    assert {name: task.rendered_map_index for name, task in world.instances().items()} == {
        "load[0]": None,
        "load[1]": "second",
    }
