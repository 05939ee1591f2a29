"""What a mapped task or group is mapped over."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from tradewind.sdk.exceptions import UnmappableXComTypePushed
from tradewind.sdk.lazy_module import LazyModule
from tradewind.sdk.xcom_arg import XCOM_RETURN_KEY, PlainXComArg, ResolveMixin, XComArg

if TYPE_CHECKING:
    from tradewind.model import mapping as _mapping
    from tradewind.model.mapping import MapLength
    from tradewind.sdk.abstract_operator import AbstractOperator
    from tradewind.sdk.context import Context
else:
    _mapping = LazyModule("tradewind.model.mapping")


def is_mappable(value: Any) -> bool:
    """Whether a task can be mapped over the value: it has a number of elements that can be taken one by one."""
    if isinstance(value, XComArg):
        return not isinstance(value, PlainXComArg) or value.key == XCOM_RETURN_KEY
    return isinstance(value, Mapping | MappedArgument) or (
        isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray)
    )


def _length(value: Any) -> MapLength:
    if isinstance(value, XComArg):
        return value.map_length()
    if isinstance(value, MappedArgument):
        raise NotImplementedError("a task inside a mapped group cannot be mapped over what the group is mapped over")
    return _mapping.FixedLength(len(value))


def _element(value: Any, index: int) -> Any:
    if isinstance(value, Mapping):
        return list(value.items())[index]
    try:
        return value[index]
    except TypeError:
        raise UnmappableXComTypePushed(value) from None


@dataclass(frozen=True, slots=True, eq=False)
class DictOfListsInput:
    """Each argument has a list of values: one copy for each combination, the last argument varying fastest."""

    EXPAND_INPUT_TYPE: ClassVar[str] = "dict-of-lists"
    value: dict[str, Any]

    def map_length(self) -> MapLength:
        """How many combinations there will be."""
        lengths = tuple(_length(value) for value in self.value.values())
        return lengths[0] if len(lengths) == 1 else _mapping.Product(lengths)

    def iter_references(self) -> Iterator[tuple[AbstractOperator, str]]:
        """The tasks whose output it is made of."""
        for value in self.value.values():
            yield from XComArg.iter_xcom_references(value)

    def argument_names(self) -> list[str]:
        """What the copies differ in, as far as the file says it."""
        return list(self.value)

    def resolve(self, context: Context) -> dict[str, Any]:
        """The arguments of the copy that runs."""
        index = _own_index(context)
        chosen: dict[str, Any] = {}
        for name, value in reversed(self.value.items()):
            element, length = _counted_element(value, index, context)
            index //= length
            chosen[name] = _resolved(element, context)
        return {name: chosen[name] for name in self.value}


@dataclass(frozen=True, slots=True, eq=False)
class ListOfDictsInput:
    """One copy for each dict of arguments."""

    EXPAND_INPUT_TYPE: ClassVar[str] = "list-of-dicts"
    value: Any

    def map_length(self) -> MapLength:
        """How many dicts there will be."""
        return _length(self.value)

    def iter_references(self) -> Iterator[tuple[AbstractOperator, str]]:
        """The tasks whose output it is made of."""
        return XComArg.iter_xcom_references(self.value)

    def argument_names(self) -> list[str]:
        """What the copies differ in, as far as the file says it."""
        if not isinstance(self.value, list):
            return []
        return list(dict.fromkeys(name for element in self.value if isinstance(element, Mapping) for name in element))

    def resolve(self, context: Context) -> dict[str, Any]:
        """The arguments of the copy that runs."""
        index = _own_index(context)
        element = _resolved(self._element(index, context), context)
        if not isinstance(element, Mapping):
            raise TypeError(f"expand_kwargs() needs a dict for each copy, but number {index} is {element!r}")
        wrong = next((name for name in element if not isinstance(name, str)), None)
        if wrong is not None:
            raise ValueError(
                f"expand_kwargs() needs names of arguments as keys, but number {index} has the key {wrong!r}"
            )
        return {name: _resolved(value, context) for name, value in element.items()}

    def _element(self, index: int, context: Context) -> Any:
        pulled = _pulled_element(self.value, index, context)
        if pulled is not None and index < pulled[1]:
            return pulled[0]
        return _element(_resolved(self.value, context), index)


def _own_index(context: Context) -> int:
    index = context["ti"].map_index
    if index is None or index < 0:
        raise RuntimeError("a mapped task can only be resolved for one of its map indexes")
    return int(index)


def _counted_element(value: Any, index: int, context: Context) -> tuple[Any, int]:
    """The element at an index that is counted round and round, and how many elements there are."""
    pulled = _pulled_element(value, index, context)
    if pulled is not None:
        return pulled
    elements = _resolved(value, context)
    length = max(1, len(elements))
    return _element(elements, index % length), length


def _pulled_element(value: Any, index: int, context: Context) -> tuple[Any, int] | None:
    """The same, if it can be had without all other elements: each of many copies would fetch the whole list."""
    return context["ti"].pull_element(value.operator, index) if isinstance(value, PlainXComArg) else None


def _resolved(value: Any, context: Context) -> Any:
    return value.resolve(context) if isinstance(value, ResolveMixin) else value


ExpandInput = DictOfListsInput | ListOfDictsInput


def dict_of_lists(mapped: Mapping[str, Any]) -> DictOfListsInput:
    """`expand(**mapped)`, checked."""
    for name, value in mapped.items():
        if not is_mappable(value):
            raise ValueError(
                f"expand() needs a list, a dict or what a task returns, but {name} is {value!r}"
                f" ({type(value).__name__})"
            )
    return DictOfListsInput(dict(mapped))


def list_of_dicts(value: Any) -> ListOfDictsInput:
    """`expand_kwargs(value)`, checked."""
    if isinstance(value, XComArg) and is_mappable(value):
        return ListOfDictsInput(value)
    if isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping | XComArg):
        elements = list(value)
        for element in elements:
            if not isinstance(element, Mapping | XComArg):
                raise TypeError(f"expand_kwargs() needs a list of dicts, but one element is {element!r}")
        return ListOfDictsInput(elements)
    raise TypeError(f"expand_kwargs() needs a list of dicts or what a task returns, not {type(value).__name__}")


class MappedArgument(ResolveMixin):
    """One argument of a mapped group: inside the group it stands for the value of the group's copy."""

    def __init__(self, *, expand_input: ExpandInput, key: str) -> None:
        self._expand_input = expand_input
        self._key = key

    def __repr__(self) -> str:
        return f"MappedArgument({self._key!r})"

    def iter_references(self) -> Iterator[tuple[AbstractOperator, str]]:
        """The tasks whose output the group is mapped over."""
        return self._expand_input.iter_references()

    def resolve(self, context: Context) -> Any:
        """The value for the copy of the group that runs."""
        return self._expand_input.resolve(context)[self._key]
