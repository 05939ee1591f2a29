"""Waiting for a Python function to say yes."""

from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from tradewind.sdk.context import Context
from tradewind.sdk.sensor import PokeReturnValue
from tradewind.sdk.standard.waiting_between_looks import WaitingBetweenLooks
from tradewind.sdk.taskflow import determine_kwargs


class PythonSensor(WaitingBetweenLooks):
    """Wait until the function returns something true, or a `PokeReturnValue` that is done.

    With `deferrable` it waits in the triggerer between two calls, which are made in workers.
    """

    template_fields: Sequence[str] = ("templates_dict", "op_args", "op_kwargs")

    def __init__(
        self,
        *,
        python_callable: Callable[..., Any],
        op_args: Sequence[Any] | None = None,
        op_kwargs: Mapping[str, Any] | None = None,
        templates_dict: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.python_callable = python_callable
        self.op_args = op_args or []
        self.op_kwargs = op_kwargs or {}
        self.templates_dict = templates_dict

    def poke(self, context: Context) -> PokeReturnValue | bool:
        """Call the function once."""
        context["templates_dict"] = self.templates_dict
        given = ChainMap(dict(self.op_kwargs), cast("dict[str, Any]", context))
        arguments = determine_kwargs(self.python_callable, self.op_args, given)
        answer = self.python_callable(*self.op_args, **arguments)
        return answer if isinstance(answer, PokeReturnValue) else PokeReturnValue(bool(answer))
