"""The store of DAGs and their versions (D7)."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa

from tests.conformance.storage.worlds import NOW, World, add_version, minutes
from tradewind.model.dag_file import FileName
from tradewind.model.ids import VersionKey
from tradewind.model.states import TaskState
from tradewind.model.timetable import DataInterval, RunInfo
from tradewind.storage.database import Database
from tradewind.storage.interface import DagRecord
from tradewind.storage.schema import metadata


def _await(store: Database, dag_id: str, after_minutes: float, *, is_paused: bool = False) -> None:
    with store.begin() as tx:
        tx.dags.create(dag_id, is_paused=is_paused, now=NOW)
        tx.dags.set_next_run(dag_id, RunInfo(NOW + minutes(after_minutes), None))


def test_a_new_dag_has_no_version_and_no_next_run(store: Database) -> None:
    with store.begin() as tx:
        tx.dags.create("sales", is_paused=True, now=NOW)

    with store.begin() as tx:
        assert tx.dags.find("sales") == DagRecord("sales", is_paused=True, version_key=None, next_run=None)
        assert tx.dags.find("other") is None


def test_missing_dags_are_created_and_the_others_left_alone(store: Database) -> None:
    with store.begin() as tx:
        tx.dags.create("old", is_paused=True, now=NOW)
        tx.dags.create_missing({"new": True, "old": False, "free": False}, NOW)
        tx.dags.create_missing({}, NOW)

        assert {dag.dag_id: dag.is_paused for dag in tx.dags.all()} == {"free": False, "new": True, "old": True}


def test_two_processors_create_the_same_dags_at_once(store: Database) -> None:
    """A5: whoever comes second finds them there."""
    dags = {f"d{number}": False for number in range(50)}

    with ThreadPoolExecutor(2) as threads:
        for done in [threads.submit(store.transact, lambda tx: tx.dags.create_missing(dags, NOW)) for _ in range(4)]:
            done.result(timeout=30)

    with store.begin() as tx:
        assert len(tx.dags.all()) == 50


def test_a_dag_whose_file_is_gone_is_stale_and_has_no_next_run(store: Database) -> None:
    _await(store, "gone", -1)
    _await(store, "stays", -1)
    file = FileName("dags", "a.py")
    with store.begin() as tx:
        tx.dags.assign({"gone": file, "stays": None})
        tx.dags.assign({})
        tx.dags.set_stale(["gone", "nothing"])
        tx.dags.set_stale([])

        gone, stays = tx.dags.all()
        assert (gone.is_stale, gone.file, gone.next_run) == (True, file, None)
        assert (stays.is_stale, stays.file, stays.next_run) == (False, None, RunInfo(NOW - minutes(1), None))
        assert [dag.dag_id for dag in tx.dags.due(NOW, 10)] == ["stays"]

        tx.dags.assign({"gone": FileName("dags", "b.py")})
        tx.dags.set_next_runs({"gone": RunInfo(NOW, None), "stays": None})
        tx.dags.set_next_runs({})
        gone, stays = tx.dags.all()
        assert (gone.is_stale, gone.file) == (False, FileName("dags", "b.py"))
        assert (gone.next_run, stays.next_run) == (RunInfo(NOW, None), None)


def test_all_dags_come_by_id(store: Database) -> None:
    with store.begin() as tx:
        for dag_id in ("b", "a", "c"):
            tx.dags.create(dag_id, is_paused=False, now=NOW)

        assert [dag.dag_id for dag in tx.dags.all()] == ["a", "b", "c"]


def test_lock_gives_the_dags_that_exist_by_id(store: Database) -> None:
    with store.begin() as tx:
        for dag_id in ("b", "a"):
            tx.dags.create(dag_id, is_paused=False, now=NOW)

        assert [dag.dag_id for dag in tx.dags.lock(["b", "nothing", "a"])] == ["a", "b"]
        assert tx.dags.lock([]) == []


def test_a_dag_id_is_used_once(store: Database) -> None:
    with store.begin() as tx:
        tx.dags.create("sales", is_paused=False, now=NOW)

    with pytest.raises(sa.exc.IntegrityError), store.begin() as tx:
        tx.dags.create("sales", is_paused=False, now=NOW)


def test_due_gives_the_longest_due_first_up_to_the_limit(store: Database) -> None:
    for dag_id, after in (("late", -1), ("later", -5), ("latest", -9), ("now", 0), ("future", 1)):
        _await(store, dag_id, after)

    with store.begin() as tx:
        assert [dag.dag_id for dag in tx.dags.due(NOW, 3)] == ["latest", "later", "late"]
        assert [dag.dag_id for dag in tx.dags.due(NOW, 10)] == ["latest", "later", "late", "now"]


def test_due_leaves_out_what_is_paused_full_fenced_or_not_scheduled(store: Database) -> None:
    """A DAG that cannot run costs the scheduler nothing (B9)."""
    _await(store, "paused", -1, is_paused=True)
    for dag_id in ("full", "fenced", "unscheduled", "good"):
        _await(store, dag_id, -1)

    with store.begin() as tx:
        tx.dags.set_at_run_limit(["full"], True)
        tx.dags.set_error("fenced", "it does not parse")
        tx.dags.set_next_run("unscheduled", None)

        assert [dag.dag_id for dag in tx.dags.due(NOW, 10)] == ["good"]


def test_what_was_left_out_comes_back_when_its_reason_goes(store: Database) -> None:
    for dag_id in ("paused", "full", "fenced"):
        _await(store, dag_id, -1)
    with store.begin() as tx:
        tx.dags.set_paused("paused", True)
        tx.dags.set_at_run_limit(["full"], True)
        tx.dags.set_error("fenced", "broken")
        assert tx.dags.due(NOW, 10) == []

        tx.dags.set_paused("paused", False)
        tx.dags.set_at_run_limit(["full"], False)
        tx.dags.set_error("fenced", None)

        assert {dag.dag_id for dag in tx.dags.due(NOW, 10)} == {"paused", "full", "fenced"}


def test_reset_run_limits_lets_every_dag_be_looked_at_again(store: Database) -> None:
    for dag_id in ("one", "two"):
        _await(store, dag_id, -1)
    with store.begin() as tx:
        tx.dags.set_at_run_limit(["one", "two"], True)
        assert all(dag.is_at_run_limit for dag in tx.dags.all())

        tx.dags.reset_run_limits()

        assert {dag.dag_id for dag in tx.dags.due(NOW, 10)} == {"one", "two"}


def test_next_due_at_is_the_earliest_instant_that_due_will_answer_to(store: Database) -> None:
    with store.begin() as tx:
        assert tx.dags.next_due_at() is None
    _await(store, "soon", 3)
    _await(store, "sooner but paused", 1, is_paused=True)
    _await(store, "later", 10)

    with store.begin() as tx:
        assert tx.dags.next_due_at() == NOW + minutes(3)


def test_next_run_keeps_its_data_interval(store: Database) -> None:
    info = RunInfo(NOW, DataInterval(NOW - minutes(60), NOW))
    with store.begin() as tx:
        tx.dags.create("sales", is_paused=False, now=NOW)
        tx.dags.set_next_run("sales", info)

    with store.begin() as tx:
        found = tx.dags.find("sales")

    assert found is not None
    assert found.next_run == info


def test_a_new_version_becomes_the_current_one_and_the_old_stays_readable(store: Database) -> None:
    with store.begin() as tx:
        tx.dags.create("sales", is_paused=False, now=NOW)
        tx.dags.lock(["sales"])
        first = add_version(tx, "sales", "one", '{"v": 1}')
        second = add_version(tx, "sales", "two", '{"v": 2}')

    with store.begin() as tx:
        found = tx.dags.find("sales")
        assert found is not None
        assert found.version_key == second
        assert [origin.structure_hash for origin in tx.versions.origins([first, second]).values()] == ["one", "two"]
        data = {first: ("sales", '{"v": 1}'), second: ("sales", '{"v": 2}')}
        assert tx.dags.version_data([first, second]) == data
        assert tx.dags.version_data([first]) == {first: data[first]}


def test_an_unknown_version_is_left_out(store: Database) -> None:
    with store.begin() as tx:
        assert tx.dags.version_data([VersionKey(12345)]) == tx.dags.version_data([]) == {}


def test_a_large_dag_is_stored_whole(store: Database) -> None:
    data = '{"tasks": "' + "ü" * 300_000 + '"}'
    with store.begin() as tx:
        tx.dags.create("large", is_paused=False, now=NOW)
        key = add_version(tx, "large", "x", data)

    with store.begin() as tx:
        assert tx.dags.version_data([key]) == {key: ("large", data)}


def test_error_of_a_dag_is_stored_whole(store: Database) -> None:
    with store.begin() as tx:
        tx.dags.create("broken", is_paused=False, now=NOW)
        tx.dags.set_error("broken", "Traceback\n" * 10_000)

    with store.begin() as tx:
        found = tx.dags.find("broken")

    assert found is not None
    assert found.error == "Traceback\n" * 10_000


def test_deleting_a_dag_deletes_all_that_belongs_to_it_and_nothing_else(world: World, store: Database) -> None:
    for dag_id in ("sales", "stock"):
        run_key = world.running("r1", dag_id)
        attempt = world.task(TaskState.SUCCESS, run_key, dag_id=dag_id)
        with store.begin() as tx:
            tx.attempts.archive([attempt.task])
            tx.changes.record([attempt.task], NOW)
            tx.changes.record_runs([run_key], NOW)

    with store.begin() as tx:
        assert tx.dags.delete("sales")

    tables = ("dag", "dag_version", "dag_run", "task_instance", "task_try", "run_change")
    with store.engine.connect() as connection:
        counts = [
            connection.execute(sa.select(sa.func.count()).select_from(metadata.tables[name])).scalar()
            for name in tables
        ]
    assert counts == [1, 1, 1, 1, 1, 2]
    with store.begin() as tx:
        assert [dag.dag_id for dag in tx.dags.all()] == ["stock"]


def test_deleting_an_unknown_dag_says_so(store: Database) -> None:
    with store.begin() as tx:
        assert not tx.dags.delete("nothing")


def test_a_version_key_is_never_used_twice(world: World, store: Database) -> None:
    """A scheduler keeps what it read of a version for ever: another DAG's version must not come under its key."""
    first = world.dag("first")
    with store.begin() as tx:
        tx.dags.delete("first")

    assert world.dag("second") > first
