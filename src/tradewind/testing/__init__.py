"""What tests of Tradewind, and of the DAGs that run on it, are built from. Shipped, so that users have it too.

`run_dag` runs a DAG in memory through the real scheduler: start reading at `running.py`, then `engine.py`. May import
everything; nothing of Tradewind imports it (`DAG.test` loads it when it is called).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tradewind.testing.clock import FakeClock as FakeClock
    from tradewind.testing.dag_files import load_dags as load_dags
    from tradewind.testing.result import RunResult as RunResult
    from tradewind.testing.result import TaskResult as TaskResult
    from tradewind.testing.running import run_dag as run_dag

_HOMES = {
    "FakeClock": "clock",
    "RunResult": "result",
    "TaskResult": "result",
    "load_dags": "dag_files",
    "run_dag": "running",
}

__all__ = ["FakeClock", "RunResult", "TaskResult", "load_dags", "run_dag"]


def __getattr__(name: str) -> Any:
    """Load a name when it is first used: a test of one module needs no scheduler."""
    if name not in _HOMES:
        raise AttributeError(f"tradewind.testing has no {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
