"""Airflow's own example files are read, compiled and written down (A5, D2).

The files come with Airflow's packages, which are fetched from the registry; none is kept in this repository.
"""

import importlib.util
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

PACKAGES = {"apache-airflow-core": "3.3.2", "apache-airflow-providers-standard": "1.21.0"}
FOLDERS = ("airflow/example_dags/", "airflow/providers/standard/example_dags/")
FILES = 67
# They define no DAG where the library of their operators is not installed.
FOR_KUBERNETES = {"example_kubernetes_executor.py", "example_local_kubernetes_executor.py"}


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the `airflow` folder of both packages, as far as it is about examples."""
    root = tmp_path_factory.mktemp("examples")
    wanted = [f"{name}=={version}" for name, version in PACKAGES.items()]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(root), *wanted]
    fetched = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
    if fetched.returncode != 0:
        pytest.skip(f"NO REGISTRY: Airflow's example files could not be fetched: {fetched.stderr.strip()[-300:]}")
    for wheel in root.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(root, [name for name in archive.namelist() if name.startswith(FOLDERS)])
    return root


def test_every_example_of_airflow_is_compiled(examples: Path) -> None:
    """D2, A5: 47 files of the core and 20 of the standard provider, unchanged."""
    files = [path for folder in FOLDERS for path in sorted((examples / folder).glob("*.py"))]
    files = [path for path in files if path.name != "__init__.py"]
    assert len(files) == FILES
    driver = Path(__file__).with_name("parse_files.py")
    command = [sys.executable, str(driver), str(examples / "airflow"), *map(str, files)]

    ran = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)

    assert ran.returncode == 0, ran.stderr
    outcomes = dict(map(json.loads, ran.stdout.splitlines()))
    empty = {name for name, outcome in outcomes.items() if outcome == []}
    assert {name: outcome for name, outcome in outcomes.items() if not isinstance(outcome, list)} == {}
    assert empty == (set() if importlib.util.find_spec("kubernetes") else FOR_KUBERNETES)
    assert len(outcomes) == FILES
