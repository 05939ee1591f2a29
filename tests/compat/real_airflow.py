"""A metadata database of a real Airflow, made once for all workers of a test run."""

import fcntl
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from tests.compat.environments import make_environment
from tests.databases import Databases, DatabaseUnavailable
from tests.instants import utc
from tradewind.operations.cipher import opened_connection, opened_variable
from tradewind.operations.from_airflow.mapping import remembered_dag
from tradewind.secrets.encryption import Encryption, new_key
from tradewind.storage.airflow_source import airflow_source
from tradewind.storage.interface.airflow_source import AirflowSource

PACKAGES: Final = ("apache-airflow-core==3.3.2", "apache-airflow-providers-fab==3.10.2", "psycopg[binary]")
_SOME_TIME: Final = utc("2026-01-01 00:00")
_FILL: Final = Path(__file__).with_name("fill_airflow.py")
_UV: Final = Path(sys.executable).with_name("uv")


class NoRegistry(Exception):
    """Airflow could not be fetched."""


@dataclass(frozen=True, slots=True)
class RealAirflow:
    """What it left behind."""

    folder: Path

    @property
    def file(self) -> Path:
        """Its SQLite database."""
        return self.folder / "airflow.db"

    @property
    def url(self) -> str:
        """The same, as an address."""
        return f"sqlite:///{self.file}"

    @property
    def key_file(self) -> Path:
        """Has its Fernet key."""
        return self.folder / "key"

    @property
    def postgres_facts(self) -> str | None:
        """What was read from the same database on PostgreSQL, where there is a server."""
        file = self.folder / "postgres_facts"
        return file.read_text() if file.exists() else None

    def facts(self) -> str:
        """What is read from the one on SQLite."""
        with airflow_source(self.url) as source:
            return facts_of(source, self.key_file.read_text())


def facts_of(source: AirflowSource, key: str) -> str:
    """All that a source says. Secrets are opened: encrypted twice, they are different texts."""
    cipher, history = Encryption([key]), source.history
    runs = [run for part in history.runs(None, 2) for run in part]
    numbers = [run.number for run in runs]
    facts = [
        (source.version, source.has_users, history.has_conf, history.has_xcoms),
        [asdict(opened_connection(each.record, cipher)) for each in source.connections()],
        [(each.record.key, opened_variable(each.record, cipher)) for each in source.variables()],
        source.pools(),
        [user.profile for user in source.users()],
        source.dags(),
        (history.count_runs(None), *history.count_tasks(numbers)),
        runs,
        [task for part in history.tasks(numbers) for task in part],
        [each for part in history.tries(numbers) for each in part],
        [each._replace(at=_SOME_TIME) for part in history.xcoms(numbers) for each in part],  # when it was is chance
        history.task_names("sales"),
        remembered_dag("sales", history.task_names("sales"), history.structure("sales")).tasks,
    ]
    return "\n".join(map(repr, facts))


def made_once(folder: Path, databases: Databases) -> RealAirflow:
    """In this folder, which all workers share: the first one makes it, the others wait.

    Raises:
        NoRegistry: Airflow could not be fetched.
    """
    made = RealAirflow(folder)
    with _locked(folder):
        refusal, is_made = folder / "no registry", folder / "made"
        if refusal.exists():
            raise NoRegistry(refusal.read_text())
        if not is_made.exists():
            try:
                _make(made, databases)
            except NoRegistry as error:
                refusal.write_text(str(error))
                raise
            is_made.touch()
    return made


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _make(made: RealAirflow, databases: Databases) -> None:
    environment = make_environment(made.folder / "environment")
    command = [str(_UV), "pip", "install", "--quiet", "--python", str(environment.python), *PACKAGES]
    installed = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    if installed.returncode != 0:
        raise NoRegistry(f"Airflow could not be fetched: {installed.stderr.strip()[-300:]}")
    key = new_key()
    made.key_file.write_text(key)
    try:
        with databases.temporary("postgres") as postgres:
            _fill(made, environment.python, made.url, postgres)
            with airflow_source(postgres) as source:
                (made.folder / "postgres_facts").write_text(facts_of(source, key))
    except DatabaseUnavailable:
        _fill(made, environment.python, made.url)


def _fill(made: RealAirflow, python: Path, *urls: str) -> None:
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("AIRFLOW", "TRADEWIND"))}
    environ |= {
        "AIRFLOW_HOME": str(made.folder / "home"),
        "AIRFLOW__CORE__FERNET_KEY": made.key_file.read_text(),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__AUTH_MANAGER": "airflow.providers.fab.auth_manager.fab_auth_manager.FabAuthManager",
        # Nobody uses it, but Airflow prepares it, and wants one more driver for PostgreSQL's.
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN_ASYNC": f"sqlite+aiosqlite:///{made.folder}/unused.db",
    }
    ran = subprocess.run(
        [str(python), str(_FILL), *urls], capture_output=True, text=True, check=False, env=environ, timeout=600
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
