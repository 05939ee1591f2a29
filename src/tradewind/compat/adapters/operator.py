"""Operators as the paths of Airflow 2 have them: the same as in the SDK, with the old arguments understood."""

from functools import cache
from typing import Any, cast

from tradewind.compat.adapters.old_arguments import translate_operator_arguments
from tradewind.sdk import operator
from tradewind.sdk.mapped import parameters_of
from tradewind.sdk.operator_meta import OperatorMeta


class _OldPath(OperatorMeta):
    """Calling such a class makes an operator of the class that it stands for, and each of those is one of these."""

    _stands_for: type

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:  # noqa: N805 - of a metaclass
        kwargs = translate_operator_arguments(
            cls.__name__, kwargs, takes=parameters_of(cast("type[operator.BaseOperator]", cls))
        )
        own = cls.__dict__.get("_stands_for")
        return super().__call__(*args, **kwargs) if own is None else own(*args, **kwargs)

    def __instancecheck__(cls, instance: Any) -> bool:  # noqa: N805 - of a metaclass
        own = cls.__dict__.get("_stands_for")
        return super().__instancecheck__(instance) if own is None else own in type(instance).__mro__

    def __subclasscheck__(cls, subclass: type) -> bool:  # noqa: N805 - of a metaclass
        own = cls.__dict__.get("_stands_for")
        # Not `issubclass(subclass, own)`: that asks the subclasses of `own`, of which this is one.
        return super().__subclasscheck__(subclass) if own is None else own in subclass.__mro__


@cache
def with_old_arguments(operator_class: Any) -> Any:
    """The operator class, with the arguments of Airflow 2 understood. It keeps its name and module: they are stored."""
    namespace = {
        "__module__": operator_class.__module__,
        "__qualname__": operator_class.__qualname__,
        "__doc__": operator_class.__doc__,
        "_stands_for": operator_class,
    }
    return _OldPath(operator_class.__name__, (operator_class,), namespace)


BaseOperator = with_old_arguments(operator.BaseOperator)
