"""A file in whose process the system lets nobody fork for a while."""

import errno
import os
from pathlib import Path

from airflow.sdk import DAG, task

FOLDER = Path(os.environ.get("ACCEPTANCE_FOLDER", "/nonexistent"))
really_fork = os.fork


def fork() -> int:
    """As many refusals as the test wants."""
    wanted = FOLDER / "refuse to fork"
    left = int(wanted.read_text() or 0) if wanted.exists() else 0
    if left == 0:
        return really_fork()
    wanted.write_text(str(left - 1))
    raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))


os.fork = fork

with DAG("unforkable", schedule=None):

    @task
    def ordinary() -> str:
        return "done"

    ordinary()
