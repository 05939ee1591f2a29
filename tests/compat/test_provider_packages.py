"""D2: real provider packages of Airflow are installed without Airflow, and their operators work in a DAG.

Needs a package registry; without one the tests are skipped and say so.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.compat.environments import Environment, borrow_packages, build_wheel, install_wheel, make_environment

PROVIDERS = ("http", "postgres", "amazon")
# Parts of Airflow's own servers: its web application's logins, and commands of its command line.
SERVERS_OWN = ("airflow.providers.amazon.aws.auth_manager.", "airflow.providers.amazon.aws.cli.")
PROGRAMS = str(Path(sys.executable).parent)


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Skips where no package can be fetched."""
    folder = tmp_path_factory.mktemp("fetched")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder)]
    fetched = subprocess.run(
        [*command, "apache-airflow-providers-common-compat"], capture_output=True, text=True, check=False, timeout=300
    )
    if fetched.returncode != 0:
        pytest.skip(f"NO REGISTRY: provider packages could not be fetched: {fetched.stderr.strip()[-300:]}")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tradewind as it is shipped."""
    return build_wheel(tmp_path_factory.mktemp("wheel"))


def environment_with(wheel: Path, folder: Path) -> Environment:
    """An environment with Tradewind and no Airflow."""
    environment = make_environment(folder)
    borrow_packages(environment)
    install_wheel(environment, wheel)
    return environment


def tradewind(environment: Environment, *words: str, path: str = PROGRAMS) -> "subprocess.CompletedProcess[str]":
    """Run a command of Tradewind there."""
    return environment.run("-m", "tradewind.cli.main", *words, path=path)


@pytest.fixture(scope="module")
def equipped(registry: None, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment in which `tradewind providers install` was run with uv."""
    environment = environment_with(wheel, tmp_path_factory.mktemp("equipped"))
    ran = tradewind(environment, "providers", "install", *PROVIDERS)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "installed apache-airflow-providers-http" in ran.stdout
    return environment


def packages(environment: Environment) -> set[str]:
    """The names of all packages that begin like Airflow's."""
    return {path.name.split("-")[0] for path in environment.packages.glob("apache_airflow*.dist-info")}


def test_providers_come_without_airflow(equipped: Environment) -> None:
    found = packages(equipped)

    assert {f"apache_airflow_providers_{name}" for name in (*PROVIDERS, "common_sql", "common_compat")} <= found
    assert found.isdisjoint({"apache_airflow", "apache_airflow_core", "apache_airflow_task_sdk"})
    assert not (equipped.packages / "airflow" / "__init__.py").exists()


def test_installing_again_changes_nothing(equipped: Environment) -> None:
    ran = tradewind(equipped, "providers", "install", *PROVIDERS)

    assert (ran.returncode, ran.stdout) == (0, "everything is installed already\n")


def test_an_unknown_provider_is_refused_by_name(equipped: Environment) -> None:
    ran = tradewind(equipped, "providers", "install", "postgre")

    assert ran.returncode == 1
    assert ran.stderr == (
        "tradewind: there is no provider package apache-airflow-providers-postgre; did you mean postgres?\n"
    )


def test_their_metadata_is_listed(equipped: Environment) -> None:
    ran = tradewind(equipped, "providers", "list", "--output", "json")

    listed = {row["name"]: row for row in json.loads(ran.stdout)}
    assert {*PROVIDERS, "common-sql", "standard"} <= set(listed)
    assert "airflow.providers.http.operators.http" in listed["http"]["operators"]
    assert "airflow.providers.amazon.aws.triggers.s3" in listed["amazon"]["triggers"]
    assert {"aws", "emr"} <= {row["name"] for row in listed["amazon"]["connection_types"]}
    assert listed["amazon"]["notifiers"]
    assert [row["name"] for row in listed["common-sql"]["task_decorators"]]


def test_their_operators_and_hooks_work_in_a_dag(equipped: Environment) -> None:
    ran = equipped.run(str(Path(__file__).with_name("use_providers.py")), str(equipped.packages))

    assert ran.returncode == 0, ran.stderr
    outcome = json.loads(ran.stdout)
    assert outcome["tasks"] == {
        "ask": "HttpOperator",
        "wait": "HttpSensor",
        "query": "SQLExecuteQueryOperator",
        "bucket": "S3CreateBucketOperator",
        "key": "S3KeySensor",
        "batch": "BatchOperator",
    }
    assert outcome["hook"] == "airflow.providers.postgres.hooks.postgres.PostgresHook"
    assert outcome["modules"] > 300
    assert {name: why for name, why in outcome["broken"].items() if not name.startswith(SERVERS_OWN)} == {}


def test_their_decorators_are_decorators_of_task(equipped: Environment) -> None:
    assert equipped.says("from airflow.sdk import task; print(task.sql.__module__)").startswith("airflow.providers.")


@pytest.mark.usefixtures("registry")
def test_pip_does_it_where_there_is_no_uv(wheel: Path, tmp_path: Path) -> None:
    environment = environment_with(wheel, tmp_path / "with pip")
    nowhere = str(tmp_path)

    first = tradewind(environment, "providers", "install", "http", path=nowhere)
    again = tradewind(environment, "providers", "install", "http", path=nowhere)
    unknown = tradewind(environment, "providers", "install", "htpp", path=nowhere)

    assert first.returncode == 0, first.stdout + first.stderr
    assert {"apache_airflow_providers_http", "apache_airflow_providers_common_compat"} <= packages(environment)
    assert packages(environment).isdisjoint({"apache_airflow", "apache_airflow_core", "apache_airflow_task_sdk"})
    assert again.stdout == "everything is installed already\n"
    assert "did you mean http?" in unknown.stderr
    assert environment.says("from airflow.providers.http.operators.http import HttpOperator as H; print(H.__name__)")
