"""Coming runs of authors' own timetables, deadlines of runs, and runs that are made many at a time (C1, D4, D7)."""

from dataclasses import replace
from datetime import timedelta

from tests.conformance.storage.worlds import JOB, NOW, OTHER_JOB, World, minutes, new_task
from tradewind.model.dag_file import FileName, NewVersion
from tradewind.model.deadline import DeadlineKey, DeadlineRule, DeadlineState, NewDeadline
from tradewind.model.deadline_callback import CallbackEnd, CallbackItem
from tradewind.model.ids import RunKey, VersionKey
from tradewind.model.manual_interval import AskedRun, IntervalQuestion
from tradewind.model.planned_runs import PlannedRuns
from tradewind.model.run import NewRun
from tradewind.model.states import RunState, RunType
from tradewind.model.timetable import DataInterval, RunInfo
from tradewind.storage.database import Database
from tradewind.storage.interface import RunEnd

FILE = FileName("dags", "etl/sales.py")
RULE = DeadlineRule(0, "soon", {}, timedelta(0), "mine.tell", is_async=False, kwargs={})


def new_run(version: VersionKey, run_id: str = "r1", dag_id: str = "sales", **values: object) -> NewRun:
    return NewRun(dag_id, run_id, RunType.MANUAL, NOW, version, **values)  # type: ignore[arg-type]


def run_with_file(store: Database) -> tuple[RunKey, VersionKey]:
    with store.begin() as tx:
        tx.dags.create("sales", is_paused=False, now=NOW)
        version = tx.versions.add([NewVersion("sales", "x", "{}", FILE)], NOW)["sales"]
        return tx.runs.create(new_run(version, logical_date=NOW), NOW), version


def test_coming_runs_are_kept_replaced_and_dropped(world: World, store: Database) -> None:
    world.dag("sales")
    plan = PlannedRuns((RunInfo(NOW, DataInterval(NOW - minutes(5), NOW)), RunInfo(NOW + minutes(1), None)))
    with store.begin() as tx:
        tx.files.add([FILE])
        (file,) = tx.files.of_bundle("dags")
        tx.files.declare({file.key: ["sales", "other"]})
        assert tx.plans.find("sales") is None
        assert tx.plans.planned_in([file.key]) == {}

        tx.plans.put({"sales": PlannedRuns(is_complete=True)}, NOW)
        tx.plans.put({"sales": plan}, NOW)
        tx.plans.put({}, NOW)

        assert tx.plans.find("sales") == plan
        assert tx.plans.planned_in([file.key]) == {file.key: ["sales"]}
        tx.plans.drop(["sales", "other"])
        assert tx.plans.find("sales") is None


def test_what_a_run_by_hand_is_about_is_asked_until_it_is_settled(store: Database) -> None:
    """C1: who was given a question and says nothing is asked again; a run that goes takes its question along."""
    run_key, version = run_with_file(store)
    interval = DataInterval(NOW - minutes(5), NOW)
    with store.begin() as tx:
        other = tx.runs.create(new_run(version, "r2", partition_key="north"), NOW)
        tx.files.add([FILE])
        (file,) = tx.files.of_bundle("dags")
        tx.files.declare({file.key: ["sales"]})
        questions = [
            IntervalQuestion(run_key, "sales", AskedRun(NOW)),
            IntervalQuestion(other, "sales", AskedRun(NOW + minutes(1), is_dated=False, partition_key="north")),
        ]
        for question in questions:
            tx.plans.add_question(question)

        assert tx.plans.questions(["sales", "unknown"]) == questions
        assert tx.plans.files_to_ask(["dags"], NOW) == [file.key]
        assert tx.plans.files_to_ask(["elsewhere"], NOW) == []
        assert tx.plans.ask([], NOW) == {}
        assert tx.plans.ask([file.key], NOW) == {file.key: questions}
        assert tx.plans.files_to_ask(["dags"], NOW) == []
        assert tx.plans.files_to_ask(["dags"], NOW + minutes(1)) == [file.key]

        tx.plans.settle(run_key, interval, NOW)
        tx.plans.settle(other, None, NOW, NOW - minutes(9))

        assert tx.plans.questions(["sales"]) == []
        assert [run.data_interval for run in tx.runs.of_dag("sales")] == [interval, None]
        assert [run.partition_date for run in tx.runs.of_dag("sales")] == [None, NOW - minutes(9)]
        tx.plans.add_question(questions[0])
        tx.dags.delete("sales")
        assert tx.plans.questions(["sales"]) == []


def missed(store: Database, *, is_async: bool = False) -> tuple[RunKey, DeadlineKey]:
    """A deadline whose callback is to be called."""
    run_key, version = run_with_file(store)
    rule = replace(RULE, is_async=is_async)
    with store.begin() as tx:
        tx.deadlines.add([NewDeadline(run_key=run_key, dag_id="sales", rule=rule, due_at=NOW)], version, NOW)
        (due,) = tx.deadlines.due(NOW, 10)
        tx.deadlines.miss([due.key], NOW)
    return run_key, due.key


def test_a_deadline_is_missed_once(store: Database) -> None:
    run_key, version = run_with_file(store)
    ahead = NewDeadline(run_key=run_key, dag_id="sales", rule=RULE, due_at=NOW + minutes(5))
    with store.begin() as tx:
        tx.deadlines.add([ahead], version, NOW)
        assert tx.deadlines.next_due_at() == NOW + minutes(5)
        assert tx.deadlines.due(NOW, 10) == []
        assert tx.deadline_callbacks.waiting(is_async=False, limit=10) == []

        (due,) = tx.deadlines.due(NOW + minutes(5), 10)
        tx.deadlines.miss([due.key], NOW + minutes(6))
        assert tx.deadlines.next_due_at() is None
        assert tx.deadlines.claim(["dags"], 10, JOB, now=NOW, until=NOW + minutes(1)) == []
        assert tx.deadline_callbacks.waiting(is_async=True, limit=10) == []
        (waiting,) = tx.deadline_callbacks.waiting(is_async=False, limit=10)

    assert (waiting.state, waiting.missed_at, waiting.file) == (DeadlineState.PENDING, NOW + minutes(6), FILE)


def test_what_lies_ahead_of_a_run_is_moved_and_what_was_missed_is_not(store: Database) -> None:
    """D4."""
    run_key, late = missed(store)
    with store.begin() as tx:
        version = tx.runs.read([run_key])[0].version_key
        ahead = NewDeadline(run_key=run_key, dag_id="sales", rule=replace(RULE, number=1), due_at=NOW + minutes(5))
        tx.deadlines.add([ahead], version, NOW)
    with store.begin() as tx:
        (locked,) = tx.deadlines.lock_ahead(run_key)
        for key in (late, locked.key):
            tx.deadlines.move(key, NOW + minutes(9))

    with store.begin() as tx:
        assert [each.due_at for each in tx.deadlines.of_run(run_key)] == [NOW, NOW + minutes(9)]


def test_the_callback_of_a_deadline_is_begun_and_ended_by_who_was_given_it_last(store: Database) -> None:
    """D4."""
    run_key, key = missed(store)
    first, second = CallbackItem(key, 1), CallbackItem(key, 2)
    with store.begin() as tx:
        assert tx.deadline_callbacks.begin([first], NOW) == []
        tx.deadline_callbacks.hand_out([key], DeadlineState.QUEUED, NOW + minutes(1))
        assert tx.deadline_callbacks.begin([second], NOW + minutes(1)) == []
        assert tx.deadline_callbacks.lapsed(NOW, 10) == []
        (lapsed,) = tx.deadline_callbacks.lapsed(NOW + minutes(1), 10)
        tx.deadline_callbacks.put_back([lapsed.key])
        tx.deadline_callbacks.hand_out([key], DeadlineState.QUEUED, NOW + minutes(2))
        assert tx.deadline_callbacks.begin([first], NOW + minutes(3)) == []
        (begun,) = tx.deadline_callbacks.begin([second], NOW + minutes(3))
        assert tx.deadline_callbacks.begin([second], NOW + minutes(3)) == []

        tx.deadline_callbacks.renew([first], NOW + minutes(9))
        assert len(tx.deadline_callbacks.lapsed(NOW + minutes(3), 10)) == 1
        tx.deadline_callbacks.renew([second], NOW + minutes(9))
        assert tx.deadline_callbacks.lapsed(NOW + minutes(3), 10) == []
        assert [tx.deadline_callbacks.is_held(item) for item in (first, second)] == [False, True]
        assert not tx.deadline_callbacks.end(CallbackEnd(key, 1, None), DeadlineState.SUCCESS)
        assert tx.deadline_callbacks.end(CallbackEnd(key, 2, "nobody is there", "hello"), DeadlineState.FAILED)
        assert not tx.deadline_callbacks.end(CallbackEnd(key, 2, None), DeadlineState.SUCCESS)
        assert not tx.deadline_callbacks.is_held(second)
        (ended,) = tx.deadlines.of_run(run_key)

    assert (begun.attempts, begun.file) == (2, FILE)
    assert (ended.state, ended.message, ended.output) == (DeadlineState.FAILED, "nobody is there", "hello")
    assert ended.missed_at is not None


def test_a_callback_for_triggerers_is_not_for_workers_and_one_that_nobody_can_call_has_failed(store: Database) -> None:
    """D4."""
    run_key, key = missed(store, is_async=True)
    with store.begin() as tx:
        assert tx.deadline_callbacks.waiting(is_async=False, limit=10) == []
        assert [each.is_async for each in tx.deadline_callbacks.waiting(is_async=True, limit=10)] == [True]
        tx.deadline_callbacks.hand_out([key], DeadlineState.RUNNING, NOW + minutes(1))
        tx.deadline_callbacks.put_back([key])
        tx.deadline_callbacks.refuse(key, "there is no executor 'moon'")
        (refused,) = tx.deadlines.of_run(run_key)

    assert (refused.state, refused.message) == (DeadlineState.FAILED, "there is no executor 'moon'")


def test_what_the_author_could_not_say_is_kept(store: Database) -> None:
    """D4."""
    run_key, version = run_with_file(store)
    asked = NewDeadline(run_key=run_key, dag_id="sales", rule=RULE, due_at=None)
    with store.begin() as tx:
        tx.deadlines.add([asked], version, NOW)
        ((taken, _),) = tx.deadlines.claim(["dags"], 10, JOB, now=NOW, until=NOW + minutes(1))
        tx.deadlines.renew([taken.key], JOB, NOW + minutes(9))
        assert tx.deadlines.claim(["dags"], 10, OTHER_JOB, now=NOW + minutes(2), until=NOW + minutes(3)) == []
        assert not tx.deadlines.end(taken.key, DeadlineState.ASKED, DeadlineState.FAILED, None, OTHER_JOB)
        assert tx.deadlines.end(taken.key, DeadlineState.ASKED, DeadlineState.FAILED, "nobody knows", JOB)
        (ended,) = tx.deadlines.of_run(run_key)

    assert (ended.state, ended.message) == (DeadlineState.FAILED, "nobody knows")


def test_a_deadline_that_the_author_has_to_say_is_taken_again_from_who_fell_silent(store: Database) -> None:
    run_key, version = run_with_file(store)
    asked = NewDeadline(run_key=run_key, dag_id="sales", rule=RULE, due_at=None)
    with store.begin() as tx:
        tx.deadlines.add([asked], version, NOW)
        ((first, _),) = tx.deadlines.claim(["dags"], 10, JOB, now=NOW, until=NOW + minutes(1))
        ((again, _),) = tx.deadlines.claim(["dags"], 10, OTHER_JOB, now=NOW + minutes(1), until=NOW + minutes(2))
        tx.deadlines.resolve(again.key, NOW + minutes(1), JOB)
        tx.deadlines.withdraw(again.key, JOB)
        tx.deadlines.resolve(again.key, NOW + minutes(3), OTHER_JOB)
        tx.deadlines.resolve(again.key, NOW + minutes(9), OTHER_JOB)
        tx.deadlines.withdraw(again.key, OTHER_JOB)
        (known,) = tx.deadlines.of_run(run_key)
        tx.deadlines.delete([again.key])

        assert tx.deadlines.of_run(run_key) == []
    assert (first.attempts, again.attempts) == (0, 1)
    assert (known.state, known.due_at) == (DeadlineState.AHEAD, NOW + minutes(3))


def test_what_the_author_knows_of_no_deadline_is_withdrawn_by_who_has_it(store: Database) -> None:
    run_key, version = run_with_file(store)
    asked = NewDeadline(run_key=run_key, dag_id="sales", rule=RULE, due_at=None)
    with store.begin() as tx:
        tx.deadlines.add([asked], version, NOW)
        ((taken, _),) = tx.deadlines.claim(["dags"], 10, JOB, now=NOW, until=NOW + minutes(1))
        tx.deadlines.withdraw(taken.key, OTHER_JOB)
        assert len(tx.deadlines.of_run(run_key)) == 1
        tx.deadlines.withdraw(taken.key, JOB)

        assert tx.deadlines.of_run(run_key) == []


def test_how_long_the_last_successful_runs_took_is_known(store: Database) -> None:
    run_key, version = run_with_file(store)
    with store.begin() as tx:
        keys = [run_key, *(tx.runs.create(new_run(version, f"r{number}"), NOW) for number in (2, 3))]
        tx.runs.start([(key, None) for key in keys], NOW)
        for number, key in enumerate(keys):
            state = RunState.FAILED if key == keys[-1] else RunState.SUCCESS
            tx.runs.finish([RunEnd(key, state, None)], NOW + minutes(number + 1))

        assert sorted(tx.deadlines.recent_durations("sales", 10)) == [60.0, 120.0]
        assert len(tx.deadlines.recent_durations("sales", 1)) == 1
        assert tx.deadlines.recent_durations("other", 5) == []


def test_many_runs_are_made_at_once_but_for_those_that_exist(world: World, store: Database) -> None:
    versions = {dag_id: world.dag(dag_id) for dag_id in ("a", "b", "c")}
    with store.begin() as tx:
        tx.dags.lock(versions)
        tx.runs.create(new_run(versions["a"], "r1", "a"), NOW)
        tx.runs.create(new_run(versions["b"], "old", "b", logical_date=NOW), NOW)
        wanted = [new_run(version, "r1", dag_id, logical_date=NOW) for dag_id, version in versions.items()]

        made = [(new, [new_task(RunKey(0), "load")._replace(dag_id=new.dag_id)]) for new in wanted]

        assert tx.new_runs.create_untaken([], NOW) == []
        *taken, key = tx.new_runs.create_untaken(made, NOW)

        assert taken == [None, None]
        assert key is not None
        assert [(task.run_key, task.task_id) for task in tx.tasks.of_runs([key])] == [(key, "load")]
        assert tx.new_runs.create_untaken(made, NOW) == [None, None, None]
        (other,) = tx.new_runs.create_many([(new_run(versions["c"], "r2", "c"), [])], NOW)
        assert [run.key for run in tx.runs.of_dag("c")] == [key, other]
