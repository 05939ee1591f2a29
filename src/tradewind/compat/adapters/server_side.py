"""Parts of Airflow's own servers: executors, the web application, the command line, its serialized form of DAGs.

Tradewind has its own. The names import, since plugins and provider packages subclass and mention them beside what
does work.
"""

from typing import Any, Final

from tradewind.compat.adapters.stand_in import stand_in

_DEFAULT: Final = "it belongs to Airflow's own servers, which Tradewind replaces by its own"

_EXECUTORS: Final = (
    "executors of Airflow do not run here; name one of Tradewind's in [core] executor (LocalExecutor, CeleryExecutor,"
    " KubernetesExecutor)"
)
_EVENTS: Final = "events come from the outlets of tasks, from triggers, or from the REST API (/api/v2/assets/events)"
_TRIGGER: Final = (
    "use TriggerDagRunOperator in a DAG, `tradewind dags trigger`, or the REST API (/api/v2/dags/{dag_id}/dagRuns)"
)
_SERIALIZED: Final = (
    "Tradewind stores DAGs in a form of its own; `tradewind dags lint` says whether a file can be stored"
)
_PARSED: Final = "use DagBag(dag_folder=...).get_dag(dag_id)"
_AUTH: Final = "auth managers of Airflow do not run here; see the settings of Tradewind's API server"

_INSTEAD: Final = {
    "AssetManager": _EVENTS,
    "BaseAuthManager": _AUTH,
    "BaseExecutor": _EXECUTORS,
    "Client": _TRIGGER,
    "DagSerialization": _SERIALIZED,
    "ExecutorLoader": _EXECUTORS,
    "LocalExecutor": _EXECUTORS,
    "SerializedBaseOperator": _SERIALIZED,
    "SerializedDAG": _SERIALIZED,
    "SimpleAuthManager": _AUTH,
    "asset_manager": _EVENTS,
    "get_auth_manager": _AUTH,
    "get_bagged_dag": _PARSED,
    "get_current_api_client": _TRIGGER,
    "get_dag": _PARSED,
    "get_fernet": "no process that runs user code has the key; keep secrets in connections and variables",
    "trigger_dag": _TRIGGER,
}


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    value = stand_in(name, __name__, _INSTEAD.get(name, _DEFAULT))
    # The same object each time: people compare classes.
    globals()[name] = value
    return value
