"""Classes that operators declare to be safe to read back from XComs (`deserialization_allowed_class_fields`).

The task that reads a value is another than the one that made it, so all tasks of the DAG are asked, once.
"""

import logging
import typing
from collections.abc import Iterator
from typing import Any

from tradewind.sdk.dags import DAG
from tradewind.sdk.mapped import MappedOperator
from tradewind.sdk.serde import allow_class

log = logging.getLogger(__name__)


def allow_declared_classes(dag: DAG) -> None:
    """Let serde load what the operators of the DAG declare. What cannot be allowed is left out, and logged."""
    for task in dag.tasks:
        for cls in _declared_by(task):
            try:
                allow_class(cls)
            except ValueError as problem:
                log.warning("task %r declares a class that cannot be read back: %s", task.task_id, problem)


def _declared_by(task: Any) -> Iterator[type]:
    fields = getattr(task.operator_class, "deserialization_allowed_class_fields", ())
    for field in fields:
        is_mapped = isinstance(task, MappedOperator)
        yield from _models(task.partial_kwargs.get(field) if is_mapped else getattr(task, field, None))


def _models(annotation: Any) -> Iterator[type]:
    """The pydantic models in a class or in a type such as `list[Model]`."""
    if isinstance(annotation, type) and hasattr(annotation, "__pydantic_fields__"):
        yield annotation
    for part in typing.get_args(annotation):
        yield from _models(part)
