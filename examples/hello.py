"""Says hello every minute. The first DAG of the README."""

import pendulum

from tradewind.sdk import dag, task


@dag(schedule="* * * * *", start_date=pendulum.datetime(2026, 1, 1), is_paused_upon_creation=False, tags=["example"])
def hello():
    @task
    def name() -> str:
        return "world"

    @task.bash
    def greet(who: str) -> str:
        return f"echo hello {who}"

    greet(name())


hello()
