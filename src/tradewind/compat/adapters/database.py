"""Tables of Airflow's metadata database, and functions that work on it.

The code of DAGs and tasks never reaches the database: Airflow 3 blocks it at run time, and no process of Tradewind
that runs user code has its address. The names still import, since provider packages and DAG files mention them in
annotations.
"""

from typing import Any, Final

from tradewind.compat.adapters.stand_in import stand_in

ID_LEN: Final = 250
"""How long an id may be."""

_BLOCKED: Final = "the metadata database cannot be reached from the code of DAGs and tasks"
_REST: Final = "ask the REST API (/api/v2) instead"

_INSTEAD: Final = {
    "Base": "keep tables of your own in a database of your own, with a declarative base of your own",
    "BaseDBManager": "`tradewind db migrate` looks after the schema",
    "DagRun": (
        "in a task use ti.get_dr_count(), ti.get_dagrun_state(), ti.get_previous_dagrun() or context['dag_run'];"
        " elsewhere the REST API (/api/v2/dags/{dag_id}/dagRuns)"
    ),
    "DagModel": "read dag or dag_run from the context of the task, or ask the REST API (/api/v2/dags)",
    "MetastoreBackend": "Variable.get() and BaseHook.get_connection() already look there last",
    "Pool": "manage pools with `tradewind pools` or the REST API (/api/v2/pools)",
    "SerializedDagModel": "read the DAG from the context of the task, or ask the REST API (/api/v2/dags)",
    "TaskInstance": (
        "in a task use context['ti'] with ti.xcom_pull(), ti.get_task_states() or ti.get_ti_count();"
        " elsewhere the REST API (/api/v2/dags/{dag_id}/dagRuns/{run_id}/taskInstances)"
    ),
    "XComModel": "in a task use ti.xcom_pull() and ti.xcom_push()",
    "clear_task_instances": "clear tasks with the REST API (/api/v2/dags/{dag_id}/clearTaskInstances)",
    "create_default_connections": "add connections with `tradewind connections` or the REST API (/api/v2/connections)",
    "expand_alias_to_assets": "read outlet_events and inlet_events of the task's context",
    "initdb": "run `tradewind db migrate`",
    "merge_conn": "add connections with `tradewind connections` or the REST API (/api/v2/connections)",
    "resetdb": "run `tradewind db migrate` on an empty database",
    "upgradedb": "run `tradewind db migrate`",
}


def blocked(name: str) -> Any:
    """A table or a function that refuses to be used, and says what to use instead."""
    return stand_in(name, __name__, f"{_BLOCKED}; {_INSTEAD.get(name, _REST)}")


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    value = blocked(name)
    # The same object each time: people compare classes.
    globals()[name] = value
    return value
