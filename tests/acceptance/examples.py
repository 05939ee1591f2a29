"""Airflow's own example DAGs: which can be run here, and what Airflow makes of them."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final, TypedDict

DAGS_FOLDER: Final = Path(__file__).with_name("dags")
STATES_FILE: Final = Path(__file__).with_name("airflow_states.json")
# A Wednesday: some examples sleep at weekends. The same for all, because some wait for the run of another.
LOGICAL_DATE: Final = "2026-01-07T00:00:00+00:00"

FOLDER_VARIABLE: Final = "ACCEPTANCE_FOLDER"
"""Where the DAGs of `dags/` write down what happened to them."""

BETWEEN_VARIABLE: Final = "ACCEPTANCE_BETWEEN_S"
"""How many seconds their sensors wait before they look again."""

POOLS: Final = {"narrow": 2, "single": 1}
"""The pools that the DAGs of `dags/` need."""

EITHER_WAY: Final = {
    "example_branch_datetime_operator_2": r"date_.*",
    "example_branch_operator": r".*_[abcd]",
    "example_branch_python_operator_decorator": r".*_[abcd]",
    "example_sensors": "week_day_sensor_failing_on_timeout",
    "example_weekday_branch_operator": r"branch_.*|make_weekend_choice",
}
"""Tasks (a pattern) that are run or skipped as the hour, the day of the week or chance says."""

CONNECTIONS: Final = {"AIRFLOW_CONN_FS_DEFAULT": "fs://"}
"""What examples expect to be there."""

_SAME_URI: Final = "two examples give one URI two names; the file that is read first decides which of them fails"

NOT_ASKED: Final = {
    "after_the_past": "needs several runs, one of which waits for ever",
    "mapped_widely": "takes Airflow an hour",
    "asset_with_extra_by_context": _SAME_URI,
    "asset_with_extra_by_yield": _SAME_URI,
    "asset_with_extra_from_classic_operator": _SAME_URI,
    "read_asset_event": _SAME_URI,
    "read_asset_event_from_classic": _SAME_URI,
    "child_dag": "is triggered by example_external_task, and must have no other run of that date",
    "example_dag_decorator": "asks a server on the Internet for its own address",
    "example_task_state_store_async": "fails in Airflow 3.3.2, which has not the method that the example calls",
    "example_hitl_operator": "waits for people, whom `test_example_dags` plays",
    "example_retry_policy": "asks a server on the Internet, again after minutes",
    "tutorial_objectstorage": "reads from the Internet and writes to S3",
}

SLOW: Final = {
    "example_external_task": "looks once a minute whether another task has ended",
    "example_sensors": "looks once a minute, too",
}
"""Examples that take so long that one database is enough for them."""

MARKED: Final = {"example_sensors": "timeout_after_second_date_in_the_future_async"}
"""A task that waits for an hour in the triggerer, in Airflow as here: a person marks it as a success while it does."""

REQUIREMENTS: Final = ("colorama==0.4.0", "dill", "funcsigs", "numpy~=1.26.0")
"""What some examples install into environments of their own."""


class States(TypedDict):
    """How a run ended: its state, and those of its tasks."""

    file: str
    run: str
    tasks: dict[str, str]


class Answers(TypedDict):
    """The content of `airflow_states.json`."""

    packages: dict[str, str]
    dags: dict[str, States]


def answers_of_airflow() -> Answers:
    """What Airflow made of DAGs."""
    answers: Answers = json.loads(STATES_FILE.read_text(encoding="utf-8"))
    return answers


def known_of(folder: Path) -> dict[str, States]:
    """The DAGs of the files of a folder of which it is known how they end in Airflow."""
    names = {path.name for path in folder.rglob("*.py")}
    return {dag_id: states for dag_id, states in answers_of_airflow()["dags"].items() if states["file"] in names}


def differences(dag_id: str, run: str, tasks: Mapping[str, str]) -> dict[str, tuple[object, object]]:
    """What is not as in Airflow: name of a task, or `run`, to its state there and its state here."""
    known = answers_of_airflow()["dags"][dag_id]
    there = {"run": known["run"], **{f"task {name}": state for name, state in known["tasks"].items()}}
    here = {"run": run, **{f"task {name}": state for name, state in tasks.items()}}
    different = {name for name in there.keys() | here.keys() if there.get(name) != here.get(name)}
    pattern = EITHER_WAY.get(dag_id)
    if pattern is not None:
        different = {
            name
            for name in different
            if not (re.fullmatch(f"task (?:{pattern})", name) and here.get(name) in {"skipped", "success"})
        }
    return {name: (there.get(name), here.get(name)) for name in sorted(different)}
