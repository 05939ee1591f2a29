"""Several schedulers as real processes on servers that several may use; some of them are killed."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.databases import DatabaseKind
from tradewind.model.dag import Dag, Task
from tradewind.model.pool import Pool
from tradewind.model.run import Run
from tradewind.model.states import FINISHED_RUN_STATES, OCCUPYING_STATES, RunState, TaskState
from tradewind.operations.manage_pools import create_pool
from tradewind.operations.publish_dag import publish_dag
from tradewind.operations.structures import Structures
from tradewind.operations.trigger_run import RunRequest, trigger_run
from tradewind.storage.database import Database
from tradewind.storage.migrate import upgrade
from tradewind.storage.transaction import SqlTransaction

NOW = datetime(2026, 1, 1, tzinfo=UTC)
PATIENCE_S = 60.0
POOL_SLOTS = 5
MAX_ACTIVE_TASKS = 3
MAX_ACTIVE_RUNS = 2

servers = pytest.mark.parametrize("database_kind", ["postgres", "mysql"], indirect=True)


@dataclass
class Cluster:
    """Schedulers on one database."""

    url: str
    home: Path
    database: Database
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self, **options: str) -> subprocess.Popen[bytes]:
        """`options`: in place of the usual ones, by the names of variables."""
        command = [sys.executable, "-m", "tests.faults.scheduler_process", self.url, str(self.home)]
        process = subprocess.Popen(command, env={**os.environ, **options})
        self.processes.append(process)
        return process

    def runs(self) -> list[Run]:
        with self.database.begin() as tx:
            return [run for record in tx.dags.all() for run in tx.runs.of_dag(record.dag_id)]

    def attempts(self) -> list[tuple[str, ...]]:
        """(run, task, map index, attempt, try) of everything that any scheduler's executor was given."""
        journals = sorted(self.home.glob("*.journal"))
        return [tuple(line.split()) for journal in journals for line in journal.read_text().splitlines()]


@pytest.fixture
def cluster(database_kind: DatabaseKind, database_url: str, tmp_path: Path) -> Iterator[Cluster]:
    upgrade(database_url)
    cluster = Cluster(database_url, tmp_path, Database(database_url))
    yield cluster
    for process in cluster.processes:
        process.kill()
        process.wait()
    cluster.database.close()


def chains(count: int, length: int) -> list[Dag]:
    return [
        Dag(
            f"chain_{number}",
            max_active_tasks=MAX_ACTIVE_TASKS,
            max_active_runs=MAX_ACTIVE_RUNS,
            tasks=tuple(
                Task(f"t{i}", upstream=(f"t{i - 2}",) if i > 1 else (), pool="narrow" if i % 3 else "default_pool")
                for i in range(length)
            ),
        )
        for number in range(count)
    ]


def submit(cluster: Cluster, dags: list[Dag], runs_each: int) -> int:
    structures = Structures()
    with cluster.database.begin() as tx:
        create_pool(tx, Pool("narrow", POOL_SLOTS))
        for dag in dags:
            publish_dag(tx, dag, NOW, is_paused_by_default=False)
            for number in range(runs_each):
                trigger_run(tx, RunRequest(dag.dag_id, run_id=f"r{number}"), structures, NOW, suffix="abcdefgh")
    return sum(len(dag.tasks) for dag in dags) * runs_each


def check_limits(tx: SqlTransaction, dags: list[Dag]) -> None:
    """One statement each, so each a consistent view."""
    assert tx.queue.occupied_slots("narrow", include_deferred=False) <= POOL_SLOTS
    for dag_id, counts in tx.runs.count_active([dag.dag_id for dag in dags]).items():
        assert counts.running <= MAX_ACTIVE_RUNS, dag_id
    running_keys = [key for dag in dags for key in tx.runs.running_of_dag(dag.dag_id)]
    active = Counter(task.run_key for task in tx.tasks.of_runs(running_keys) if task.state in OCCUPYING_STATES)
    assert max(active.values(), default=0) <= MAX_ACTIVE_TASKS


def watch_until_done(cluster: Cluster, dags: list[Dag]) -> None:
    """Ask, without pause, until all runs have ended; the limits must hold whenever one looks."""
    deadline = time.monotonic() + PATIENCE_S
    while any(run.state not in FINISHED_RUN_STATES for run in cluster.runs()):
        with cluster.database.begin() as tx:
            check_limits(tx, dags)
        assert time.monotonic() < deadline, "the runs did not end"


def check_all_succeeded_once(cluster: Cluster, tasks: int) -> None:
    assert {run.state for run in cluster.runs()} == {RunState.SUCCESS}
    with cluster.database.begin() as tx:
        instances = [task for run in cluster.runs() for task in tx.tasks.instances(run.key)]
    assert len(instances) == tasks
    assert {task.state for task in instances} == {TaskState.SUCCESS}
    assert {task.try_number for task in instances} == {1}


@servers
def test_three_schedulers_share_the_work_within_all_limits(cluster: Cluster, database_kind: DatabaseKind) -> None:
    """A2, B4: all active, nothing twice, no limit exceeded whenever one looks."""
    dags = chains(count=6, length=12)
    tasks = submit(cluster, dags, runs_each=3)

    for _ in range(3):
        # Nobody is to be taken for dead on a machine that is slow: its work would be handed out anew.
        cluster.start(TRADEWIND__SCHEDULER__SCHEDULER_HEALTH_CHECK_THRESHOLD="60")
    watch_until_done(cluster, dags)

    check_all_succeeded_once(cluster, tasks)
    assert Counter(cluster.attempts()).most_common(1)[0][1] == 1
    assert len(cluster.attempts()) == tasks


@servers
def test_the_work_of_a_killed_scheduler_is_finished_by_another(cluster: Cluster, database_kind: DatabaseKind) -> None:
    """B7: kill -9 in the middle; nothing is lost, and no attempt is handed out twice."""
    dags = chains(count=6, length=30)
    tasks = submit(cluster, dags, runs_each=3)
    victims = [cluster.start(), cluster.start()]

    deadline = time.monotonic() + PATIENCE_S
    for victim in victims:
        seen = len(cluster.attempts())
        while len(cluster.attempts()) < seen + tasks // 10:
            assert time.monotonic() < deadline, "the schedulers did nothing"
        victim.send_signal(signal.SIGKILL)
        victim.wait()
        cluster.start()
    watch_until_done(cluster, dags)

    check_all_succeeded_once(cluster, tasks)
    assert Counter(cluster.attempts()).most_common(1)[0][1] == 1, "an attempt was handed out twice"


@servers
def test_a_scheduler_that_was_stopped_for_long_finds_its_work_taken_over(
    cluster: Cluster, database_kind: DatabaseKind
) -> None:
    """B7: SIGSTOP beyond the lease, then SIGCONT: what it remembers is old, and what it writes is refused."""
    dags = chains(count=6, length=30)
    tasks = submit(cluster, dags, runs_each=2)
    sleeper = cluster.start()

    deadline = time.monotonic() + PATIENCE_S
    while len(cluster.attempts()) < tasks // 10:
        assert time.monotonic() < deadline, "the scheduler did nothing"
    sleeper.send_signal(signal.SIGSTOP)
    cluster.start()
    try:
        watch_until_done(cluster, dags)
    finally:
        sleeper.send_signal(signal.SIGCONT)

    check_all_succeeded_once(cluster, tasks)
    sleeper.send_signal(signal.SIGTERM)
    assert sleeper.wait(PATIENCE_S) == 0
    check_all_succeeded_once(cluster, tasks)
