"""`@task`. A module of its own, because almost every DAG file loads it: no third-party module comes with it."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, ClassVar

from tradewind.sdk.context import Context, looks_up_keys, needs_whole, whole
from tradewind.sdk.standard.python import PythonOperator
from tradewind.sdk.taskflow import DecoratedOperator, task_decorator_factory


class _PythonDecoratedOperator(DecoratedOperator, PythonOperator):
    """A function as a task."""

    template_fields: Sequence[str] = PythonOperator.template_fields
    template_fields_renderers: ClassVar[dict[str, str]] = PythonOperator.template_fields_renderers
    custom_operator_name: str = "@task"

    def __init__(
        self,
        *,
        python_callable: Callable[..., Any],
        op_args: Collection[Any] | None = None,
        op_kwargs: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            # Both parents take these.
            kwargs_to_upstream={"python_callable": python_callable, "op_args": op_args, "op_kwargs": op_kwargs},
            python_callable=python_callable,
            op_args=op_args,
            op_kwargs=op_kwargs,
            **kwargs,
        )

    @looks_up_keys
    def execute(self, context: Context) -> Any:
        """What the operator behind the decorator does."""
        execute = super(DecoratedOperator, self).execute
        return execute(whole(context) if needs_whole(execute) else context)


def python_task(
    python_callable: Callable[..., Any] | None = None, multiple_outputs: bool | None = None, **kwargs: Any
) -> Any:
    """Make a task of a function."""
    return task_decorator_factory(
        python_callable=python_callable,
        multiple_outputs=multiple_outputs,
        decorated_operator_class=_PythonDecoratedOperator,
        **kwargs,
    )
