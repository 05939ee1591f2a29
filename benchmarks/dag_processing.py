"""How fast DAG files become DAGs in the database, how soon an edit is there, and what it costs when nothing changes."""

import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import psutil
import sqlalchemy as sa

from benchmarks.figures import Figure, at_least, at_most
from benchmarks.harness import STALLED_AFTER_S, Plan, Stalled, World, cpu_s
from tradewind.storage.schema import dag_version

AIRFLOW_VARIABLE: Final = "TRADEWIND_BENCH_AIRFLOW"
"""The `airflow` command of an environment of its own, to be measured on the same files in the same run."""
_AIRFLOW_PATIENCE_S: Final = 900.0
_POLL_S: Final = 0.01
_TEXT: Final = """\
from datetime import datetime

from airflow.sdk import DAG
from airflow.providers.standard.operators.bash import BashOperator

with DAG("dag_{number}", schedule="@daily", start_date=datetime(2024, 1, 1), catchup=False) as dag:
    last = None
    for i in range(10):
        current = BashOperator(task_id=f"{word}_{{i}}", bash_command="echo hello")
        if last is not None:
            last >> current
        last = current
"""


def dag_processing(plan: Plan) -> Iterator[Figure]:
    """The processor as a process of its own, with its real loop, on files of ten tasks each.

    "All stored" is from the start of the process to the commit of the last file, imports and warm-up included. An edit
    or a new file is timed from the write to the moment at which another connection sees the new version. CPU is that of
    the processor and of its warm process, over a window in which nothing changes.
    """
    count = plan.pick(1_000, 100, 3)
    for kind in plan.kinds:
        with plan.world(kind) as world:
            folder = world.settings.home / "dags"
            _write_files(folder, count)
            name = f"{count:,} files of 10 tasks"
            began = time.perf_counter()
            with _processor(world) as process:
                _until(lambda: _versions(world) >= count, process, _POLL_S * 5)
                spent_s = time.perf_counter() - began
                yield Figure("dag_processing", f"{name}: all stored", kind, "s", [spent_s], at_most(10.0))
                repetitions = plan.pick(20, 5, 1)
                edits = [_edit(world, folder, number, process) for number in range(repetitions)]
                yield Figure("dag_processing", f"{name}: edit to visible", kind, "s", edits, at_most(1.0))
                news = [_add(world, folder, count + number, process) for number in range(repetitions)]
                yield Figure("dag_processing", f"{name}: new file to visible", kind, "s", news, at_most(1.0))
                share = _idle_share(process, *plan.pick((3.0, 30.0), (2.0, 5.0), (0.1, 0.2)))
                yield Figure("dag_processing", f"{name}: idle CPU", kind, "% of a core", [share], at_most(1.0))
        yield from _compared(kind, count, spent_s)


def _write_files(folder: Path, count: int) -> None:
    folder.mkdir(parents=True)
    for number in range(count):
        (folder / f"dag_{number}.py").write_text(_TEXT.format(number=number, word="task"), encoding="utf-8")


@contextmanager
def _processor(world: World) -> Iterator[psutil.Process]:
    variables = {
        **os.environ,
        "TRADEWIND_HOME": str(world.settings.home),
        "TRADEWIND__DATABASE__SQL_ALCHEMY_CONN": world.settings.database.sql_alchemy_conn,
    }
    child = subprocess.Popen([sys.executable, "-m", "tradewind.cli.main", "dag-processor"], env=variables)
    try:
        yield psutil.Process(child.pid)
    finally:
        child.send_signal(signal.SIGTERM)
        try:
            child.wait(10)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def _versions(world: World) -> int:
    with world.wiring.database.engine.connect() as connection:
        return int(connection.execute(sa.select(sa.func.count()).select_from(dag_version)).scalar_one())


def _until(is_done: Callable[[], bool], process: psutil.Process, pause_s: float = _POLL_S) -> None:
    deadline = time.monotonic() + STALLED_AFTER_S
    while not is_done():
        if time.monotonic() > deadline or process.status() == psutil.STATUS_ZOMBIE:
            raise Stalled("the DAG processor does not store what it should")
        time.sleep(pause_s)


def _edit(world: World, folder: Path, number: int, process: psutil.Process) -> float:
    return _timed(world, folder / "dag_0.py", _TEXT.format(number=0, word=f"edit_{number}"), process)


def _add(world: World, folder: Path, number: int, process: psutil.Process) -> float:
    return _timed(world, folder / f"dag_{number}.py", _TEXT.format(number=number, word="task"), process)


def _timed(world: World, path: Path, text: str, process: psutil.Process) -> float:
    before = _versions(world)
    time.sleep(0.3)  # a person is not a machine gun
    began = time.perf_counter()
    path.write_text(text, encoding="utf-8")
    _until(lambda: _versions(world) > before, process)
    return time.perf_counter() - began


def _idle_share(process: psutil.Process, settle_s: float, window_s: float) -> float:
    """In per cent of a core. What the children did is counted with the warm process, but there are none."""
    time.sleep(settle_s)
    family = [process, *process.children()]
    before = sum(cpu_s(each) for each in family)
    time.sleep(window_s)
    return 100 * (sum(cpu_s(each) for each in family) - before) / window_s


def _compared(kind: str, count: int, spent_s: float) -> Iterator[Figure]:
    """Airflow on the same files, where its command is given. Its database is SQLite, so it is compared with that."""
    command = os.environ.get(AIRFLOW_VARIABLE)
    if not command or kind != "sqlite":
        return
    airflow_s = _time_airflow(command, count)
    details = {"Airflow s": airflow_s, "Tradewind s": spent_s}
    name = f"{count:,} files of 10 tasks: times sooner than Airflow"
    yield Figure("dag_processing", name, kind, "times", [airflow_s / spent_s], at_least(10.0), None, details)


def _time_airflow(command: str, count: int) -> float:
    with tempfile.TemporaryDirectory(prefix="airflow-bench-") as home:
        database = Path(home) / "airflow.db"
        variables: Mapping[str, str] = {
            **os.environ,
            "AIRFLOW_HOME": home,
            "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
            "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{database}",
        }
        _write_files(Path(home) / "dags", count)
        subprocess.run([command, "db", "migrate"], env=variables, check=True, capture_output=True)
        began = time.perf_counter()
        process = subprocess.Popen(
            [command, "dag-processor"], env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            while _airflow_dags(database) < count:
                if time.perf_counter() - began > _AIRFLOW_PATIENCE_S or process.poll() is not None:
                    raise Stalled("Airflow's DAG processor does not store the files")
                time.sleep(0.1)
            return time.perf_counter() - began
        finally:
            process.terminate()
            process.wait()


def _airflow_dags(database: Path) -> int:
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=30)
    try:
        return int(connection.execute("SELECT count(DISTINCT dag_id) FROM serialized_dag").fetchone()[0])
    finally:
        connection.close()
