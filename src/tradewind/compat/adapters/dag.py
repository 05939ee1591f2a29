"""`DAG` and `dag` as the paths of Airflow 2 have them: the same as in the SDK, with the old arguments understood."""

from typing import Any

from tradewind.compat.adapters.old_arguments import translate_dag_arguments
from tradewind.sdk import dag_decorator, dags


class _OldPath(type):
    """Calling the class makes a DAG of the SDK, and every DAG of the SDK is one of these."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        kwargs = translate_dag_arguments(kwargs)
        if cls is DAG:
            return dags.DAG(*args, **kwargs)
        return super().__call__(*args, **kwargs)

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, dags.DAG) if cls is DAG else super().__instancecheck__(instance)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, dags.DAG) if cls is DAG else super().__subclasscheck__(subclass)


class DAG(dags.DAG, metaclass=_OldPath):
    """A set of tasks, and when they run. See `tradewind.sdk.DAG`."""


def dag(dag_id_or_func: Any = None, **decorator_kwargs: Any) -> Any:
    """The decorated function, when called, defines a DAG. See `tradewind.sdk.dag`."""
    return dag_decorator.dag(dag_id_or_func, **translate_dag_arguments(decorator_kwargs))


def check_cycle(dag: dags.DAG) -> None:
    """Raise if tasks of the DAG depend on each other in a circle."""
    dag.check_cycle()
