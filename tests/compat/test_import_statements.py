"""D2: every import statement that works with Airflow 3.3.2 works here, and most of those that it broke."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.compat.facts import Statement, statements

WORKING = statements("ok", "deprecated")
# Nothing that could be given in their place: the message says what to do instead.
LEADS_NOWHERE = {
    "airflow.contrib.operators.ssh_operator:SSHOperator",
    "airflow.executors.debug_executor:DebugExecutor",
    "airflow.models:DagPickle",
    "airflow.models:SlaMiss",
    "airflow.models:TaskFail",
    "airflow.operators.trigger_dagrun:DagRunOrder",
    "airflow.www.app:create_app",
}
# The object is there once the provider package is; before, the message says how to install it.
IN_A_PROVIDER = {
    "airflow.executors.celery_executor:CeleryExecutor",
    "airflow.hooks.dbapi:DbApiHook",
    "airflow.hooks.postgres_hook:PostgresHook",
}
# The note names the provider package that Airflow moved it to, which few need to install for a word.
NOTE_NAMES_A_PROVIDER = {"airflow.security.permissions:ACTION_CAN_READ"}

Outcomes = dict[Statement, dict[str, Any]]


@pytest.fixture(scope="module")
def outcomes() -> Outcomes:
    """What each statement does in a new process."""
    tried = statements("ok", "deprecated", "star", "fails")
    script = Path(__file__).with_name("try_imports.py")
    told = "".join(f"{statement.module} {statement.name}\n" for statement in tried)
    ran = subprocess.run([sys.executable, str(script)], input=told, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return dict(zip(tried, map(json.loads, ran.stdout.splitlines()), strict=True))


def test_the_reference_has_302_working_statements() -> None:
    assert len(WORKING) == 302


@pytest.mark.parametrize("statement", statements("ok"), ids=str)
def test_what_works_in_airflow_works_silently(statement: Statement, outcomes: Outcomes) -> None:
    assert outcomes[statement] == {"first": [], "second": [], "new": []}


@pytest.mark.parametrize("statement", statements("deprecated", "star"), ids=str)
def test_old_paths_work_and_name_the_new_path_once(statement: Statement, outcomes: Outcomes) -> None:
    outcome = outcomes[statement]

    assert "error" not in outcome, outcome["error"]
    (note,) = outcome["first"]
    assert note.startswith(f"DeprecatedImportWarning: {statement.module}.{statement.name} is deprecated: use ")
    assert outcome["new"] == [str(statement) not in NOTE_NAMES_A_PROVIDER], (
        f"the path that the note names cannot be imported: {note}"
    )
    assert outcome["second"] == []


@pytest.mark.parametrize("statement", statements("fails"), ids=str)
def test_what_airflow_removed_works_or_says_what_to_do(statement: Statement, outcomes: Outcomes) -> None:
    outcome = outcomes[statement]

    if str(statement) in LEADS_NOWHERE:
        assert ": " in outcome["error"]
    elif str(statement) in IN_A_PROVIDER:
        assert "`tradewind providers install" in outcome["error"]
    else:
        assert "error" not in outcome, outcome["error"]
