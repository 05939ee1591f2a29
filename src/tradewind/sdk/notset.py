"""The value of an argument that nobody gave, where `None` means something of its own."""

from typing import Final, TypeVar

T = TypeVar("T")


class ArgNotSet:
    """The type of `NOTSET`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "NOTSET"

    def __copy__(self) -> "ArgNotSet":
        return self

    def __deepcopy__(self, memo: object) -> "ArgNotSet":
        return self


NOTSET: Final = ArgNotSet()


def is_arg_set(value: object) -> bool:
    """Whether the argument was given."""
    return not isinstance(value, ArgNotSet)
