"""What goes in comes out: names, instants, numbers and texts of every kind (D7)."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from tests.conformance.storage.worlds import JOB, NOW, World, new_task, scheduled
from tradewind.model.ids import JobKey, TaskKey
from tradewind.model.states import TaskState
from tradewind.model.task import Started
from tradewind.storage.database import Database
from tradewind.storage.interface import AttemptEnd

NAMES = [
    "load",
    "Load",
    "LOAD",
    "lóad",
    "\N{FULLWIDTH LATIN SMALL LETTER L}oad",
    " load",
    "load🚀",
    "загрузка",
    "a'b\"c\\d%s:x",
    "ß",
    "ss",
]


@pytest.mark.parametrize("name", ["x" * 250, "🚀" * 250], ids=["ascii", "emoji"])
def test_a_name_may_have_250_characters_of_any_kind(world: World, name: str) -> None:
    run_key = world.running(name, name)

    attempt = world.task(TaskState.RUNNING, run_key, name, dag_id=name, pool=name, queue=name)

    task = world.instance(attempt)
    assert (task.task_id, task.dag_id, task.run_id, task.pool, task.queue) == (name,) * 5


def test_names_that_look_alike_are_different_dags(store: Database) -> None:
    with store.begin() as tx:
        for name in NAMES:
            tx.dags.create(name, is_paused=False, now=NOW)

    with store.begin() as tx:
        assert {dag.dag_id for dag in tx.dags.all()} == set(NAMES)
        for name in NAMES:
            assert [dag.dag_id for dag in tx.dags.lock([name])] == [name]


def test_names_that_look_alike_are_different_tasks_in_one_batch(world: World, store: Database) -> None:
    run_key = world.running()
    tasks = [new_task(run_key, name) for name in NAMES]
    with store.begin() as tx:
        tx.tasks.create(tasks)

        moved = tx.tasks.advance([scheduled(task) for task in tasks[::2]], NOW)

        assert {key.task_id for key in moved} == set(NAMES[::2])
        states = {task.task_id: task.state for task in tx.tasks.of_runs([run_key])}
    expected = {name: TaskState.NONE if number % 2 else TaskState.SCHEDULED for number, name in enumerate(NAMES)}
    assert states == expected


@pytest.mark.parametrize(
    "instant",
    [
        datetime(2026, 3, 1, 12, 0, 0, 1, tzinfo=UTC),
        datetime(2026, 3, 1, 12, 0, 0, 999_999, tzinfo=UTC),
        datetime(2026, 3, 1, 12, 0, tzinfo=UTC),
        datetime(1970, 1, 1, tzinfo=UTC),
        datetime(1900, 2, 28, 23, 59, 59, 999_999, tzinfo=UTC),
        datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
        datetime(2026, 10, 25, 2, 30, tzinfo=timezone(timedelta(hours=2))),
        datetime(2026, 7, 1, 23, 30, tzinfo=timezone(timedelta(hours=-9, minutes=-30))),
    ],
    ids=str,
)
def test_instants_keep_their_microseconds_and_come_back_in_utc(
    world: World, store: Database, instant: datetime
) -> None:
    """Once as a parameter (the run) and once within a batch (the task): both ways lead to the same instant."""
    run_key = world.running("r1", run_after=instant)
    attempt = world.task(TaskState.QUEUED, run_key)
    with store.begin() as tx:
        assert tx.attempts.start([Started(attempt, instant)], instant)

    task, run = world.instance(attempt), world.find("r1")
    assert task.started_at == task.heartbeat_at == run.run_after == instant
    assert [found and found.utcoffset() for found in (task.started_at, run.run_after)] == [timedelta(0)] * 2


def test_instants_are_compared_as_instants_however_they_were_written(world: World, store: Database) -> None:
    run_key = world.running()
    in_tokyo = NOW.astimezone(timezone(timedelta(hours=9)))
    world.task(TaskState.UP_FOR_RETRY, run_key, "due", wake_at=in_tokyo)
    world.task(TaskState.UP_FOR_RETRY, run_key, "next", wake_at=in_tokyo + timedelta(microseconds=1))

    with store.begin() as tx:
        assert [key.task_id for key in tx.attempts.due(NOW, 10)] == ["due"]
        assert tx.attempts.next_wake_at() == NOW


def test_a_naive_datetime_is_refused_as_a_parameter_and_in_a_batch(world: World, store: Database) -> None:
    attempt = world.task(TaskState.QUEUED, world.running())
    naive = NOW.replace(tzinfo=None)

    with pytest.raises(Exception, match="naive datetime cannot be stored"), store.begin() as tx:
        tx.dags.create("sales 2", is_paused=False, now=naive)
    with pytest.raises(ValueError, match="naive datetime cannot be stored"), store.begin() as tx:
        tx.attempts.start([Started(attempt, naive)], NOW)

    assert world.state(attempt) is TaskState.QUEUED


@pytest.mark.parametrize("weight", [-(2**31), -1, 0, 2**31 - 1])
def test_32_bit_numbers_keep_their_ends(world: World, weight: int) -> None:
    attempt = world.task(TaskState.NONE, world.running(), priority_weight=weight, map_index=2**31 - 1)

    assert world.instance(attempt).priority_weight == weight


@pytest.mark.parametrize("number", [2**31, 2**53 + 1, 2**63 - 1])
def test_64_bit_numbers_keep_their_last_digit(world: World, store: Database, number: int) -> None:
    """Batches travel as JSON on two of the databases, where numbers like to become floats."""
    run_key = world.running()
    task = new_task(run_key)
    world.tasks([task], turn=number)
    job = JobKey(number)

    with store.begin() as tx:
        (waiting,) = tx.queue.waiting("default_pool", 1)
        assert waiting.queue_turn == number
        assert tx.queue.admit([waiting], job, NOW) == {waiting.key}
        assert tx.queue.slots_in_use(job).held == 1
        assert tx.queue.adopt([(instance.attempt_key, job) for instance in tx.queue.held_by_dead([])], JOB) == {
            waiting.key
        }


@pytest.mark.parametrize(
    "reason",
    ["", "x" * 100_000, "Fehler: ü🚀\r\n\t'\"\\ %s :batch $[0]" * 2_500, '{"looks": "like JSON"}', "\u2028\ufeff\x01"],
    ids=["empty", "100 kB", "100 kB of oddities", "JSON", "control characters"],
)
def test_reasons_of_any_length_and_content_are_kept(world: World, store: Database, reason: str) -> None:
    attempt = world.task(TaskState.RUNNING, world.running())
    with store.begin() as tx:
        tx.attempts.end([AttemptEnd(attempt, TaskState.FAILED, NOW, reason=reason)])
        tx.tasks.set_notes([attempt.task], reason)

    task = world.instance(attempt)
    assert (task.reason, task.note) == (reason, reason)


@pytest.mark.parametrize(
    ("reason", "kept"), [("a\0b", "a\N{REPLACEMENT CHARACTER}b"), ("a\udc80b", "a?b")], ids=["zero byte", "surrogate"]
)
def test_a_failure_is_stored_even_if_its_reason_has_what_no_database_takes(
    world: World, store: Database, reason: str, kept: str
) -> None:
    attempt = world.task(TaskState.RUNNING, world.running())

    with store.begin() as tx:
        end = AttemptEnd(attempt, TaskState.FAILED, NOW, reason=reason)
        assert tx.attempts.end([end]) == {attempt.task}
        tx.tasks.set_notes([attempt.task], reason)
        tx.dags.set_error("sales", reason)

    task = world.instance(attempt)
    assert (task.state, task.reason, task.note) == (TaskState.FAILED, kept, kept)


def test_many_skips_are_kept_in_their_order(world: World, store: Database) -> None:
    attempt = world.task(TaskState.RUNNING, world.running())
    skips = tuple(f"tâsk {number} 🚀" for number in range(2_000))

    with store.begin() as tx:
        tx.attempts.end([AttemptEnd(attempt, TaskState.SUCCESS, NOW, skips=skips)])
        (snapshot,) = tx.tasks.snapshots([attempt.task])

    assert snapshot.skips == skips


def test_a_key_with_the_same_name_in_another_run_or_map_index_is_another(world: World, store: Database) -> None:
    first, second = world.running("r1"), world.running("r2")
    keys = [
        world.task(TaskState.SCHEDULED, run_key, map_index=index).task
        for run_key in (first, second)
        for index in (0, 1)
    ]

    with store.begin() as tx:
        assert tx.tasks.hold([keys[0], keys[3]]) == {keys[0], keys[3]}
        assert {task.key for task in tx.queue.waiting("default_pool", 9)} == {keys[1], keys[2]}
        assert tx.tasks.hold([TaskKey(first, "load")]) == set()
