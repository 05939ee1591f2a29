"""Where the figures were measured."""

import os
import platform
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import TypedDict

import psutil
import sqlalchemy as sa

from tests.databases import DatabaseKind, Databases

ROOT = Path(__file__).parents[1]
_GIGABYTE = 1 << 30


class Machine(TypedDict):
    """Hardware and software, by what matters for speed."""

    cpu: str
    cores: int
    memory_gb: float
    system: str
    python: str
    databases: dict[str, str]
    fsync_ms: float
    load_average: float


def describe_machine(databases: Databases, kinds: Sequence[DatabaseKind]) -> Machine:
    """As it is now: the load average, taken before the benchmarks, tells whether it was quiet."""
    return Machine(
        cpu=_cpu_model(),
        cores=psutil.cpu_count() or 1,
        memory_gb=round(psutil.virtual_memory().total / _GIGABYTE, 1),
        system=f"{platform.system()} {platform.release().partition('-')[0]}",
        python=platform.python_version(),
        databases={kind: _version(databases, kind) for kind in kinds},
        fsync_ms=_fsync_ms(),
        load_average=round(os.getloadavg()[0], 2),
    )


def git_revision() -> str:
    """The commit that was measured; with a plus where files differ from it."""
    revision = _git("rev-parse", "--short=12", "HEAD")
    return revision + ("+" if _git("status", "--porcelain", "--untracked-files=no", "src", "benchmarks/*.py") else "")


def _git(*words: str) -> str:
    done = subprocess.run(
        ["git", "--no-optional-locks", "-C", str(ROOT), *words], capture_output=True, text=True, check=False
    )
    return done.stdout.strip() if done.returncode == 0 else "unknown"


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()


def _version(databases: Databases, kind: DatabaseKind) -> str:
    if kind == "sqlite":
        return f"SQLite {sqlite3.sqlite_version}"
    with databases.temporary(kind) as url:
        engine = sa.create_engine(url, poolclass=sa.NullPool)
        with engine.connect() as connection:
            text = str(connection.exec_driver_sql("SELECT version()").scalar_one())
    if kind == "postgres":
        return " ".join(text.split()[:2])
    return f"MariaDB {text.partition('-')[0]}" if "mariadb" in text.lower() else f"MySQL {text}"


def _fsync_ms() -> float:
    """How long the disk takes to keep four kilobytes: what each commit waits for."""
    spent_ms = []
    with tempfile.TemporaryFile() as file:
        for _ in range(50):
            file.write(b"x" * 4096)
            file.flush()
            began = time.perf_counter()
            os.fdatasync(file.fileno())
            spent_ms.append((time.perf_counter() - began) * 1000)
    return round(median(spent_ms), 2)
