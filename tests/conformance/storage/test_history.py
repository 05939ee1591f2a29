"""Runs that ended elsewhere are written as they ended (A8)."""

from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from tests.conformance.storage.worlds import NOW, World, minutes
from tradewind.model.ids import TaskKey
from tradewind.model.states import RunState, RunType, TaskState, TriggeredBy
from tradewind.model.timetable import DataInterval
from tradewind.storage.database import Database
from tradewind.storage.interface.history_store import EndedRun, EndedTask, EndedTry, EndedXCom
from tradewind.storage.schema import run_change, task_try

INTERVAL = DataInterval(NOW - timedelta(days=1), NOW)
RUN = EndedRun(
    dag_id="sales",
    run_id="r1",
    run_type=RunType.SCHEDULED,
    state=RunState.FAILED,
    run_after=NOW,
    finished_at=NOW + minutes(5),
    logical_date=NOW,
    data_interval=INTERVAL,
    started_at=NOW + minutes(1),
    clear_number=2,
    conf={"full": True},
    note="a bad day",
    triggered_by=TriggeredBy.TIMETABLE,
    reason="copied",
)
FIELDS: dict[str, Any] = {
    "task_id": "load",
    "map_index": 0,
    "scheduled_at": None,
    "queued_at": NOW,
    "started_at": NOW + minutes(2),
    "finished_at": NOW + minutes(3),
    "hostname": "worker-1",
    "pid": 12,
}


def test_runs_are_added_with_their_tasks_and_nobody_is_told(store: Database, world: World) -> None:
    version = world.dag()
    with store.begin() as tx:
        keys = tx.history.add_runs([RUN], {"sales": version}, NOW)
        key = keys["sales", "r1"]
        task = EndedTask(
            run_key=key,
            dag_id="sales",
            state=TaskState.FAILED,
            attempt=2,
            try_number=2,
            max_tries=1,
            pool="etl",
            pool_slots=1,
            priority_weight=3,
            queue="default",
            executor=None,
            operator="BashOperator",
            task_type=None,
            display_name=None,
            rendered_map_index="one",
            reason=None,
            note="slow",
            **FIELDS,
        )
        tx.history.add_tasks([task])
        tx.history.add_tries([EndedTry(run_key=key, attempt=1, try_number=1, state=TaskState.FAILED, **FIELDS)])
        tx.history.add_xcoms([EndedXCom(key, "load", 0, "return_value", {"ä": [float("inf")]}, False, NOW)])

    with store.begin() as tx:
        run = tx.runs.find("sales", "r1")
        (left,) = tx.xcoms.of_run(key)
        (instance,) = tx.tasks.instances(key)
        tries = tx.connection.execute(sa.select(task_try.c.attempt, task_try.c.state)).all()
        changes = tx.connection.execute(sa.select(run_change)).all()
    assert run is not None
    assert (run.state, run.ordering_at, run.data_interval, run.conf) == (RunState.FAILED, NOW, INTERVAL, {"full": True})
    assert (run.finished_at, run.note, run.clear_number) == (NOW + minutes(5), "a bad day", 2)
    assert instance.key == TaskKey(key, "load", 0)
    assert (instance.state, instance.attempt, instance.note) == (TaskState.FAILED, 2, "slow")
    assert (left.task, left.key, left.value) == (instance.key, "return_value", {"ä": [float("inf")]})
    assert (tries, changes) == ([(1, "failed")], [])


def test_what_is_there_is_known_by_id_and_by_date(store: Database, world: World) -> None:
    world.run("r1", logical_date=NOW)
    later = NOW + minutes(1)

    with store.begin() as tx:
        ids = tx.history.taken_ids([("sales", "r1"), ("sales", "r2"), ("other", "r1")])
        dates = tx.history.taken_dates([("sales", NOW), ("sales", later), ("other", NOW)])
        assert tx.history.add_runs([], {}, NOW) == {}

    assert ids == {("sales", "r1")}
    assert dates == {("sales", NOW)}
