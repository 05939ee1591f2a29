"""A machine with a real supervisor, and tasks that run until their file appears."""

import fcntl
import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tests.conformance.executors.places import until
from tradewind.bootstrap import Wiring, make_scheduler
from tradewind.cli.main import main
from tradewind.model.ids import AttemptKey
from tradewind.model.states import TaskState
from tradewind.model.task import TaskInstance, WorkItem
from tradewind.operations.structures import Structures
from tradewind.operations.trigger_run import RunRequest, trigger_run
from tradewind.runtime.socket_folder import worker_folder
from tradewind.testing.executor import KeepingExecutor, KeptWork
from tradewind.wire.frames import pack
from tradewind.wire.work import Stop, WorkKind

DAG_FILE = """
import pathlib
import time

from tradewind.sdk import dag, task

ENDS = pathlib.Path({ends!r})


@dag(schedule=None, is_paused_upon_creation=False, max_active_tasks=100)
def waiting():
    for number in range({count}):

        @task(task_id=f"t{{number}}")
        def wait(name):
            while not (ENDS / name).exists():
                time.sleep(0.01)

        wait(f"t{{number}}")


waiting()
"""


class SupervisedMachine:
    """A deployment whose tasks were admitted, and wait to be handed to an executor."""

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring
        self._home = wiring.settings.home
        self._ends = self._home / "ends"
        self._ends.mkdir()

    def admitted(self, count: int) -> list[WorkItem]:
        """Attempts of a new run with so many tasks, that no executor has been given."""
        (self._home / "dags").mkdir()
        text = DAG_FILE.format(ends=str(self._ends), count=count)
        (self._home / "dags" / "waiting.py").write_text(text, encoding="utf-8")
        assert main(["dag-processor", "--num-runs", "1"]) == 0
        now = self._wiring.clock.now()
        request = RunRequest("waiting", run_id="the_run")
        self._wiring.database.transact(lambda tx: trigger_run(tx, request, Structures(), now, suffix=""))
        kept = KeptWork()
        scheduler = make_scheduler(self._with_room_for(count), [KeepingExecutor("LocalExecutor", kept, list)])
        scheduler.start()
        while scheduler.run_once():
            pass
        return kept.take()

    def _with_room_for(self, count: int) -> Wiring:
        settings = self._wiring.settings
        return replace(self._wiring, settings=replace(settings, core=replace(settings.core, parallelism=count)))

    def let_end(self, *items: WorkItem) -> None:
        """Let these come to their end."""
        for item in items:
            (self._ends / item.attempt.task_id).touch()

    def tasks(self) -> dict[str, TaskInstance]:
        """As the engine knows them."""
        with self._wiring.database.begin() as tx:
            run = tx.runs.find("waiting", "the_run")
            assert run is not None
            return {task.task_id: task for task in tx.tasks.instances(run.key)}

    def states(self, items: list[WorkItem]) -> list[TaskState]:
        """In the order of the items."""
        tasks = self.tasks()
        return [tasks[item.attempt.task_id].state for item in items]

    def until_states(self, items: list[WorkItem], expected: list[TaskState], beside: Callable[[], object]) -> None:
        """Wait for these states, calling `beside` as a scheduler would."""
        seen: list[TaskState] = []

        def are_there() -> bool:
            beside()
            seen[:] = self.states(items)
            return seen == expected

        until(are_there, f"the tasks are {expected}", lambda: f"they are {seen}")

    def worker_pid(self, attempt: AttemptKey) -> int:
        """Of the supervisor that runs it."""
        with self._wiring.database.begin() as tx:
            (record,) = tx.jobs.live("worker")
        assert self.tasks()[attempt.task_id].worker == record.job_key
        return record.pid


def stop_worker(home: Path, executor: str) -> None:
    """End the supervisor of an executor, if there is one, with all it has, and wait for it."""
    folder = worker_folder(home, executor)
    if not folder.exists():
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        try:
            connection.connect(str(folder / "socket"))
        except OSError:
            pass
        else:
            connection.sendall(pack(WorkKind.STOP, Stop(kills=True)))
    until(lambda: is_free(folder / "lock"), "the supervisor is gone")


def is_free(lock: Path) -> bool:
    """Whether nobody holds it."""
    with lock.open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
