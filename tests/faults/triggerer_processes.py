"""Triggerers as real processes, and tasks that wait for them without ever having had a worker."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import psutil
import sqlalchemy as sa

from tests.acceptance.deployment import COMMAND, until
from tests.faults.scheduler_process import OPTIONS as SCHEDULER_OPTIONS
from tradewind.bootstrap import wired
from tradewind.model.dag import Dag, Task
from tradewind.model.ids import AttemptKey, JobKey, TaskKey
from tradewind.model.listener_news import Hook
from tradewind.model.states import RunState, TaskState
from tradewind.model.trigger import NewTrigger
from tradewind.operations.publish_dag import publish_dag
from tradewind.operations.structures import Structures
from tradewind.operations.trigger_run import RunRequest, trigger_run
from tradewind.settings import load_settings
from tradewind.storage.database import Database
from tradewind.storage.interface.kept_stores import StoredDeferral
from tradewind.storage.migrate import upgrade
from tradewind.storage.schema import dag_run, task_instance

NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)
CLASSES: Final = Path(__file__).with_name("trigger_classes")
LEASE_S: Final = 1.5
OPTIONS: Final = {
    "TRADEWIND__TRIGGERER__CAPACITY": "2000",
    "TRADEWIND__TRIGGERER__JOB_HEARTBEAT_SEC": "0.3",
    "TRADEWIND__TRIGGERER__MAX_TRIGGER_TO_SELECT_PER_LOOP": "500",
    "TRADEWIND__TRIGGERER__QUARANTINE_AFTER_SECONDS": "1",
    "TRADEWIND__TRIGGERER__RUNNER_HEALTH_CHECK_THRESHOLD": "3",
    "TRADEWIND__TRIGGERER__TRIGGERER_HEALTH_CHECK_THRESHOLD": str(LEASE_S),
}


@dataclass
class Waiters:
    """Tasks that wait, and the processes that are there for them."""

    url: str
    home: Path
    database: Database
    processes: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)

    def wait(self, classes: Mapping[str, str], *, queue: str | None = None) -> None:
        """Tasks of these names wait, each for a trigger of `trigger_classes/unruly.py`; those that come later weigh
        more."""
        kwargs = json.dumps({"folder": str(self.home)})
        with self.database.begin() as tx:
            tasks = tuple(Task(name) for name in classes)
            publish_dag(tx, Dag("waits", tasks=tasks, max_active_tasks=5000), NOW, is_paused_by_default=False)
            run = trigger_run(tx, RunRequest("waits", run_id="r1"), Structures(), NOW, suffix="abcdefgh")
            tx.connection.execute(
                sa.update(task_instance).values(
                    state=TaskState.DEFERRED.value, attempt=1, try_number=1, queued_at=NOW, started_at=NOW
                )
            )
            tx.connection.execute(sa.update(dag_run).values(state=RunState.RUNNING.value, started_at=NOW))
            attempts = {name: AttemptKey(run.key, name, -1, 1) for name in classes}
            weigh = sa.update(task_instance).where(task_instance.c.task_id == sa.bindparam("name"))
            tx.connection.execute(
                weigh.values(priority_weight=sa.bindparam("weight")),
                [{"name": name, "weight": weight} for weight, name in enumerate(classes)],
            )
            tx.deferrals.put(
                [StoredDeferral(attempt=each, next_method="go_on", created_at=NOW) for each in attempts.values()]
            )
            tx.triggers.add(
                [
                    NewTrigger(
                        attempt=attempts[name],
                        class_path=path if "." in path else f"unruly.{path}",
                        kwargs=kwargs,
                        is_encrypted=False,
                        created_at=NOW,
                        queue=queue,
                    )
                    for name, path in classes.items()
                ]
            )

    def start(self, name: str, options: Mapping[str, str] | None = None, words: Sequence[str] = ()) -> psutil.Process:
        """A triggerer, with a home of its own, and with these words in its command."""
        environ = {
            **os.environ,
            **OPTIONS,
            **(options or {}),
            "PYTHONPATH": str(CLASSES),
            "TRADEWIND_HOME": str(self.home / name),
            "TRADEWIND__DATABASE__SQL_ALCHEMY_CONN": self.url,
        }
        (self.home / name).mkdir(exist_ok=True)
        with (self.home / f"{name}.txt").open("ab") as output:
            command = [*COMMAND, "triggerer", *words]
            self.processes[name] = subprocess.Popen(command, env=environ, stdout=output, stderr=output)
        return psutil.Process(self.processes[name].pid)

    def start_scheduler(self) -> None:
        """Its executor ends each attempt at once, and writes it down."""
        command = [sys.executable, "-m", "tests.faults.scheduler_process", self.url, str(self.home)]
        # So many at once that no time goes by with handing out a few at a time.
        options = {**SCHEDULER_OPTIONS, "TRADEWIND__CORE__PARALLELISM": "500"}
        self.processes["scheduler"] = subprocess.Popen(command, env={**os.environ, **options})

    def kill(self, name: str) -> None:
        """With no chance to say a word."""
        process = self.processes.pop(name)
        process.kill()
        process.wait()

    def stop(self, name: str) -> int:
        """In good order."""
        process = self.processes.pop(name)
        process.terminate()
        return process.wait(30)

    def said(self, name: str) -> str:
        """What a triggerer wrote so far."""
        return (self.home / f"{name}.txt").read_text(errors="replace")

    def noted(self, what: str) -> dict[int, list[str]]:
        """The tasks for which triggers noted this, by process."""
        found = {}
        for path in self.home.glob(f"{what}.*"):
            found[int(path.suffix[1:])] = path.read_text().splitlines()
        return found

    def wait_for_runner(self, count: int, *, but: Sequence[int] = ()) -> int:
        """The process in which that many triggers were started, none of these."""
        found: list[int] = []

        def is_there() -> bool:
            found[:] = [
                pid for pid, names in self.noted("started").items() if pid not in but and len(set(names)) == count
            ]
            return bool(found)

        self.until(is_there, f"{count} triggers to run in a new process; there are {self._counts()}", within_s=180)
        return found[0]

    def ring(self) -> None:
        """Let all patient triggers fire."""
        (self.home / "bell").touch()

    def until(self, is_so: Callable[[], bool], what: str, *, within_s: float = 60.0) -> None:
        """Look until it is so; a failure shows what the processes said."""
        try:
            until(is_so, what, within_s=within_s)
        except AssertionError as error:
            said = "\n".join(path.read_text(errors="replace")[-3000:] for path in self.home.glob("*.txt"))
            raise AssertionError(f"{error}\n{said}") from None

    def states(self) -> Counter[str]:
        """How many tasks are in which state."""
        counted = sa.select(task_instance.c.state, sa.func.count()).group_by(task_instance.c.state)
        with self.database.begin() as tx:
            return Counter({row[0]: row[1] for row in tx.connection.execute(counted)})

    def goes_on_with(self, task_id: str) -> tuple[str, object] | None:
        """The method and the arguments with which a task goes on; None: it waits."""
        with self.database.begin() as tx:
            (run,) = tx.runs.of_dag("waits")
            key = TaskKey(run.key, task_id)
            (snapshot,) = tx.tasks.snapshots([key])
            stored = tx.deferrals.of_tasks([key])[key]
        return None if snapshot.state is TaskState.DEFERRED else (stored.next_method, stored.next_kwargs)

    def attempts(self) -> list[tuple[str, int]]:
        """Each task that a scheduler handed out, and the number of its attempt."""
        lines = [line for path in self.home.glob("*.journal") for line in path.read_text().splitlines()]
        return [(line.split()[1], int(line.split()[3])) for line in lines]

    def log(self, task_id: str) -> str:
        """What all triggerers wrote into the log of a task."""
        paths = self.home.glob(f"*/logs/dag_id=waits/run_id=r1/task_id={task_id}/*.log")
        return "\n".join(str(json.loads(line)["event"]) for path in paths for line in path.read_text().splitlines())

    def call_off(self, *task_ids: str, kills: bool) -> None:
        """These tasks wait no longer; with `kills`, because a person stopped them. The triggerer `one` hears of it."""
        environ = {"TRADEWIND_HOME": str(self.home / "one"), "TRADEWIND__DATABASE__SQL_ALCHEMY_CONN": self.url}
        with wired(load_settings(environ)) as wiring, wiring.database.begin() as tx:
            (run,) = tx.runs.of_dag("waits")
            of = task_instance.c.task_id.in_(task_ids)
            tx.connection.execute(sa.update(task_instance).where(of).values(state=TaskState.FAILED.value))
            tx.triggers.call_off([TaskKey(run.key, name) for name in task_ids], kills=kills)

    def listen(self, *hooks: Hook) -> None:
        """As if a plugin wanted to hear of it."""
        with self.database.begin() as tx:
            tx.bundles.sync(["dags"])
            tx.bundles.set_hooks("dags", hooks)

    def news(self, kind: str) -> list[str]:
        """What listeners are to be told of services of that kind."""
        with self.database.begin() as tx:
            taken = tx.news.claim(tuple(Hook), 100, JobKey(0), now=NOW, until=NOW)
            return [each.news.hook.value for each in taken if each.news.facts["kind"] == kind]

    def stored_triggers(self) -> int:
        """How many there are."""
        with self.database.begin() as tx:
            return len(tx.triggers.sealed())

    def _counts(self) -> dict[int, int]:
        return {pid: len(names) for pid, names in self.noted("started").items()}


@contextmanager
def waiters(url: str, home: Path) -> Iterator[Waiters]:
    """A database, and processes for as long as the block runs."""
    upgrade(url)
    made = Waiters(url, home, Database(url))
    try:
        yield made
    finally:
        for process in made.processes.values():
            process.send_signal(signal.SIGCONT)
            process.kill()
            process.wait()
        made.database.close()
