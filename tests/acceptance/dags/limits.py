"""Limits: pools, priorities, tasks and runs at a time, runs that wait for the one before."""

import time

from airflow.sdk import DAG, task


def brief() -> None:
    """Long enough that two at a time overlap."""
    time.sleep(0.15)


with DAG("pooled", schedule=None, max_active_tasks=100):
    for number in range(10):
        task(task_id=f"weight_{number}", pool="single", priority_weight=number + 1, weight_rule="absolute")(brief)()
    for number in range(8):
        task(task_id=f"narrow_{number}", pool="narrow")(brief)()
    task(task_id="wide", pool="narrow", pool_slots=2)(brief)()

with DAG("two_at_a_time", schedule=None, max_active_tasks=2):
    for number in range(6):
        task(task_id=f"task_{number}")(brief)()

with DAG("one_of_the_task", schedule=None):
    task(task_id="of_all_runs", max_active_tis_per_dag=1)(lambda number: brief()).expand(number=list(range(3)))
    task(task_id="of_this_run", max_active_tis_per_dagrun=2)(lambda number: brief()).expand(number=list(range(4)))

with DAG("one_run_at_a_time", schedule=None, max_active_runs=1):
    task(task_id="only")(brief)()

with DAG("after_the_past", schedule=None):

    @task(depends_on_past=True)
    def steady() -> None:
        brief()

    @task(depends_on_past=True)
    def fails_in_the_second(run_id=None) -> None:
        if run_id.endswith("_1"):
            raise RuntimeError("as it should")

    @task(wait_for_downstream=True)
    def patient() -> None:
        pass

    steady()
    patient() >> fails_in_the_second()
