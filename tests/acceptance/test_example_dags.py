"""Airflow's own example DAGs come to the states that they come to in Airflow (D2, D3).

Their files, and what some of them install, come with packages that are fetched from the registry; none is kept in this
repository.
"""

import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import pytest

from tests.acceptance.deployment import Deployment, Ended, deployed
from tests.acceptance.examples import (
    CONNECTIONS,
    DAGS_FOLDER,
    LOGICAL_DATE,
    REQUIREMENTS,
    TOO_SLOW,
    answers_of_airflow,
    differences,
    known_of,
)
from tests.databases import DatabaseKind, Databases, DatabaseUnavailable
from tradewind.model.ids import RunKey

ANSWERS = answers_of_airflow()
EXAMPLES = {dag_id: states for dag_id, states in ANSWERS["dags"].items() if dag_id not in known_of(DAGS_FOLDER)}
RUNNABLE = sorted(EXAMPLES.keys() - TOO_SLOW.keys())
BROKEN_IN_AIRFLOW = "example_task_state_store_async"
# Airflow requires dill, and an example wants it on both sides.
FOLDERS = ("airflow/example_dags/", "airflow/providers/standard/example_dags/", "dill/")

both = pytest.mark.parametrize("database_kind", ["sqlite", "postgres"], indirect=True)


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the packages of the examples, and with what the examples install."""
    root = tmp_path_factory.mktemp("examples")
    wanted = [f"{name}=={version}" for name, version in ANSWERS["packages"].items()]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(root)]
    fetched = subprocess.run(
        [*command, *wanted, *REQUIREMENTS], check=False, capture_output=True, text=True, timeout=300
    )
    if fetched.returncode != 0:
        pytest.skip(f"NO REGISTRY: Airflow's example files could not be fetched: {fetched.stderr.strip()[-300:]}")
    for wheel in root.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(root, [name for name in archive.namelist() if name.startswith(FOLDERS)])
    return root


@dataclass(slots=True)
class Examples:
    """A deployment with the examples, and a run of each."""

    deployment: Deployment
    keys: dict[str, RunKey] = field(default_factory=dict)

    def trigger(self, dag_id: str) -> None:
        """Ask for the run of an example."""
        at = datetime.fromisoformat(LOGICAL_DATE)
        self.keys[dag_id] = self.deployment.trigger(dag_id, "asked_0", logical_date=at)

    def ended(self, dag_id: str) -> Ended:
        """The run of an example, once it has ended."""
        return self.deployment.ended(self.keys[dag_id])


@pytest.fixture(scope="module")
def examples(
    packages: Path, databases: Databases, database_kind: DatabaseKind, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Examples]:
    """All examples, asked for at the beginning, so that what takes time takes it together."""
    variables = {
        **CONNECTIONS,
        "TRADEWIND__CORE__PLUGINS_FOLDER": str(packages / "airflow" / "example_dags" / "plugins"),
        # No run but those that are asked for.
        "TRADEWIND__SCHEDULER__USE_JOB_SCHEDULE": "False",
        "TRADEWIND__STANDARD__VENV_INSTALL_METHOD": "pip",
        "PYTHONPATH": str(packages),
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(packages),
        "TMPDIR": str(tmp_path_factory.mktemp("temporary")),
    }
    home = tmp_path_factory.mktemp("home") / "examples"
    try:
        url = databases.fresh(database_kind)
    except DatabaseUnavailable as error:
        pytest.skip(str(error))
    with deployed(home, url, dags_folder=packages / "airflow", variables=variables) as deployment:
        deployment.start("triggerer")
        deployment.until(lambda: set(deployment.dag_ids()) >= EXAMPLES.keys(), "the examples to be read")
        examples = Examples(deployment)
        for dag_id in [*RUNNABLE, BROKEN_IN_AIRFLOW]:
            examples.trigger(dag_id)
        yield examples


@both
@pytest.mark.parametrize("dag_id", RUNNABLE)
def test_an_example_comes_to_the_same_states_as_in_airflow(examples: Examples, dag_id: str) -> None:
    """D2, D3: every example of the core and of the standard provider that needs no cloud and no person."""
    ended = examples.ended(dag_id)

    assert differences(dag_id, ended.state, ended.states) == {}, ended.reasons


@both
def test_an_example_succeeds_for_which_airflow_has_not_the_method(examples: Examples) -> None:
    """D3: the task state store can be used from coroutines."""
    assert examples.ended(BROKEN_IN_AIRFLOW).state == "success"
