"""What the browser tests look at."""

import os
from datetime import datetime
from pathlib import Path

from airflow.sdk import dag, task

EVIL = "<img src=x onerror=\"document.title='hacked'\">"


@dag(schedule=None, start_date=datetime(2026, 1, 1), description=f"Greets {EVIL}", tags=["browser", EVIL[:40]])
def greeting():
    @task
    def greet(**context: object) -> str:
        print("hello,", context["params"].get("name", "world"))  # type: ignore[attr-defined]
        print(EVIL)
        return EVIL

    @task
    def wait_for_leave() -> None:
        print("waiting for leave")
        os.mkfifo(gate := Path(os.environ["BROWSER_GATE"]))
        gate.read_text()
        print("it may leave")

    greet() >> wait_for_leave()


@dag(schedule=None, start_date=datetime(2026, 1, 1))
def fragile():
    @task
    def fail_once(**context: object) -> None:
        flag = Path(os.environ["BROWSER_GATE"]).with_name("mended")
        if not flag.exists():
            raise RuntimeError("it broke")

    @task
    def follow() -> None:
        print("followed")

    fail_once() >> follow()


greeting()
fragile()
