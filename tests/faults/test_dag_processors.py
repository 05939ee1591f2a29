"""DAG processors as real processes, some of them killed or frozen in the middle of their work (A5)."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest

from tests.component.dag_processor.processors import dag_file
from tests.databases import DatabaseKind
from tradewind.storage.database import Database
from tradewind.storage.migrate import upgrade

PATIENCE_S = 90.0
FILES = 60
SLOWLY = "\nimport time; time.sleep(0.05)\n"

servers = pytest.mark.parametrize("database_kind", ["postgres", "mysql"], indirect=True)
one_database = pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)


@dataclass
class Cluster:
    """Processors on one database and one folder."""

    url: str
    home: Path
    database: Database
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def dags(self) -> Path:
        return self.home / "dags"

    def start(self, *, looks_every_s: float = 0.5) -> subprocess.Popen[bytes]:
        environ = {
            **os.environ,
            "TRADEWIND_HOME": str(self.home),
            "TRADEWIND__DATABASE__SQL_ALCHEMY_CONN": self.url,
            "TRADEWIND__DAG_PROCESSOR__BUNDLE_REFRESH_CHECK_INTERVAL": str(looks_every_s),
            "TRADEWIND__SCHEDULER__JOB_HEARTBEAT_SEC": "0.5",
        }
        command = [sys.executable, "-m", "tradewind.cli.main", "dag-processor"]
        process = subprocess.Popen(command, env=environ)
        self.processes.append(process)
        return process

    def write_many(self) -> None:
        for number in range(FILES):
            (self.dags / f"{number:03}.py").write_text(dag_file(f"dag_{number:03}") + SLOWLY)

    def stored(self) -> int:
        with self.database.begin() as tx:
            return len([record for record in tx.dags.all() if record.version_key is not None])

    def versions(self) -> int:
        with self.database.engine.connect() as connection:
            return int(connection.exec_driver_sql("SELECT count(*) FROM dag_version").scalar_one())

    def until(self, is_true: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not is_true():
            assert time.monotonic() < deadline, what
            assert any(process.poll() is None for process in self.processes), "no processor runs"


@pytest.fixture
def cluster(database_kind: DatabaseKind, database_url: str, tmp_path: Path) -> Iterator[Cluster]:
    upgrade(database_url)
    cluster = Cluster(database_url, tmp_path, Database(database_url))
    cluster.dags.mkdir()
    yield cluster
    for process in cluster.processes:
        process.kill()
        process.wait()
    cluster.database.close()


def family(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    return psutil.Process(process.pid).children(recursive=True)


def all_gone(processes: list[psutil.Process]) -> bool:
    return not any(each.is_running() and each.status() != psutil.STATUS_ZOMBIE for each in processes)


@servers
def test_the_files_of_a_killed_processor_are_read_by_another(cluster: Cluster, database_kind: DatabaseKind) -> None:
    """kill -9 in the middle: every file is stored, none twice, and the children of the killed one are gone."""
    cluster.write_many()
    victim, survivor = cluster.start(), cluster.start()
    cluster.until(lambda: cluster.stored() >= FILES // 6, "the processors store nothing")

    children = family(victim)
    victim.send_signal(signal.SIGKILL)
    victim.wait()

    cluster.until(lambda: cluster.stored() == FILES, "the files of the killed processor are not read")
    assert children
    cluster.until(lambda: all_gone(children), "the children of the killed processor live on")
    assert cluster.versions() == FILES
    assert survivor.poll() is None


@servers
def test_a_processor_that_was_frozen_for_long_finds_its_files_taken_over(
    cluster: Cluster, database_kind: DatabaseKind
) -> None:
    cluster.write_many()
    sleeper = cluster.start()
    cluster.until(lambda: cluster.stored() >= FILES // 6, "the processor stores nothing")

    sleeper.send_signal(signal.SIGSTOP)
    cluster.start()
    try:
        cluster.until(lambda: cluster.stored() == FILES, "the files of the frozen processor are not read")
    finally:
        sleeper.send_signal(signal.SIGCONT)

    sleeper.send_signal(signal.SIGTERM)
    assert sleeper.wait(PATIENCE_S) == 0
    assert cluster.versions() == FILES


@one_database
def test_a_warm_process_that_dies_is_replaced(cluster: Cluster, database_kind: DatabaseKind) -> None:
    cluster.write_many()
    processor = cluster.start()
    cluster.until(lambda: cluster.stored() > 0, "the processor stores nothing")

    warm = psutil.Process(processor.pid).children()[0]
    warm.kill()

    cluster.until(lambda: cluster.stored() == FILES, "the files are not read")
    with cluster.database.begin() as tx:
        assert tx.files.errors() == []
    assert cluster.versions() == FILES


@one_database
def test_a_processor_that_is_told_to_stop_leaves_nothing_behind(cluster: Cluster, database_kind: DatabaseKind) -> None:
    (cluster.dags / "endless.py").write_text(dag_file("endless") + "\nwhile True: pass\n")
    (cluster.dags / "sound.py").write_text(dag_file("sound"))
    processor = cluster.start()
    cluster.until(lambda: cluster.stored() == 1, "the processor stores nothing")
    children = family(processor)
    assert len(children) >= 2

    processor.send_signal(signal.SIGTERM)

    assert processor.wait(PATIENCE_S) == 0
    assert all_gone(children)
    with cluster.database.begin() as tx:
        assert [file.claimed_by for file in tx.files.of_bundle("dags-folder")] == [None, None]
        assert tx.jobs.live("dag_processor") == []


@one_database
def test_a_save_is_seen_without_any_poll(cluster: Cluster, database_kind: DatabaseKind) -> None:
    """How soon is a figure of the benchmarks; that nobody waits for the next look is shown here."""
    (cluster.dags / "a.py").write_text(dag_file("sales", "first"))
    cluster.start(looks_every_s=1_000_000)
    cluster.until(lambda: cluster.versions() == 1, "the file is not read")

    (cluster.dags / "a.py").write_text(dag_file("sales", "second"))

    cluster.until(lambda: cluster.versions() == 2, "the change is not seen")
