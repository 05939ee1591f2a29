"""A DAG processor with real files, real children and a real database."""

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.tables import make_tables
from tradewind.bundles.interface import Bundle
from tradewind.bundles.local import LocalBundle
from tradewind.dag_processor.answers import Answerer
from tradewind.dag_processor.service import DagProcessor
from tradewind.model.dag import Dag
from tradewind.model.dag_file import DagFile, FileWarning
from tradewind.model.dag_json import decode_dag
from tradewind.runtime.clock import Clock, SystemClock
from tradewind.runtime.wakeup import PipeWakeup
from tradewind.settings import load_settings
from tradewind.storage.database import Database
from tradewind.storage.interface import DagRecord
from tradewind.telemetry.events import DutyFailed, Event
from tradewind.telemetry.hub import Hub

PATIENCE_S = 60.0

DAG_FILE = """
from airflow.sdk import DAG
from airflow.providers.standard.operators.empty import EmptyOperator

with DAG({dag_id!r}, schedule=None):
    EmptyOperator(task_id={task_id!r})
"""


def dag_file(dag_id: str, task_id: str = "a") -> str:
    """The text of a file with one DAG of one task."""
    return DAG_FILE.format(dag_id=dag_id, task_id=task_id)


@dataclass
class Deployment:
    """A home folder, a database, and the processors that work on them."""

    home: Path
    database: Database
    options: Mapping[str, str] = field(default_factory=dict)
    clock: Clock = field(default_factory=SystemClock)
    events: list[Event] = field(default_factory=list)
    processors: list[DagProcessor] = field(default_factory=list)
    wakeups: list[PipeWakeup] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.dags.mkdir(parents=True, exist_ok=True)

    @property
    def dags(self) -> Path:
        return self.home / "dags"

    def processor(
        self, *bundles: Bundle, answer: Answerer = lambda _method, _arguments: None, **options: str
    ) -> DagProcessor:
        """A started processor of the folder `dags`, or of these bundles. `options` by name of `[dag_processor]`."""
        environ = {
            **os.environ,
            "TRADEWIND_HOME": str(self.home),
            **self.options,
            **{f"TRADEWIND__DAG_PROCESSOR__{name.upper()}": value for name, value in options.items()},
        }
        wakeup = PipeWakeup()
        self.wakeups.append(wakeup)
        processor = DagProcessor(
            self.database,
            self.clock,
            wakeup,
            settings=load_settings(environ),
            bundles=bundles or [LocalBundle("dags-folder", self.dags)],
            environ=environ,
            answer=answer,
            hub=Hub(self.events.append),
        )
        processor.start()
        self.processors.append(processor)
        return processor

    def write(self, path: str, text: str) -> Path:
        full = self.dags / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_text(text, encoding="utf-8")
        return full

    def record(self, dag_id: str) -> DagRecord | None:
        with self.database.begin() as tx:
            return tx.dags.find(dag_id)

    def dag(self, dag_id: str) -> Dag:
        """The current version of a DAG that must be there."""
        with self.database.begin() as tx:
            record = tx.dags.find(dag_id)
            assert record is not None
            assert record.version_key is not None
            _, data = tx.dags.version_data([record.version_key])[record.version_key]
        return decode_dag(data)

    def active(self) -> list[str]:
        with self.database.begin() as tx:
            return [record.dag_id for record in tx.dags.all() if not record.is_stale]

    def errors(self) -> dict[str, str]:
        with self.database.begin() as tx:
            return {error.name.path: error.message for error in tx.files.errors()}

    def warnings(self) -> dict[str, list[FileWarning]]:
        found: dict[str, list[FileWarning]] = {}
        with self.database.begin() as tx:
            for stored in tx.files.warnings():
                found.setdefault(stored.name.path, []).append(stored.warning)
        return found

    def file(self, path: str, bundle: str = "dags-folder") -> DagFile:
        with self.database.begin() as tx:
            (found,) = (file for file in tx.files.of_bundle(bundle) if file.name.path == path)
        return found

    def check_duties(self) -> None:
        assert [event for event in self.events if isinstance(event, DutyFailed)] == []


@contextmanager
def deployment(home: Path, **options: str) -> Iterator[Deployment]:
    """On SQLite in memory. `options` by name of `[core]`."""
    events: list[Event] = []
    database = Database("sqlite://", hub=Hub(events.append))
    make_tables(database)
    variables = {f"TRADEWIND__CORE__{name.upper()}": value for name, value in options.items()}
    made = Deployment(home, database, variables, events=events)
    yield made
    for processor in made.processors:
        processor.stop()
    for wakeup in made.wakeups:
        wakeup.close()
    database.close()
    made.check_duties()


def work_until_idle(processor: DagProcessor) -> None:
    """Until everything is stored; fails rather than waiting for ever."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        is_busy = processor.run_once()
        if not is_busy and processor.is_settled:
            return
        assert time.monotonic() < deadline, "the processor does not come to rest"
        if not is_busy:
            processor.wait()


def look_and_work(processor: DagProcessor) -> None:
    """As if the operating system had said that something changed."""
    processor.look_soon()
    work_until_idle(processor)
