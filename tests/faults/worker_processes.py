"""A deployment whose processes are killed and frozen, and what its tasks wrote down."""

import os
import shutil
import signal
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import psutil

from tests.acceptance.deployment import Deployment, Ended, deployed
from tradewind.model.ids import RunKey

DAGS: Final = Path(__file__).with_name("dags")
HEARTBEAT_TIMEOUT_S: Final = 6.0
CALM: Final = {
    "CORE__KILLED_TASK_CLEANUP_TIME": "2",
    "LOGGING__TASK_LOG_LIMIT_MB": "10",
    "SCHEDULER__TASK_INSTANCE_HEARTBEAT_SEC": "1",
}
ALERT: Final = {
    **CALM,
    "SCHEDULER__JOB_HEARTBEAT_SEC": "0.3",
    "SCHEDULER__ORPHANED_TASKS_CHECK_INTERVAL": "0.5",
    "SCHEDULER__SCHEDULER_HEALTH_CHECK_THRESHOLD": "2",
    "SCHEDULER__SCHEDULER_IDLE_SLEEP_TIME": "0.1",
    "SCHEDULER__TASK_INSTANCE_HEARTBEAT_SEC": "0.5",
    "SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT": str(HEARTBEAT_TIMEOUT_S),
    "SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT_DETECTION_INTERVAL": "0.3",
    "TRIGGERER__JOB_HEARTBEAT_SEC": "0.5",
    "TRIGGERER__TRIGGERER_HEALTH_CHECK_THRESHOLD": "3",
}

Victim = Literal["child", "zygote", "nursery", "supervisor"]
_GENERATIONS: Final[tuple[Victim, ...]] = ("child", "zygote", "nursery", "supervisor")


@dataclass(frozen=True, slots=True)
class Began:
    """A try of a task began, in that process."""

    task_id: str
    try_number: int
    pid: int


@dataclass(slots=True)
class Trial:
    """One run of a DAG that is troubled."""

    deployment: Deployment
    run_id: str
    key: RunKey

    def notes(self) -> list[str]:
        """What its tasks wrote down, line by line."""
        file = self.deployment.notes / self.run_id
        return file.read_text().splitlines() if file.exists() else []

    def began(self) -> list[Began]:
        """The tries that began, in order; none of them beside another one of its task."""
        notes = self.notes()
        assert not [line for line in notes if line.startswith("TWICE")], notes
        words = [line.split() for line in notes if line.startswith("began ")]
        return [Began(task_id, int(try_number), int(pid)) for _, task_id, try_number, pid in words]

    def wait_for_begin(self, count: int = 1) -> Began:
        """The try that began as the so-manieth."""
        self.deployment.until(lambda: len(self.began()) >= count, f"try {count} of {self.run_id} to begin")
        return self.began()[count - 1]

    def program(self) -> int:
        """The program that the first try of `held` has started, once it has."""
        self.deployment.until(lambda: any(line.startswith("started ") for line in self.notes()), "a program to start")
        return next(int(line.split()[1]) for line in self.notes() if line.startswith("started "))

    def wait_for_note(self, note: str) -> None:
        """Until a task wrote that down."""
        self.deployment.until(lambda: note in self.notes(), f"{note!r} of {self.run_id}")

    def say(self, word: str) -> None:
        """Let what waits for that word go on."""
        (self.deployment.notes / f"{self.run_id}.{word}").touch()

    def ended(self) -> Ended:
        """The run, once it has ended."""
        return self.deployment.ended(self.key)

    def log(self, task_id: str, try_number: int = 1) -> str:
        """All that the log of a try has, as it is stored."""
        return log_path(self.deployment, self.ended().run.dag_id, self.run_id, task_id, try_number).read_text()


def log_path(deployment: Deployment, dag_id: str, run_id: str, task_id: str, try_number: int = 1) -> Path:
    """Where the log of a try lies."""
    folder = deployment.home / "logs" / f"dag_id={dag_id}" / f"run_id={run_id}" / f"task_id={task_id}"
    return folder / f"attempt={try_number}.log"


def trial(deployment: Deployment, dag_id: str, name: str) -> Trial:
    """A run of that DAG, with a name that no other has."""
    run_id = f"{name}_{os.urandom(3).hex()}"
    return Trial(deployment, run_id, deployment.trigger(dag_id, run_id))


def ancestor(child: int, who: Victim) -> psutil.Process:
    """The process of an attempt, or one of those above it."""
    process = psutil.Process(child)
    for _ in range(_GENERATIONS.index(who)):
        parent = process.parent()
        assert parent is not None
        process = parent
    # Where one between them is gone already, the count leads past the deployment: to this process, or beyond.
    assert os.getpid() in [each.pid for each in process.parents()], f"{process} is none of ours"
    return process


def wait_for_end_of(deployment: Deployment, pid: int) -> None:
    """Until a process is no more."""
    deployment.until(lambda: not is_alive(pid), f"the end of process {pid}")


def is_alive(pid: int) -> bool:
    """Whether it runs, or could."""
    with suppress(psutil.NoSuchProcess):
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    return False


@contextmanager
def frozen(deployment: Deployment, process: psutil.Process) -> Iterator[None]:
    """A process stands still within the block, and not in the middle of a transaction.

    SQLite has one writer at a time. If that one stands still so does everybody, and nothing would be seen here.
    """
    url = deployment.wiring.settings.database.sql_alchemy_conn
    deployment.until(lambda: is_frozen_alone(url, process), f"{process} to be frozen alone")
    try:
        yield
    finally:
        with suppress(psutil.NoSuchProcess):
            process.send_signal(signal.SIGCONT)


def is_frozen_alone(url: str, process: psutil.Process) -> bool:
    """Whether a process that is told to stand still keeps nobody from this database. Else it runs on."""
    process.send_signal(signal.SIGSTOP)
    if not url.startswith("sqlite"):
        return True
    try:
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None, timeout=1)) as connection:
            connection.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError:
        process.send_signal(signal.SIGCONT)
        return False
    return True


@contextmanager
def troubled(home: Path, url: str, options: Mapping[str, str]) -> Iterator[Deployment]:
    """A deployment with the DAGs of `dags/`. With the options `ALERT` it notices soon what falls silent."""
    folder = home / "dags"
    shutil.copytree(DAGS, folder, ignore=shutil.ignore_patterns("ruff.toml", "__pycache__"))
    variables = {f"TRADEWIND__{name}": value for name, value in options.items()}
    with deployed(home, url, dags_folder=folder, variables=variables) as made:
        made.wait_for_files(folder)
        yield made
