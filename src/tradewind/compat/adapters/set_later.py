"""The value of an argument that a decorated function brings when it runs."""

from typing import Final

from tradewind.sdk.notset import ArgNotSet


class SetDuringExecution(ArgNotSet):
    """The type of `SET_DURING_EXECUTION`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "DYNAMIC (set during execution)"

    __str__ = __repr__


SET_DURING_EXECUTION: Final = SetDuringExecution()
