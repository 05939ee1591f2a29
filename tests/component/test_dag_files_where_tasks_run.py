"""DAG files where tasks run. Cluster policies hold there too: what they changed of a task is what is executed (A8)."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

FILE = """
from datetime import timedelta
from airflow.sdk import DAG
from airflow.providers.standard.operators.bash import BashOperator

with DAG("sales", schedule=None):
    BashOperator(task_id="load", bash_command="x")
"""
POLICY = """
from datetime import timedelta
from airflow.exceptions import AirflowClusterPolicyViolation

def task_policy(task):
    if task.bash_command == "forbidden":
        raise AirflowClusterPolicyViolation("nobody may do that")
    task.execution_timeout = timedelta(minutes=7)
"""
# The process is used up by an import, as that of a task is.
SCRIPT = """
import json, sys
from tradewind.compat import install
install()
from tradewind.worker.child.dag_file import import_file
from tradewind.worker.protocol import DagFile
imported = import_file(DagFile(bundle="dags-folder", root=sys.argv[1], path="sales.py", plugins=""))
limits = {dag_id: str(dag.get_task("load").execution_timeout) for dag_id, dag in imported.dags.items()}
print(json.dumps([limits, imported.error]))
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "dags").mkdir()
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "airflow_local_settings.py").write_text(POLICY)
    return tmp_path


def imported(home: Path, file: str) -> Any:
    (home / "dags" / "sales.py").write_text(file)
    return imported_as_it_is(home)


def imported_as_it_is(home: Path) -> Any:
    command = [sys.executable, "-c", SCRIPT, str(home / "dags")]
    environ = {**os.environ, "TRADEWIND_HOME": str(home)}
    return json.loads(subprocess.run(command, env=environ, check=True, capture_output=True, text=True).stdout)


def test_a_task_is_executed_as_the_policy_has_changed_it(home: Path) -> None:
    assert imported(home, FILE) == [{"sales": "0:07:00"}, ""]


def test_what_the_policy_refuses_is_not_executed(home: Path) -> None:
    dags, error = imported(home, FILE.replace('"x"', '"forbidden"'))

    assert dags == {}
    assert "AirflowClusterPolicyViolation: nobody may do that" in error


def test_a_file_that_is_elsewhere_says_which_option_is_wrong(home: Path) -> None:
    """D6: the DAG processor may have been told of another folder."""
    dags, error = imported_as_it_is(home)

    assert dags == {}
    assert f"sales.py is not in {home / 'dags'}: does [core] dags_folder" in error
