"""D2: plain Python and pytest find `airflow` where Tradewind is installed, and a real Airflow is left alone."""

import json
import zipfile
from pathlib import Path

import pytest

from tests.compat.environments import Environment, borrow_packages, build_wheel, install_wheel, make_environment

INSTALL = "import tradewind.compat; tradewind.compat.install()"
WHO = "import airflow; print(getattr(airflow, 'WHO', 'tradewind'), airflow.__version__)"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tradewind as it is shipped."""
    return build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Environment:
    """An environment in which Tradewind was installed from its wheel, and no Airflow."""
    environment = make_environment(tmp_path_factory.mktemp("installed"))
    borrow_packages(environment)
    install_wheel(environment, wheel)
    return environment


def test_the_wheel_has_nothing_in_a_folder_called_airflow(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()

    assert not [name for name in names if "airflow" in Path(name).parts]
    assert "tradewind_startup.pth" in names


def test_a_dag_file_is_a_program(installed: Environment, tmp_path: Path) -> None:
    file = tmp_path / "my_dag.py"
    file.write_text(
        "from airflow.sdk import DAG, task\n"
        "from airflow.providers.standard.operators.empty import EmptyOperator\n"
        "with DAG('etl') as dag:\n"
        "    EmptyOperator(task_id='one')\n"
        "print(dag.task_ids, DAG.__module__)\n",
        encoding="utf-8",
    )

    ran = installed.run(str(file))

    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "['one'] tradewind.sdk.dags\n", "")


def test_the_author_of_a_program_sees_the_note(installed: Environment, tmp_path: Path) -> None:
    file = tmp_path / "my_dag.py"
    file.write_text("from airflow.operators.dummy import DummyOperator\n", encoding="utf-8")

    ran = installed.run(str(file))

    assert f"{file}:1: DeprecatedImportWarning: airflow.operators.dummy.DummyOperator is deprecated" in ran.stderr


def test_pytest_finds_airflow_too(installed: Environment, tmp_path: Path) -> None:
    (tmp_path / "test_dag.py").write_text(
        "from airflow.models import DagBag\ndef test_bag(tmp_path):\n    assert DagBag(tmp_path).import_errors == {}\n",
        encoding="utf-8",
    )

    ran = installed.run("-m", "pytest", "-q", "-p", "no:randomly", "-p", "no:xdist", str(tmp_path), cwd=tmp_path)

    assert "1 passed" in ran.stdout, ran.stdout + ran.stderr


def test_starting_python_costs_next_to_nothing(installed: Environment) -> None:
    """Two tiny modules and nothing else; what they load in turn would show up here."""
    loaded = json.loads(installed.says("import json, sys; print(json.dumps([m for m in sys.modules]))"))

    assert {name for name in loaded if name.startswith("tradewind")} == {"tradewind", "tradewind.startup"}
    assert "importlib.util" not in loaded
    assert "pathlib" not in loaded


def test_folders_of_provider_packages_alone_are_no_airflow(installed: Environment, tmp_path: Path) -> None:
    """They make `airflow` a namespace package, which Python would find before anything that stands last."""
    provider = tmp_path / "airflow" / "providers" / "acme"
    provider.mkdir(parents=True)
    (provider / "__init__.py").write_text("from airflow import __version__\nfrom airflow.sdk import BaseHook\n")

    said = installed.says(
        f"import sys; sys.path.append({str(tmp_path)!r}); from airflow.providers.acme import BaseHook;"
        " import airflow.providers as p; print(BaseHook.__module__, list(p.__path__))"
    )

    assert said == f"tradewind.sdk.hook ['{tmp_path}/airflow/providers']"


@pytest.fixture
def real_airflow(tmp_path: Path) -> Path:
    """A folder with something that looks like an installed Airflow."""
    package = tmp_path / "airflow"
    (package / "providers" / "standard").mkdir(parents=True)
    (package / "__init__.py").write_text("WHO = 'real'\n__version__ = '3.3.0'\n", encoding="utf-8")
    (package / "only_there.py").write_text("", encoding="utf-8")
    (package / "providers" / "standard" / "__init__.py").write_text("WHO = 'real'\n", encoding="utf-8")
    return tmp_path


def test_a_real_airflow_wins_in_plain_python(installed: Environment, real_airflow: Path) -> None:
    assert installed.says(f"import sys; sys.path.append({str(real_airflow)!r}); {WHO}") == "real 3.3.0"


def test_tradewind_wins_in_its_own_processes(installed: Environment, real_airflow: Path) -> None:
    before = {path: path.read_bytes() for path in real_airflow.rglob("*.py")}

    said = installed.says(
        f"import sys; sys.path.insert(0, {str(real_airflow)!r}); {INSTALL}; {WHO};"
        " import airflow.providers.standard as s; print(getattr(s, 'WHO', 'tradewind'));\n"
        "try:\n    import airflow.only_there\nexcept ModuleNotFoundError as error:\n    print(error)"
    )

    assert said.splitlines() == ["tradewind 3.3.2", "tradewind", "there is no module 'airflow.only_there'"]
    assert {path: path.read_bytes() for path in real_airflow.rglob("*.py")} == before


def test_a_real_airflow_that_was_imported_before_is_refused(installed: Environment, real_airflow: Path) -> None:
    ran = installed.run("-c", f"import sys; sys.path.append({str(real_airflow)!r}); import airflow; {INSTALL}")

    assert "apache-airflow is already imported in this process" in ran.stderr


def test_an_editable_install_finds_airflow_too(tmp_path: Path) -> None:
    """What `make install` does."""
    environment = make_environment(tmp_path / "editable")
    borrow_packages(environment)
    install_wheel(environment, build_wheel(tmp_path, "editable"))

    assert environment.says(WHO) == "tradewind 3.3.2"
