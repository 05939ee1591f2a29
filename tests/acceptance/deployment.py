"""A whole deployment in a folder of its own: DAG processor, scheduler, and the worker that it starts, as processes."""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final

import psutil

from tests.acceptance.examples import BETWEEN_VARIABLE, DAGS_FOLDER, FOLDER_VARIABLE
from tradewind.bootstrap import Wiring, upgrade, wire
from tradewind.model.ids import UNMAPPED, RunKey
from tradewind.model.inquiry import HumanAnswer, Inquiry
from tradewind.model.json_value import JsonValue
from tradewind.model.pool import Pool
from tradewind.model.run import Run
from tradewind.model.states import FINISHED_RUN_STATES, RunType, TaskState
from tradewind.model.task import TaskInstance
from tradewind.model.task_answers import HITLUserResult
from tradewind.operations.choose_tasks import Selection
from tradewind.operations.inquire import answer_inquiry, find_inquiry
from tradewind.operations.manage_pools import create_pool
from tradewind.operations.mark_state import mark_tasks
from tradewind.operations.structures import Structures
from tradewind.operations.trigger_run import RunRequest, trigger_run
from tradewind.runtime.clock import SystemClock
from tradewind.settings import load_settings
from tradewind.storage.interface import Transaction

COMMAND: Final = (sys.executable, "-m", "tradewind.cli.main")
SERVICES: Final = ("dag-processor", "scheduler")
PATIENCE_S: Final = 60.0
PAUSE_S: Final = 0.02
_PR_SET_CHILD_SUBREAPER: Final = 36
_CLOCK: Final = SystemClock()


def until(is_so: Callable[[], bool], what: str, *, within_s: float = PATIENCE_S) -> None:
    """Look until it is so. The one place of these tests that lets time pass."""
    deadline = _CLOCK.monotonic() + within_s
    while not is_so():
        assert _CLOCK.monotonic() < deadline, f"waited {within_s:.0f} s in vain: {what}"
        _CLOCK.sleep(PAUSE_S)


@dataclass(slots=True)
class Deployment:
    """What tests tell it and see of it."""

    home: Path
    environ: Mapping[str, str]
    wiring: Wiring
    processes: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)
    structures: Structures = field(default_factory=Structures)

    @property
    def notes(self) -> Path:
        """Where the DAGs of `dags/` write."""
        return Path(self.environ[FOLDER_VARIABLE])

    def start(self, service: str) -> None:
        """Start one of its processes; what it says goes to a file."""
        with (self.home / f"{service}.txt").open("ab") as output:
            self.processes[service] = subprocess.Popen(
                [*COMMAND, service], env=dict(self.environ), stdout=output, stderr=output, cwd=self.home
            )

    def stop(self, service: str, number: signal.Signals = signal.SIGTERM) -> int:
        """Stop one of its processes; its exit code."""
        process = self.processes.pop(service)
        process.send_signal(number)
        return process.wait(PATIENCE_S)

    def command(self, *words: str) -> str:
        """What a command of `tradewind` writes; it must not fail."""
        ran = subprocess.run(
            [*COMMAND, *words], env=dict(self.environ), capture_output=True, text=True, check=False, timeout=PATIENCE_S
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    def until(self, is_so: Callable[[], bool], what: str, *, within_s: float = PATIENCE_S) -> None:
        """Look until it is so; a failure shows what the processes said."""
        try:
            until(is_so, what, within_s=within_s)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.said()}") from None

    def said(self) -> str:
        """The last lines of every process."""
        files = sorted([*self.home.glob("*.txt"), *self.home.rglob("worker.log")])
        texts = [(path.name, path.read_text(errors="replace").splitlines()[-30:]) for path in files]
        return "\n".join(f"--- {name}\n" + "\n".join(lines) for name, lines in texts)

    def dag_ids(self) -> list[str]:
        """The DAGs that were read."""
        with self.wiring.database.begin() as tx:
            return [record.dag_id for record in tx.dags.all() if record.version_key is not None]

    def wait_for_files(self, folder: Path) -> None:
        """Until every file of the folder was read, and none is wrong."""
        files = {path.name for path in folder.glob("*.py")}

        def are_read() -> bool:
            with self.wiring.database.begin() as tx:
                errors = tx.files.errors()
                read = {record.file.path for record in tx.dags.all() if record.file is not None}
            assert not errors, errors
            return read >= files

        self.until(are_read, "every DAG file to be read")

    def make_pools(self, pools: Mapping[str, int]) -> None:
        """Pools of these names and sizes."""
        with self.wiring.database.begin() as tx:
            for name, slots in pools.items():
                create_pool(tx, Pool(name, slots))

    def trigger(
        self,
        dag_id: str,
        run_id: str | None = None,
        *,
        logical_date: datetime | None = None,
        conf: JsonValue = None,
        run_type: RunType = RunType.MANUAL,
    ) -> RunKey:
        """Ask for a run."""
        suffix = os.urandom(4).hex()
        request = RunRequest(
            dag_id, run_id or f"asked_{suffix}", run_type=run_type, logical_date=logical_date, conf=conf
        )
        return self.wiring.database.transact(
            lambda tx: trigger_run(tx, request, self.structures, _CLOCK.now(), suffix=suffix)
        ).key

    def run(self, dag_id: str, run_id: str | None = None, *, within_s: float = PATIENCE_S) -> "Ended":
        """Ask for a run, and wait for its end."""
        return self.ended(self.trigger(dag_id, run_id), within_s=within_s)

    def ended(self, run_key: RunKey, *, within_s: float = PATIENCE_S) -> "Ended":
        """The run, once it has ended."""
        self.until(
            lambda: self._read(run_key).state in FINISHED_RUN_STATES,
            f"the end of {self._read(run_key).dag_id}",
            within_s=within_s,
        )
        return self.seen(run_key)

    def seen(self, run_key: RunKey) -> "Ended":
        """The run and its tasks as they are now."""
        with self.wiring.database.begin() as tx:
            (run,) = tx.runs.read([run_key])
            tasks = {label(each): each for each in tx.tasks.instances(run_key)}
            values = {
                (value.task.task_id, value.task.map_index, value.key): value.value for value in tx.xcoms.of_run(run_key)
            }
        return Ended(run, tasks, values)

    def mark_success(self, run_key: RunKey, task_id: str) -> None:
        """Call a task of a run a success."""
        run = self._read(run_key)
        selection = Selection(run.dag_id, run.run_id, (task_id,))
        self.wiring.database.transact(
            lambda tx: mark_tasks(tx, selection, TaskState.SUCCESS, self.structures, _CLOCK.now())
        )

    def answer(
        self, dag_id: str, run_id: str, task_id: str, *chosen: str, map_index: int = UNMAPPED, **form: JsonValue
    ) -> Inquiry:
        """A person called Ann answers what a task asks; what that was."""
        ann = HITLUserResult("ann", "Ann")

        def work(tx: Transaction) -> Inquiry:
            task, inquiry = find_inquiry(tx, dag_id, run_id, task_id, map_index=map_index)
            answer = HumanAnswer(chosen_options=chosen, params_input=form, at=_CLOCK.now(), by=ann)
            answer_inquiry(tx, task, inquiry, answer)
            return inquiry

        return self.wiring.database.transact(work)

    def find(self, dag_id: str, run_id: str) -> RunKey | None:
        """A run that something else asked for."""
        with self.wiring.database.begin() as tx:
            run = tx.runs.find(dag_id, run_id)
        return None if run is None else run.key

    def runs_of(self, dag_id: str) -> list[Run]:
        """The runs that the timetable of a DAG made, in their order."""
        with self.wiring.database.begin() as tx:
            return [run for run in tx.runs.of_dag(dag_id) if run.run_type is RunType.SCHEDULED]

    def _read(self, run_key: RunKey) -> Run:
        with self.wiring.database.begin() as tx:
            (run,) = tx.runs.read([run_key])
        return run


@dataclass(frozen=True, slots=True)
class Ended:
    """A run, its task instances by name, and what they left behind."""

    run: Run
    tasks: Mapping[str, TaskInstance]
    values: Mapping[tuple[str, int, str], JsonValue]

    @property
    def state(self) -> str:
        """Of the run."""
        return self.run.state.value

    @property
    def states(self) -> dict[str, str]:
        """Of its tasks."""
        return {name: task.state.value for name, task in self.tasks.items()}

    @property
    def reasons(self) -> dict[str, str]:
        """Why tasks ended as they did, where they say."""
        return {name: task.reason for name, task in self.tasks.items() if task.reason}

    def value(self, task_id: str, key: str = "return_value", map_index: int = UNMAPPED) -> JsonValue:
        """An XCom."""
        return self.values[task_id, map_index, key]

    def most_at_once(self, prefix: str) -> int:
        """How many tasks whose names begin like this ran at the same time, at most."""
        tasks = [task for name, task in self.tasks.items() if name.startswith(prefix)]
        return most_at_once(tasks)

    def order(self, prefix: str) -> list[str]:
        """The names of these tasks as they were begun."""
        begun = [(task.started_at, name) for name, task in self.tasks.items() if name.startswith(prefix)]
        return [name for started_at, name in sorted(begun, key=lambda pair: str(pair[0])) if started_at is not None]


def most_at_once(tasks: list[TaskInstance]) -> int:
    """How many of these ran at the same time, at most; an end at the moment of a beginning is before it."""
    moments: list[tuple[datetime, int]] = []
    for task in tasks:
        assert task.started_at is not None
        assert task.finished_at is not None
        moments += [(task.started_at, 1), (task.finished_at, -1)]
    most = now = 0
    for _, change in sorted(moments):
        now += change
        most = max(most, now)
    return most


def label(task: TaskInstance) -> str:
    """`load`, or `load[2]`."""
    return task.task_id if task.map_index == UNMAPPED else f"{task.task_id}[{task.map_index}]"


@contextmanager
def deployed(
    home: Path, url: str, *, dags_folder: Path = DAGS_FOLDER, variables: Mapping[str, str]
) -> Iterator[Deployment]:
    """A deployment for as long as the block runs, with more environment `variables`.

    Afterwards not one of its processes may be left.
    """
    notes = home / "notes"
    notes.mkdir(parents=True)
    environ = {
        **os.environ,
        FOLDER_VARIABLE: str(notes),
        BETWEEN_VARIABLE: "0.3",
        "TRADEWIND_HOME": str(home),
        "TRADEWIND__DATABASE__SQL_ALCHEMY_CONN": url,
        "TRADEWIND__CORE__DAGS_FOLDER": str(dags_folder),
        "TRADEWIND__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
        **variables,
    }
    upgrade(url)
    wiring = wire(load_settings(environ))
    deployment = Deployment(home, environ, wiring)
    with _nothing_left(home):
        try:
            for service in SERVICES:
                deployment.start(service)
            yield deployment
        finally:
            _stop(deployment)
            wiring.close()


def _stop(deployment: Deployment) -> None:
    codes = {service: deployment.stop(service) for service in list(deployment.processes)}
    assert codes == dict.fromkeys(codes, 0), deployment.said()


@contextmanager
def _nothing_left(home: Path) -> Iterator[None]:
    """Everything that the block starts is gone after it, by the kernel's own bookkeeping.

    This process is made the parent of all that loses its own. A worker outlives its scheduler on purpose and is told
    to stop here.
    """
    before = {process.pid for process in psutil.Process().children(recursive=True)}
    _homes.append(home)
    _adopt_orphans(True)
    try:
        yield
        left: list[psutil.Process] = []

        def are_gone() -> bool:
            left[:] = _below(before, home)
            return not left

        # The first time it finishes what it has begun, the second time it stops that too.
        for _ in range(2):
            for process in _below(before, home):
                if "worker" in _words(process):
                    process.terminate()
            with suppress(AssertionError):
                until(are_gone, "the end of every process", within_s=PATIENCE_S / 4)
        assert not left, f"processes are left: {[' '.join(_words(each)) for each in left]}"
    finally:
        for process in _below(before, home):
            with suppress(psutil.NoSuchProcess):
                process.kill()
        _homes.remove(home)
        _adopt_orphans(bool(_homes))


_homes: Final[list[Path]] = []
"""Of the deployments that stand at the moment. There is one kernel's bookkeeping for all of them."""
_RESOURCE_TRACKER: Final = "multiprocessing.resource_tracker"
"""Of the process that runs the tests: some other test has started it, and it stays until the end."""


def _below(before: set[int], home: Path) -> list[psutil.Process]:
    """The living processes below this one that were not there before; the dead ones are buried.

    There may be deployments beside this one, which replace their processes at any time: theirs have another home.
    """
    living = []
    for process in psutil.Process().children(recursive=True):
        if process.pid in before or _RESOURCE_TRACKER in _words(process):
            continue
        with suppress(psutil.NoSuchProcess):
            if process.status() != psutil.STATUS_ZOMBIE:
                if _home(process) in (None, str(home)):
                    living.append(process)
            elif process.ppid() == os.getpid():
                with suppress(ChildProcessError):
                    os.waitpid(process.pid, os.WNOHANG)
    return living


def _home(process: psutil.Process) -> str | None:
    try:
        return process.environ().get("TRADEWIND_HOME")
    except psutil.AccessDenied:
        return None


def _words(process: psutil.Process) -> list[str]:
    try:
        return [word for argument in process.cmdline() for word in argument.split()]
    except psutil.Error:
        return []


def _adopt_orphans(is_wanted: bool) -> None:
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, int(is_wanted), 0, 0, 0)
