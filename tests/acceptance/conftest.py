"""One deployment per kind of database, and one run of each DAG of `dags/`, for all tests of this folder."""

import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import pytest

from tests.acceptance.deployment import Deployment, Ended, deployed
from tests.acceptance.examples import DAGS_FOLDER, LOGICAL_DATE, POOLS, REQUIREMENTS, answers_of_airflow, known_of
from tests.component.standard.wheels import write_wheel
from tests.databases import DatabaseKind, DatabaseUrls
from tests.mail_server import Mailbox, mail_server
from tradewind.model.ids import RunKey

WIDEST = 2_500
# Airflow requires dill, and an example wants it on both sides.
_FOLDERS = ("airflow/example_dags/", "airflow/providers/standard/example_dags/", "dill/")


@dataclass(slots=True)
class Runs:
    """One run of each DAG: all asked for at the beginning, so that what takes time takes it together."""

    deployment: Deployment
    keys: dict[str, RunKey]
    _ended: dict[str, Ended] = field(default_factory=dict)

    def __getitem__(self, dag_id: str) -> Ended:
        """The run of a DAG, once it has ended."""
        if dag_id not in self._ended:
            self._ended[dag_id] = self.deployment.ended(self.keys[dag_id])
        return self._ended[dag_id]


@pytest.fixture(scope="session")
def mailbox(database_kind: DatabaseKind) -> Iterator[Mailbox]:
    """The mail server of a deployment, and what it was given."""
    with mail_server() as box:
        yield box


@pytest.fixture(scope="session")
def deployment(
    database_urls: DatabaseUrls, database_kind: DatabaseKind, mailbox: Mailbox, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Deployment]:
    """A DAG processor, a scheduler and a worker, and the DAGs of `dags/`."""
    home = tmp_path_factory.mktemp("home")
    variables = {
        "TRADEWIND__CORE__MAX_MAP_LENGTH": str(WIDEST),
        "TRADEWIND__SMTP__SMTP_HOST": "127.0.0.1",
        "TRADEWIND__SMTP__SMTP_PORT": str(mailbox.port),
        "TRADEWIND__SMTP__SMTP_STARTTLS": "False",
        "TRADEWIND__SMTP__SMTP_MAIL_FROM": "ship@example.com",
    }
    url = database_urls(database_kind)
    with deployed(home / database_kind, url, variables=variables) as made:
        write_wheel(made.notes / "wheels")
        made.make_pools(POOLS)
        made.wait_for_files(DAGS_FOLDER)
        yield made


@pytest.fixture(scope="session")
def runs(deployment: Deployment) -> Runs:
    """One run of each DAG of which it is known how it ends in Airflow."""
    at = datetime.fromisoformat(LOGICAL_DATE)
    dag_ids = sorted(known_of(DAGS_FOLDER))
    return Runs(deployment, {dag_id: deployment.trigger(dag_id, "asked_0", logical_date=at) for dag_id in dag_ids})


@pytest.fixture(scope="session")
def example_packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the packages of the examples, and with what the examples install."""
    root = tmp_path_factory.mktemp("examples")
    wanted = [f"{name}=={version}" for name, version in answers_of_airflow()["packages"].items()]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(root)]
    fetched = subprocess.run(
        [*command, *wanted, *REQUIREMENTS], check=False, capture_output=True, text=True, timeout=300
    )
    if fetched.returncode != 0:
        pytest.skip(f"NO REGISTRY: Airflow's example files could not be fetched: {fetched.stderr.strip()[-300:]}")
    for wheel in root.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(root, [name for name in archive.namelist() if name.startswith(_FOLDERS)])
    return root
