"""Setups and teardowns, around work that succeeds and fails."""

from airflow.sdk import DAG, setup, task, teardown
from airflow.sdk.exceptions import AirflowSkipException


def failing() -> None:
    raise RuntimeError("as it should")


def skipping() -> None:
    raise AirflowSkipException("as it should")


def passing() -> None:
    pass


def surrounded(dag_id: str, *, before=passing, work=passing, after=passing, **teardown_options: bool) -> None:
    """A DAG of three tasks, and one that follows the work."""
    with DAG(dag_id, schedule=None):
        prepare = setup(task(task_id="prepare")(before))()
        clean_up = teardown(task(task_id="clean_up")(after), **teardown_options)()
        do = task(task_id="work")(work)()
        prepare >> do >> clean_up
        prepare >> clean_up
        do >> task(task_id="follow")(passing)()


surrounded("surrounded_and_well")
surrounded("setup_fails", before=failing)
surrounded("setup_skipped", before=skipping)
surrounded("work_fails", work=failing)
surrounded("work_skipped", work=skipping)
surrounded("teardown_fails", after=failing)
surrounded("teardown_fails_the_run", after=failing, on_failure_fail_dagrun=True)

with DAG("two_setups", schedule=None):
    good, bad = setup(task(task_id="good")(passing))(), setup(task(task_id="bad")(failing))()
    close_good, close_bad = (
        teardown(task(task_id="close_good")(passing))(),
        teardown(task(task_id="close_bad")(passing))(),
    )
    both = task(task_id="both")(passing)()
    good >> close_good
    bad >> close_bad
    [good, bad] >> both >> [close_good, close_bad]

with DAG("teardown_as_context", schedule=None):
    opened = setup(task(task_id="open")(passing))()
    with teardown(task(task_id="close")(passing))().as_teardown(setups=opened):
        task(task_id="first")(passing)() >> task(task_id="second")(failing)() >> task(task_id="third")(passing)()
