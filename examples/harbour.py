"""Ships come in every five minutes: each is unloaded by a copy of one task, and what they brought is added up.

What to look at: a mapped task, a task that is tried again until it works, and one that runs whatever happened before.
"""

from datetime import timedelta

import pendulum

from tradewind.sdk import dag, get_current_context, task


@dag(
    schedule="*/5 * * * *",
    start_date=pendulum.datetime(2026, 1, 1),
    is_paused_upon_creation=False,
    tags=["example", "mapping"],
)
def harbour():
    @task
    def ships() -> list[dict[str, int | str]]:
        return [{"name": "Albatross", "crates": 12}, {"name": "Pelican", "crates": 30}, {"name": "Tern", "crates": 7}]

    @task(retries=2, retry_delay=timedelta(seconds=2), max_active_tis_per_dagrun=2)  # there are two cranes
    def unload(ship: dict) -> int:
        if ship["name"] == "Pelican" and get_current_context()["ti"].try_number == 1:
            raise RuntimeError("the crane is stuck")
        print(f"{ship['crates']} crates of the {ship['name']}")
        return ship["crates"]

    @task
    def count(crates: list[int]) -> int:
        return sum(crates)

    @task(trigger_rule="all_done")
    def lights_out() -> None:
        print("the harbour sleeps")

    count(unload.expand(ship=ships())) >> lights_out()


harbour()
