"""Tasks whose first try waits for a word of the test, so that the test knows where they are when it strikes.

Each writes down that it began, and takes a lock that the kernel gives to one process only: an attempt beside another
one is seen.
"""

import fcntl
import os
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

from airflow.sdk import DAG, task

FOLDER = Path(os.environ.get("ACCEPTANCE_FOLDER", "/nonexistent"))
AT_ONCE = {"retries": 3, "retry_delay": timedelta(0)}


def note(run_id: str, word: str) -> None:
    """Write down what happens."""
    with (FOLDER / run_id).open("a") as file:
        file.write(f"{word}\n")


def begin(ti) -> None:
    """Take the lock of the task. It is let go when the process ends, however it does."""
    lock = os.open(FOLDER / f"{ti.run_id}.{ti.task_id}.lock", os.O_CREAT | os.O_RDWR)
    try:
        fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        note(ti.run_id, f"TWICE {ti.task_id}")
    note(ti.run_id, f"began {ti.task_id} {ti.try_number} {os.getpid()}")


def wait_for(word: str, ti) -> None:
    """Until the test says so."""
    while not (FOLDER / f"{ti.run_id}.{word}").exists():
        time.sleep(0.01)


with DAG("held", schedule=None, default_args=AT_ONCE):

    @task
    def hold(ti=None) -> int:
        begin(ti)
        if ti.try_number == 1:
            # A program that nobody knows by its environment, its session or its group.
            program = subprocess.Popen(["sleep", "600"], env={}, start_new_session=True)
            print("this was said before it struck")
            note(ti.run_id, f"started {program.pid}")
            wait_for("go", ti)
        return ti.try_number

    hold()

with DAG("held_briefly", schedule=None, default_args={"retries": 0}):

    @task(execution_timeout=timedelta(seconds=1))
    def hold_briefly(ti=None) -> None:
        begin(ti)
        wait_for("go", ti)

    hold_briefly()


def told(context) -> None:
    """A callback that takes its time."""
    note(context["run_id"], f"callback {context['ti'].try_number}")
    if context["ti"].try_number == 1:
        wait_for("go", context["ti"])


with DAG("held_in_callback", schedule=None, default_args=AT_ONCE):

    @task(on_success_callback=told)
    def hold_in_callback(ti=None) -> int:
        begin(ti)
        return ti.try_number

    hold_in_callback()

with DAG("chain", schedule=None, default_args={"retries": 30, "retry_delay": timedelta(0)}):

    @task
    def step(_before, ti=None) -> None:
        begin(ti)
        time.sleep(0.05)

    before = None
    for _ in range(15):
        before = step(before)

EATING = "eaten = [bytearray(10_000_000) for _ in range(200)]"


def eat() -> list:
    """More memory than there is."""
    return [bytearray(10_000_000) for _ in range(200)]


with DAG("starving", schedule=None, default_args={"retry_delay": timedelta(0)}):

    @task(retries=1)
    def eats_all_memory(ti=None) -> int:
        begin(ti)
        if ti.try_number == 1:
            program = subprocess.Popen(["sleep", "600"], env={}, start_new_session=True)
            print("this was said before memory ran out")
            note(ti.run_id, f"started {program.pid}")
            wait_for("eat", ti)
            eat()
        return ti.try_number

    @task(retries=0)
    def starts_a_program_that_eats(ti=None) -> None:
        wait_for("start", ti)
        subprocess.run([sys.executable, "-c", EATING], check=True)

    @task(retries=1)
    def is_killed_by_hand(ti=None) -> None:
        begin(ti)
        if ti.try_number == 1:
            wait_for("go", ti)

    @task(retries=1)
    def works_beside_them(ti=None) -> int:
        begin(ti)
        wait_for("end", ti)
        return ti.try_number

    eats_all_memory(), starts_a_program_that_eats(), is_killed_by_hand(), works_beside_them()
