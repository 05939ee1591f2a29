"""A file that cannot be imported once for all: its import starts a thread that later forks would lack."""

import os
import subprocess
import threading
import time

from airflow.sdk import DAG, task

IMPORTED_BY = os.getpid()
HEARD = threading.Event()


def answer() -> None:
    """Tell whoever asks that the thread is there."""
    while True:
        HEARD.set()
        time.sleep(0.01)


threading.Thread(target=answer, daemon=True).start()

with DAG("alone", schedule=None):

    @task
    def has_its_thread() -> bool:
        HEARD.clear()
        return HEARD.wait(30)

    @task
    def has_imported_its_file_itself() -> bool:
        return os.getpid() == IMPORTED_BY

    @task
    def leaves_a_program() -> int:
        return subprocess.Popen(["sleep", "600"], env={}, start_new_session=True).pid

    @task
    def kills_itself() -> None:
        os.kill(os.getpid(), 9)

    has_its_thread(), has_imported_its_file_itself(), leaves_a_program(), kills_itself()
