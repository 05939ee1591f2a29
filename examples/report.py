"""A report when you ask for one: how much there is to say decides which way it takes.

What to look at: parameters, a branch, a setup and its teardown. Trigger it with `{"pages": 3}`.
"""

from tradewind.sdk import Param, dag, task


@dag(
    schedule=None,
    params={"pages": Param(1, type="integer", minimum=1, maximum=500)},
    is_paused_upon_creation=False,
    tags=["example", "branch"],
)
def report():
    @task
    def open_desk() -> str:
        return "desk 4"

    @task.branch
    def how_long(params: dict) -> str:
        return "write_book" if params["pages"] > 2 else "write_note"

    @task
    def write_note() -> str:
        return "all is well"

    @task
    def write_book(params: dict) -> str:
        return "all is well. " * params["pages"]

    @task(trigger_rule="none_failed_min_one_success")
    def send() -> None:
        print("on its way")

    @task
    def tidy_up(desk: str) -> None:
        print(f"{desk} is free again")

    desk = open_desk()
    choice = how_long()
    sent = send()
    desk >> choice >> [write_note(), write_book()] >> sent
    sent >> tidy_up(desk).as_teardown(setups=desk)


report()
