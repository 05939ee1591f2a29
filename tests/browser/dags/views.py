"""What the browser tests of runs and tasks look at."""

import logging
import os
from datetime import datetime
from pathlib import Path

from airflow.sdk import BaseOperator, BaseOperatorLink, dag, get_current_context, task

EVIL = "<img src=x onerror=\"document.title='hacked'\">"
LINES = 20_000


class EvilLink(BaseOperatorLink):
    """Leads nowhere."""

    name = f"Evil {EVIL}"

    def get_link(self, operator: object, *, ti_key: object) -> str:
        return "javascript:document.title='hacked'"


class Templated(BaseOperator):
    """Renders and links what nobody should trust."""

    template_fields = ("command",)
    operator_extra_links = (EvilLink(),)

    def __init__(self, *, command: str, **kwargs: object) -> None:
        super().__init__(**kwargs)
        self.command = command

    def execute(self, context: object) -> dict[str, object]:
        return {"evil": EVIL, "list": [1, 2, {"deep": True}], EVIL: "javascript:document.title='hacked'"}


@dag(schedule=None, start_date=datetime(2026, 1, 1))
def views():
    @task
    def talk() -> None:
        log = logging.getLogger("views")
        print("\x1b[31mred words\x1b[0m and", EVIL)
        print("javascript:document.title='hacked' or https://example.com/page")
        log.warning("be warned")
        log.error("it went wrong")
        for number in range(1, LINES + 1):
            print(f"line {number}")

    @task(map_index_template="{{ name }}")
    def each(name: str) -> None:
        get_current_context()["name"] = name
        if name == "gamma" and not Path(os.environ["BROWSER_GATE"]).with_name("gamma").exists():
            raise RuntimeError("gamma broke")

    @task
    def after() -> None:
        print("after all")

    templated = Templated(task_id="templated", command=f"echo {{{{ dag.dag_id }}}} {EVIL}")
    [talk(), templated] >> each.expand(name=["alpha", "beta", "gamma"]) >> after()


views()
