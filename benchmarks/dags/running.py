"""The DAGs of the benchmark `running`: no-op tasks in a chain, side by side, mapped; short ones; computing ones."""

import time

from airflow.sdk import DAG, chain, task


def fib(n: int) -> int:
    """Slowly, so that there is something to compute."""
    return n if n < 2 else fib(n - 1) + fib(n - 2)


with DAG("chain", schedule=None, catchup=False):

    @task
    def nothing() -> None:
        """Do nothing."""

    chain(*[nothing.override(task_id=f"t{i:03d}")() for i in range(20)])

with DAG("wide", schedule=None, catchup=False, max_active_tasks=500):

    @task
    def no_more() -> None:
        """Do nothing."""

    for i in range(500):
        no_more.override(task_id=f"t{i:04d}")()

with DAG("short", schedule=None, catchup=False):

    @task
    def ten_milliseconds() -> None:
        """Compute for ten milliseconds."""
        deadline = time.perf_counter() + 0.010
        while time.perf_counter() < deadline:
            pass

    chain(*[ten_milliseconds.override(task_id=f"t{i:03d}")() for i in range(40)])

with DAG("computing", schedule=None, catchup=False):

    @task
    def compute() -> int:
        """Take seconds."""
        return fib(33)

    chain(*[compute.override(task_id=f"t{i:03d}")() for i in range(10)])

with DAG("mapped", schedule=None, catchup=False, max_active_tasks=10_000, params={"copies": 10_000}):

    @task
    def numbers(params: dict[str, int] | None = None) -> list[int]:
        """As many as were asked for."""
        return list(range((params or {})["copies"]))

    @task
    def take(number: int) -> None:
        """One of them."""

    take.expand(number=numbers())
