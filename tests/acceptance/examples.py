"""Airflow's own example DAGs: which can be run here, and what Airflow makes of them."""

from pathlib import Path
from typing import Final

DAGS_FOLDER: Final = Path(__file__).with_name("dags")
STATES_FILE: Final = Path(__file__).with_name("airflow_states.json")
# A Wednesday: some examples sleep at weekends. The same for all, because some wait for the run of another.
LOGICAL_DATE: Final = "2026-01-07T00:00:00+00:00"

FOLDER_VARIABLE: Final = "ACCEPTANCE_FOLDER"
"""Where the DAGs of `dags/` write down what happened to them."""

POOLS: Final = {"narrow": 2, "single": 1}
"""The pools that the DAGs of `dags/` need."""

BY_CHANCE: Final = frozenset({"example_branch_operator", "example_branch_python_operator_decorator"})
"""Examples that throw a coin."""

NOT_ASKED: Final = {
    "example_dag_decorator": "asks a server on the Internet for its own address",
    "example_hitl_operator": "waits for a person",
    "example_retry_policy": "asks a server on the Internet, again after minutes",
    "tutorial_objectstorage": "reads from the Internet and writes to S3",
}
