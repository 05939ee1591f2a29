"""What every loop asks is answered from an index over the few rows that are alive (B9).

A partial index is used only where the query states its condition, so a change of either may silently cost a scan of all
history. The plans are those of the very statements that the stores send.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest
import sqlalchemy as sa

from tests.conformance.storage.worlds import JOB, NOW, World, candidate, minutes, new_task, scheduled
from tests.databases import DatabaseKind
from tradewind.model.asset import AssetKey
from tradewind.model.backfill import Backfill, BackfillPlan
from tradewind.model.dag_file import FileName
from tradewind.model.ids import AttemptKey, BackfillKey, RunKey, TaskKey, VersionKey
from tradewind.model.listing import Condition, Listed, Query
from tradewind.model.listing import Test as Asked
from tradewind.model.run import NewRun
from tradewind.model.slot import NewSlot
from tradewind.model.slot_policy import EVERYTHING, EventWindow
from tradewind.model.states import RunState, RunType, TaskState
from tradewind.model.task import Started
from tradewind.model.timetable import RunInfo
from tradewind.storage.database import Database
from tradewind.storage.interface import AttemptEnd, RunEnd
from tradewind.storage.interface.kept_stores import XComPlace
from tradewind.storage.transaction import SqlTransaction

Statement = tuple[str, Any]
Question = Callable[[SqlTransaction], object]
Write = Callable[[SqlTransaction, TaskKey], object]

FINISHED = 1_000
FINISHED_RUNS = 200


@contextmanager
def _listening(store: Database) -> Iterator[list[Statement]]:
    heard: list[Statement] = []

    def listen(_c: object, _cursor: object, statement: str, parameters: Any, _context: object, _many: bool) -> None:
        heard.append((statement, parameters))

    sa.event.listen(store.engine, "before_cursor_execute", listen)
    try:
        yield heard
    finally:
        sa.event.remove(store.engine, "before_cursor_execute", listen)


def _plans(store: Database, question: Question) -> list[str]:
    """How the database answers each statement of the question; nothing that it writes remains."""
    with store.engine.connect() as connection, connection.begin() as transaction:
        with _listening(store) as heard:
            question(SqlTransaction(connection))
        plans = [_plan(connection, *statement) for statement in heard]
        transaction.rollback()
    return plans


def _plan(connection: sa.Connection, statement: str, parameters: Any) -> str:
    match connection.dialect.name:
        case "sqlite":
            rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
            return "\n".join(row[3] for row in rows)
        case "postgresql":
            # The tables of a test are so small that reading them whole would be right.
            connection.exec_driver_sql("SET LOCAL enable_seqscan = off")
            return "\n".join(row[0] for row in connection.exec_driver_sql(f"EXPLAIN {statement}", parameters))
        case _:
            rows = connection.exec_driver_sql(f"EXPLAIN {statement}", parameters)
            # Which index it takes depends on samples that it draws when it likes; which it can take does not.
            return "\n".join(f"{row['table']} by one of {row['possible_keys']}" for row in rows.mappings())


@pytest.fixture
def history(world: World, store: Database) -> World:
    """Much that is finished, little that is not, and statistics that know it."""
    done, running = world.running("done"), world.running("running")
    version = world.find("done").version_key
    with store.begin() as tx:
        past = [
            tx.runs.create(NewRun("sales", f"past {number}", RunType.MANUAL, NOW - minutes(number), version), NOW)
            for number in range(FINISHED_RUNS)
        ]
        tx.runs.start([(key, None) for key in past], NOW)
        tx.runs.finish([RunEnd(key, RunState.SUCCESS) for key in past], NOW)
    world.run("queued", run_after=NOW - minutes(1))
    tasks = [new_task(done, f"task {number}") for number in range(FINISHED)]
    with store.begin() as tx:
        tx.tasks.create(tasks)
        skipped = [scheduled(task)._replace(to_state="skipped") for task in tasks]
        assert len(tx.tasks.advance(skipped, NOW)) == FINISHED
        assert tx.runs.finish([RunEnd(done, RunState.SUCCESS)], NOW)
    world.task(TaskState.SCHEDULED, running, "scheduled")
    world.task(TaskState.QUEUED, running, "queued")
    world.task(TaskState.RUNNING, running, "running")
    world.task(TaskState.UP_FOR_RETRY, running, "retry", wake_at=NOW)
    with store.begin() as tx:
        for number in range(100):
            tx.dags.create(f"dag {number}", is_paused=True, now=NOW)
    _analyse(store)
    return world


def _analyse(store: Database) -> None:
    if store.dialect_name == "sqlite":
        return  # it has no statistics unless somebody asks for them, and nobody does
    tables = ("dag", "dag_run", "task_instance", "run_change", "job")
    with store.engine.connect() as connection:
        for table in tables:
            words = "ANALYZE TABLE" if store.dialect_name == "mysql" else "ANALYZE"
            connection.exec_driver_sql(f"{words} {table}")
        if store.dialect_name == "postgresql":
            # Empty, but perhaps known to be: tests that ran before left it so, and time to notice.
            connection.exec_driver_sql("TRUNCATE asset_delivery")
        connection.commit()


def _backfill() -> Backfill:
    plan = BackfillPlan(
        dag_id="sales", version_key=VersionKey(1), from_date=NOW, to_date=NOW, until=NOW, total=1, is_backward=True
    )
    return Backfill(
        key=BackfillKey(1), plan=plan, is_paused=False, looked_at=0, passed_over=0, created_at=NOW, updated_at=NOW
    )


QUESTIONS: dict[str, tuple[Question, str, str]] = {
    # name: (the question, the partial index, the index on MySQL)
    "queue.waiting": (
        lambda tx: tx.queue.waiting("default_pool", 100),
        "ix_task_instance_waiting",
        "ix_task_instance_queue",
    ),
    "queue.waiting, some full": (
        lambda tx: tx.queue.waiting(
            "default_pool", 100, most_slots=2, full_executors=["x", None], full_tasks=[("sales", "a")]
        ),
        "ix_task_instance_waiting",
        "ix_task_instance_queue",
    ),
    "queue.pools_waited_for": (
        lambda tx: tx.queue.pools_waited_for(),
        "ix_task_instance_waiting",
        "ix_task_instance_queue",
    ),
    "queue.occupied_slots": (
        lambda tx: tx.queue.occupied_slots("default_pool", include_deferred=False),
        "ix_task_instance_active",
        "ix_task_instance_queue",
    ),
    "queue.occupied_slots, deferred too": (
        lambda tx: tx.queue.occupied_slots("default_pool", include_deferred=True),
        "ix_task_instance_active",
        "ix_task_instance_queue",
    ),
    "queue.count_active": (
        lambda tx: tx.queue.count_active("sales", "load"),
        "ix_task_instance_active",
        "ix_task_instance_queue",
    ),
    "queue.slots_in_use": (
        lambda tx: tx.queue.slots_in_use(JOB),
        "ix_task_instance_active",
        "ix_task_instance_queue",
    ),
    "queue.queued_work": (lambda tx: tx.queue.queued_work(JOB), "ix_task_instance_active", "ix_task_instance_queue"),
    "queue.held_by_dead": (
        lambda tx: tx.queue.held_by_dead([JOB]),
        "ix_task_instance_active",
        "ix_task_instance_queue",
    ),
    "queue.queued_before": (
        lambda tx: tx.queue.queued_before(NOW),
        "ix_task_instance_active",
        "ix_task_instance_queue",
    ),
    "attempts.silent_since": (
        lambda tx: tx.attempts.silent_since(NOW),
        "ix_task_instance_active",
        "ix_task_instance_queue",
    ),
    "attempts.due": (lambda tx: tx.attempts.due(NOW, 100), "ix_task_instance_timer", "ix_task_instance_timer"),
    "attempts.next_wake_at": (
        lambda tx: tx.attempts.next_wake_at(),
        "ix_task_instance_timer",
        "ix_task_instance_timer",
    ),
    "dags.due": (lambda tx: tx.dags.due(NOW, 100), "ix_dag_due", "ix_dag_due"),
    "dags.next_due_at": (lambda tx: tx.dags.next_due_at(), "ix_dag_due", "ix_dag_due"),
    "runs.startable": (lambda tx: tx.runs.startable(["sales"], NOW, 100), "ix_dag_run_queued", "ix_dag_run_state"),
    "runs.dags_with_startable": (
        lambda tx: tx.runs.dags_with_startable(NOW),
        "ix_dag_run_queued",
        "ix_dag_run_state",
    ),
    "runs.running_of_dag": (lambda tx: tx.runs.running_of_dag("sales"), "ix_dag_run_running", "ix_dag_run_state"),
    "runs.overdue": (lambda tx: tx.runs.overdue(NOW), "ix_dag_run_timeout", "ix_dag_run_timeout"),
    "backfills.open": (lambda tx: tx.backfills.open(), "ix_backfill_open", "ix_backfill_open"),
    "backfills.open_of_dag": (
        lambda tx: tx.backfills.open_of_dag("sales"),
        "ix_backfill",
        "ix_backfill",
    ),
    "backfills.startable": (
        lambda tx: tx.backfills.startable(_backfill(), NOW, 10),
        "ix_dag_run_backfill",
        "ix_dag_run_backfill",
    ),
    "jobs.live": (lambda tx: tx.jobs.live("scheduler"), "ix_job_live", "ix_job_live"),
    "files.requested": (
        lambda tx: tx.files.requested(["dags"]),
        "ix_dag_file_requested",
        "ix_dag_file_is_requested",
    ),
}


def test_the_questions_of_every_loop_are_answered_from_their_indexes(
    history: World, store: Database, database_kind: DatabaseKind
) -> None:
    wrong = {}
    for name, (question, on_live_rows, by_state) in QUESTIONS.items():
        (plan,) = _plans(store, question)
        if (by_state if database_kind == "mysql" else on_live_rows) not in plan:
            wrong[name] = plan

    assert wrong == {}


def test_changes_are_taken_and_looked_at_by_key(history: World, store: Database, database_kind: DatabaseKind) -> None:
    run_key = history.find("running").key
    with store.begin() as tx:
        tx.changes.record([TaskKey(run_key, "running")], NOW)

    assert "ix_run_change_run" in _plans(store, lambda tx: tx.changes.take([run_key]))[0]
    if database_kind == "postgres":
        (plan,) = _plans(store, lambda tx: tx.changes.take_dirty(9, job=JOB, foreign_before=NOW))
        assert "ix_run_change_run" in plan
        for key in ("pk_dag_run", "pk_dag", "pk_task_instance"):
            assert f"using {key} on" in plan
        assert "ix_task_instance" not in plan


@pytest.mark.parametrize("database_kind", ["postgres"], indirect=True)
def test_a_survey_in_one_statement_is_answered_from_both_indexes(
    history: World, store: Database, database_kind: DatabaseKind
) -> None:
    (plan,) = _plans(store, lambda tx: tx.queue.survey(JOB, "default_pool", 100))

    assert "ix_task_instance_waiting" in plan
    assert "ix_task_instance_active" in plan


def test_active_runs_are_counted_from_their_indexes(
    history: World, store: Database, database_kind: DatabaseKind
) -> None:
    plans = _plans(store, lambda tx: tx.runs.count_active(["sales"]))

    if database_kind == "mysql":
        assert all("ix_dag_run_state" in plan for plan in plans)
    else:
        assert "ix_dag_run_running" in "".join(plans)
        assert "ix_dag_run_queued" in "".join(plans)


def _due_run(dag_id: str, run_id: str, version: VersionKey) -> NewRun:
    return NewRun(dag_id, run_id, RunType.SCHEDULED, NOW, version, logical_date=NOW)


@pytest.mark.parametrize("database_kind", ["postgres"], indirect=True)
def test_due_runs_are_made_by_key_where_nobody_counted_the_runs_that_wait(
    world: World, store: Database, database_kind: DatabaseKind
) -> None:
    """(A8) PostgreSQL plans by statistics that may be a minute old. In that minute, all of 10,000 DAGs were due."""
    many = [f"dag {number:04}" for number in range(2_000)]
    world.run("first")
    version = world.find("first").version_key
    with store.begin() as tx:
        tx.dags.create_missing(dict.fromkeys(many, False), NOW)
        tx.new_runs.create_many([(_due_run(dag_id, "before", version), []) for dag_id in many], NOW)
    some = many[:100]
    news = [_due_run(dag_id, "now", version) for dag_id in some]

    def question(tx: SqlTransaction) -> None:
        tx.runs.count_active(some)
        tx.new_runs.create_untaken([(new, []) for new in news], NOW)

    with store.engine.connect() as connection, connection.begin():
        with _listening(store) as heard:
            question(SqlTransaction(connection))
        # As the server does it by itself: without a word about what it may do.
        plans = [
            "\n".join(row[0] for row in connection.exec_driver_sql(f"EXPLAIN {statement}", parameters))
            for statement, parameters in heard
        ]

    counting, making = plans[:2]
    # By two indexes, and DAG by DAG: not all that wait, held against the list.
    assert len(re.findall(r"Index Cond: \(+dag_id\)?(::text)? = \w+\.dag_id", counting)) == 2, counting
    assert "Insert on dag_run" in making
    assert "Scan on dag_run" not in making
    assert "Seq Scan" not in making


_SLOT = NewSlot("sales", RunInfo(NOW, None), None)
SCHEDULING: dict[str, tuple[Question, str, str]] = {
    # name: (the question, the index, the index on MySQL); or one of several
    "deliveries.listeners": (
        lambda tx: tx.deliveries.listeners(["orders"]),
        "ix_asset_listener_value",
        "ix_asset_listener_value",
    ),
    "deliveries.oldest": (
        lambda tx: tx.deliveries.oldest([("sales", AssetKey(1))]),
        "ix_asset_delivery_pending",
        "ix_asset_delivery_waiting",
    ),
    "deliveries.newest_at": (
        lambda tx: tx.deliveries.newest_at("sales"),
        "ix_asset_delivery_pending",
        "ix_asset_delivery_waiting",
    ),
    "deliveries.take": (
        lambda tx: tx.deliveries.take("sales", RunKey(1)),
        "ix_asset_delivery_pending",
        "ix_asset_delivery_waiting",
    ),
    "deliveries.take, one": (
        lambda tx: tx.deliveries.take("sales", RunKey(1), event=5),
        "ix_asset_delivery_event|pk_asset_delivery",
        "PRIMARY",
    ),
    "deliveries.newest_of_each": (
        lambda tx: tx.deliveries.newest_of_each([("sales", None)]),
        "ix_asset_delivery_pending",
        "ix_asset_delivery_waiting",
    ),
    "deliveries.newest_of_each, one": (
        lambda tx: tx.deliveries.newest_of_each([("sales", 5)]),
        "ix_asset_delivery_event|pk_asset_delivery|USING PRIMARY KEY (dag_id=? AND event_key=?)",
        "PRIMARY",
    ),
    "deliveries.take_each": (
        lambda tx: tx.deliveries.take_each([("sales", RunKey(1), None)]),
        "ix_asset_delivery_pending",
        "ix_asset_delivery_waiting",
    ),
    "deliveries.take_each, one": (
        lambda tx: tx.deliveries.take_each([("sales", RunKey(1), 5)]),
        "ix_asset_delivery_event|pk_asset_delivery|USING PRIMARY KEY (dag_id=? AND event_key=?)",
        "PRIMARY",
    ),
    "deliveries.consumed_more": (
        lambda tx: tx.deliveries.consumed_more([RunKey(1)], 100),
        "ix_asset_delivery_run",
        "ix_asset_delivery_run",
    ),
    # In the order of the key, so that the limit ends the scan.
    "asset_events.consumed_after": (
        lambda tx: tx.asset_events.consumed_after("sales", RunKey(1), 5, 10),
        "pk_asset_delivery|USING PRIMARY KEY (dag_id=? AND event_key>?)",
        "PRIMARY",
    ),
    "asset_events.new": (lambda tx: tx.asset_events.new(10), "ix_asset_event_new", "ix_asset_event_batch"),
    "asset_events.is_any_new": (
        lambda tx: tx.asset_events.is_any_new(),
        "ix_asset_event_new",
        "ix_asset_event_batch",
    ),
    "runs of events": (
        lambda tx: tx.listings.page(
            Listed.RUNS_OF_EVENTS, Query((Condition("event_id", Asked.ONE_OF, (1, 2)),), is_counted=False)
        ),
        "ix_asset_delivery_event",
        "ix_asset_delivery_event",
    ),
    "deliveries.consumed": (
        lambda tx: tx.deliveries.consumed([RunKey(1)]),
        "ix_asset_delivery_run",
        "ix_asset_delivery_run",
    ),
    "deliveries.waiting": (
        lambda tx: tx.deliveries.waiting("sales"),
        "ix_asset_delivery_pending",
        "ix_asset_delivery_waiting",
    ),
    # By their key, so that the limit ends the scan.
    "slots.updated_in": (
        lambda tx: tx.slots.updated_in("sales", [AssetKey(1)], [EVERYTHING]),
        "ix_asset_delivery_pending",
        "ix_asset_delivery_waiting",
    ),
    "slots.updated_in, of a partition": (
        lambda tx: tx.slots.updated_in("sales", [AssetKey(1)], [EventWindow(partition_key="p")]),
        "ix_asset_delivery_pending",
        "ix_asset_delivery_waiting",
    ),
    "dag_changes.pending": (
        lambda tx: tx.dag_changes.pending(10),
        "pk_dag_change|SCAN dag_change\nSCAN first",
        "dag_change",
    ),
    "dag_changes.take": (lambda tx: tx.dag_changes.take(["sales"]), "ix_dag_change_dag", "ix_dag_change_dag"),
    "slots.waiting": (
        lambda tx: tx.slots.waiting(["sales"]),
        "ix_schedule_slot_waiting",
        "ix_schedule_slot_waiting",
    ),
    "slots.first_waiting": (
        lambda tx: tx.slots.first_waiting("sales", 10, NOW),
        "ix_schedule_slot_waiting",
        "ix_schedule_slot_waiting",
    ),
    "slots.overdue_of": (
        lambda tx: tx.slots.overdue_of("sales", NOW, 10),
        "ix_schedule_slot_",
        "ix_schedule_slot_",
    ),
    "slots.overdue": (lambda tx: tx.slots.overdue(NOW, 10), "ix_schedule_slot_", "ix_schedule_slot_"),
    "slots.next_deadline": (
        lambda tx: tx.slots.next_deadline(NOW),
        "ix_schedule_slot_deadline",
        "ix_schedule_slot_deadline",
    ),
    "deadlines.next_due_at": (lambda tx: tx.deadlines.next_due_at(), "ix_deadline_due", "ix_deadline_state"),
    "deadlines.due": (lambda tx: tx.deadlines.due(NOW, 10), "ix_deadline_due", "ix_deadline_state"),
    "deadlines.of_run": (lambda tx: tx.deadlines.of_run(RunKey(1)), "ix_deadline_run", "ix_deadline_run"),
    "deadlines.recent_durations": (
        lambda tx: tx.deadlines.recent_durations("sales", 10),
        "ix_dag_run_order",
        "ix_dag_run_order",
    ),
    "deadlines.claim": (
        lambda tx: tx.deadlines.claim(["dags"], 10, JOB, now=NOW, until=NOW),
        "ix_deadline_author",
        "ix_deadline_state",
    ),
    "deadline_callbacks.waiting": (
        lambda tx: tx.deadline_callbacks.waiting(is_async=False, limit=10),
        "ix_deadline_missed",
        "ix_deadline_state",
    ),
    "deadline_callbacks.lapsed": (
        lambda tx: tx.deadline_callbacks.lapsed(NOW, 10),
        "ix_deadline_called",
        "ix_deadline_state",
    ),
}


def test_assets_slots_and_deadlines_are_found_by_index(
    history: World, store: Database, database_kind: DatabaseKind
) -> None:
    """(C4, C5) However much was consumed, settled or met."""
    wrong = {}
    for name, (question, index, on_mysql) in SCHEDULING.items():
        plan = _plans(store, question)[0]
        expected = on_mysql if database_kind == "mysql" else index
        if not any(words in plan for words in expected.split("|")):
            wrong[name] = plan

    assert wrong == {}


def test_a_tick_and_a_plan_are_found_by_their_key(history: World, store: Database, database_kind: DatabaseKind) -> None:
    """(C1, C5) A tick that was noted already, the last one of a DAG, and the runs that an author's timetable named."""
    questions: dict[str, Question] = {
        "slots.add": lambda tx: tx.slots.add([_SLOT], NOW),
        "slots.last": lambda tx: tx.slots.last("sales"),
        "slots.at": lambda tx: tx.slots.at("sales", NOW),
        "plans.find": lambda tx: tx.plans.find("sales"),
    }
    read_whole = {
        "sqlite": r"SCAN \w+(?! USING)",
        "postgres": r"Seq Scan on (schedule_slot|dag_plan)",
        "mysql": r"(schedule_slot|dag_plan) by one of None",
    }[database_kind]

    plans = {name: _plans(store, question)[0] for name, question in questions.items()}

    assert {name: plan for name, plan in plans.items() if re.search(read_whole, plan)} == {}


WRITES: dict[str, Write] = {
    "tasks.advance": lambda tx, key: tx.tasks.advance([scheduled(new_task(*key))], NOW),
    "runs.decided": lambda tx, key: tx.runs.decided([], JOB, NOW, [scheduled(new_task(*key))]),
    "tasks.hold": lambda tx, key: tx.tasks.hold([key]),
    "queue.admit": lambda tx, key: tx.queue.admit([candidate(new_task(*key))], JOB, NOW),
    "attempts.start": lambda tx, key: tx.attempts.start([Started(_attempt(key), NOW)], NOW),
    "attempts.begin": lambda tx, key: tx.attempts.begin([Started(_attempt(key), NOW)], NOW),
    "attempts.end": lambda tx, key: tx.attempts.end([AttemptEnd(_attempt(key), TaskState.SUCCESS, NOW)]),
    "attempts.end, recorded": lambda tx, key: tx.attempts.end(
        [AttemptEnd(_attempt(key), TaskState.SUCCESS, NOW)], recorded_at=NOW
    ),
    "attempts.heartbeat": lambda tx, key: tx.attempts.heartbeat([_attempt(key)], NOW),
    "attempts.wake": lambda tx, key: tx.attempts.wake([key]),
}


def _write(write: Write, key: TaskKey, tx: SqlTransaction) -> object:
    return write(tx, key)


def _attempt(key: TaskKey) -> AttemptKey:
    return AttemptKey(*key, 1)


def test_guarded_writes_find_their_rows_by_key(history: World, store: Database, database_kind: DatabaseKind) -> None:
    """Whatever the statistics say about states: found by state, a batch costs its size times all that wait."""
    key = TaskKey(history.find("running").key, "scheduled")
    by_key = {
        "sqlite": "task_instance USING PRIMARY KEY (run_key=? AND task_id=? AND map_index=?)",
        "postgres": "Index Scan using pk_task_instance",
        "mysql": "task_instance by one of PRIMARY",
    }[database_kind]

    wrong = {}
    for name, write in WRITES.items():
        plan = _plans(store, partial(_write, write, key))[0]
        if by_key not in plan or "ix_task_instance" in plan:
            wrong[name] = plan

    assert wrong == {}


_TASK = TaskKey(RunKey(1), "load", 0)
_PLACE = XComPlace(RunKey(1), "load", "return_value")
KEPT: dict[str, tuple[Question, str]] = {
    # name: (the question, the table)
    "xcoms.find": (lambda tx: tx.xcoms.find(_PLACE, 0), "xcom"),
    "xcoms.find, any": (lambda tx: tx.xcoms.find(_PLACE), "xcom"),
    "xcoms.count": (lambda tx: tx.xcoms.count(_PLACE), "xcom"),
    "xcoms.item": (lambda tx: tx.xcoms.item(_PLACE, -1), "xcom"),
    "xcoms.cut": (lambda tx: tx.xcoms.cut(_PLACE, slice(2, 10)), "xcom"),
    "xcoms.cut, in steps": (lambda tx: tx.xcoms.cut(_PLACE, slice(2, 10, 2)), "xcom"),
    "xcoms.delete": (lambda tx: tx.xcoms.delete(_PLACE, 0), "xcom"),
    "xcoms.keys_of": (lambda tx: tx.xcoms.keys_of([_TASK]), "xcom"),
    "xcoms.of_run": (lambda tx: tx.xcoms.of_run(RunKey(1)), "xcom"),
    "rendered.find": (lambda tx: tx.rendered.find(_TASK), "rendered_fields"),
    "task_states.find": (lambda tx: tx.task_states.find(_TASK, "k", NOW), "task_state"),
    "task_states.clear": (lambda tx: tx.task_states.clear(_TASK), "task_state"),
    "deferrals.of_tasks": (lambda tx: tx.deferrals.of_tasks([_TASK]), "deferral"),
    "deferrals.drop": (lambda tx: tx.deferrals.drop([_TASK]), "deferral"),
    "inquiries.find": (lambda tx: tx.inquiries.find(_TASK, 1), "inquiry"),
    "inquiries.of_attempts": (lambda tx: tx.inquiries.of_attempts([AttemptKey(*_TASK, 1)]), "inquiry"),
    "lookups.task": (lambda tx: tx.lookups.task(_TASK), "task_instance"),
}


def test_what_tasks_left_is_found_by_key(history: World, store: Database, database_kind: DatabaseKind) -> None:
    wrong = {}
    for name, (question, table) in KEPT.items():
        (plan,) = _plans(store, question)
        by_key = {
            "sqlite": f"{table} USING PRIMARY KEY (run_key=?",
            "postgres": f"pk_{table}",
            "mysql": f"{table} by one of PRIMARY",
        }[database_kind]
        # A row that is named by its whole key MySQL looks for before it plans, and there is none.
        is_found_at_once = database_kind == "mysql" and plan.startswith("None by one of None")
        if not is_found_at_once and (by_key not in plan or f"SCAN {table}" in plan):
            wrong[name] = plan

    assert wrong == {}


_PAGE = Query((Condition("is_stale", Asked.IS, False),), limit=100, is_counted=False)
_OF_LAST_RUN = Query((Condition("last_run_state", Asked.IS, "failed"),), limit=100, is_counted=False)
_TAGGED = Query((Condition("tag", Asked.IS, "red"),), limit=100, is_counted=False)
SHOWN: dict[str, tuple[Question, tuple[str, str, str]]] = {
    # name: (the question, what SQLite, PostgreSQL and MySQL take)
    "catalog.is_favorite": (
        lambda tx: tx.catalog.is_favorite("ann", "sales"),
        ("dag_favorite USING PRIMARY KEY (user_name=? AND dag_id=?)", "Index Cond", "None by one of None"),
    ),
    "overview.failed_since": (
        lambda tx: tx.overview.failed_since(NOW),
        ("dag_run USING INDEX ix_dag_run_ended (finished_at>?)", "ix_dag_run_ended", "ix_dag_run_ended"),
    ),
    "overview.ended_since": (
        lambda tx: tx.overview.ended_since(NOW, 3600),
        # PostgreSQL reads the index alone only once the table was vacuumed.
        ("dag_run USING COVERING INDEX ix_dag_run_ended (finished_at>?)", "ix_dag_run_ended", "ix_dag_run_ended"),
    ),
    "a page of DAGs": (
        lambda tx: tx.listings.page(Listed.DAGS, _PAGE),
        ("SCAN dag USING INDEX sqlite_autoindex_dag_1", "pk_dag", "dag"),
    ),
    "DAGs by their last run": (
        lambda tx: tx.listings.page(Listed.DAGS, _OF_LAST_RUN),
        ("dag_run USING INDEX ix_dag_run_order (dag_id=?)", "ix_dag_run_order", "ix_dag_run_order"),
    ),
    "DAGs by tag": (
        lambda tx: tx.listings.page(Listed.DAGS, _TAGGED),
        ("dag_tag USING PRIMARY KEY (dag_id=? AND name=?)", "dag_tag", "dag_tag by one of PRIMARY"),
    ),
    "files.find": (
        lambda tx: tx.files.find(FileName("dags", "a.py")),
        ("dag_file USING INDEX sqlite_autoindex_dag_file_1", "uq_dag_file_bundle_name_path", "None by one of None"),
    ),
}


def test_what_people_see_of_dags_is_found_by_key(history: World, store: Database, database_kind: DatabaseKind) -> None:
    """(A8) Also with thousands of DAGs, and many runs of each."""
    number = ("sqlite", "postgres", "mysql").index(database_kind)
    wrong = {}
    for name, (question, expected) in SHOWN.items():
        (plan,) = _plans(store, question)
        if expected[number] not in plan:
            wrong[name] = plan

    assert wrong == {}


def test_tasks_of_a_period_are_counted_run_by_run(history: World, store: Database, database_kind: DatabaseKind) -> None:
    """(A8) Those of runs that ended lately and of active ones; a million older ones cost nothing."""
    ended, queued, running = _plans(store, lambda tx: tx.overview.task_counts(NOW + minutes(1)))
    by_key = {
        "sqlite": "task_instance USING PRIMARY KEY (run_key=?)",
        "postgres": "pk_task_instance",
        "mysql": "task_instance by one of PRIMARY",
    }[database_kind]
    queued_by, running_by = "ix_dag_run_queued", "ix_dag_run_running"
    if database_kind == "mysql":
        queued_by = running_by = "ix_dag_run_state"

    for plan, index in ((ended, "ix_dag_run_ended"), (queued, queued_by), (running, running_by)):
        assert index in plan
        assert by_key in plan
