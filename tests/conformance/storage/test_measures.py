"""How much there is of what has not ended (D7)."""

from tests.conformance.storage.worlds import JOB, NOW, OTHER_JOB, World, new_task
from tradewind.model.states import RunState, TaskState
from tradewind.storage.database import Database
from tradewind.telemetry.measurements import FilesMeasured, RunsMeasured, TaskCount


def test_runs_that_have_not_ended_are_counted(world: World, store: Database) -> None:
    world.run("queued")
    world.running("r1"), world.running("r2")
    world.running("r3", dag_id="stock")

    with store.begin() as tx:
        assert tx.measures.runs() == RunsMeasured({RunState.QUEUED: 1, RunState.RUNNING: 3}, dags_running=2)


def test_instances_that_wait_or_are_at_work_are_counted_by_task(world: World, store: Database) -> None:
    run_key = world.running()
    world.tasks([new_task(run_key, "load", index) for index in range(3)])
    for state in (TaskState.RUNNING, TaskState.SUCCESS, TaskState.NONE):
        world.task(state, run_key, state.value)

    with store.begin() as tx:
        assert sorted(tx.measures.tasks()) == [
            TaskCount(TaskState.RUNNING, "default", "sales", "running", 1),
            TaskCount(TaskState.SCHEDULED, "default", "sales", "load", 3),
        ]


def test_what_a_scheduler_has_handed_out_is_counted_by_executor(world: World, store: Database) -> None:
    run_key = world.running()
    world.task(TaskState.QUEUED, run_key, "a")
    world.task(TaskState.QUEUED, run_key, "b", executor="celery")
    world.task(TaskState.RUNNING, run_key, "c")
    world.task(TaskState.SCHEDULED, run_key, "d")

    with store.begin() as tx:
        assert tx.measures.handed_out(OTHER_JOB) == {}
        assert tx.measures.handed_out(JOB) == {
            (None, TaskState.QUEUED): 1,
            ("celery", TaskState.QUEUED): 1,
            (None, TaskState.RUNNING): 1,
        }


def test_dags_are_counted_without_those_that_no_file_has(world: World, store: Database) -> None:
    world.dag("sales"), world.dag("stock")

    with store.begin() as tx:
        assert tx.measures.files() == FilesMeasured(dags=2, failing_files=0)


def test_services_of_every_kind_that_live_are_known(store: Database) -> None:
    with store.begin() as tx:
        alive = [tx.jobs.start(kind, hostname="a", pid=1, now=NOW) for kind in ("scheduler", "triggerer")]
        tx.jobs.stop(tx.jobs.start("scheduler", hostname="b", pid=2, now=NOW), NOW)

        assert sorted(job.job_key for job in tx.jobs.all_live()) == sorted(alive)
