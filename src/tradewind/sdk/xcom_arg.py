"""Outputs of tasks as values of a DAG file: known by name while the DAG is written, by content when a task runs."""

from __future__ import annotations

import copy
import inspect
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import chain as chained
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from tradewind.sdk.lazy_module import LazyModule
from tradewind.sdk.node import DependencyMixin
from tradewind.sdk.notset import NOTSET, ArgNotSet, is_arg_set
from tradewind.sdk.setup_teardown import SetupTeardownContext

if TYPE_CHECKING:
    from tradewind.model import mapping as _mapping
    from tradewind.model.mapping import MapLength
    from tradewind.sdk.abstract_operator import AbstractOperator
    from tradewind.sdk.context import Context
    from tradewind.sdk.edges import EdgeModifier
else:
    _mapping = LazyModule("tradewind.model.mapping")

XCOM_RETURN_KEY = "return_value"


class ResolveMixin:
    """A value that is known only while a task runs."""

    @abstractmethod
    def iter_references(self) -> Iterable[tuple[AbstractOperator, str]]:
        """The tasks whose output it is made of, each with the key of the output."""

    @abstractmethod
    def resolve(self, context: Context) -> Any:
        """The value, for the task instance that runs."""


class XComArg(ResolveMixin, DependencyMixin):
    """The output of a task. `XComArg(task)` is `task.output`."""

    def __new__(cls, *_args: Any, **_kwargs: Any) -> XComArg:
        """`XComArg(...)` itself means the plain output of one task."""
        return object.__new__(PlainXComArg if cls is XComArg else cls)

    @staticmethod
    def iter_xcom_references(arg: Any) -> Iterator[tuple[AbstractOperator, str]]:
        """All outputs of tasks anywhere inside a value."""
        seen: set[int] = set()
        ahead = [arg]
        while ahead:
            value = ahead.pop()
            if isinstance(value, ResolveMixin):
                yield from value.iter_references()
            elif id(value) not in seen:
                seen.add(id(value))
                ahead.extend(_parts(value))

    @staticmethod
    def apply_upstream_relationship(op: DependencyMixin, arg: Any) -> None:
        """A task that uses an output comes after the task whose output it is."""
        for operator, _ in XComArg.iter_xcom_references(arg):
            if operator is not op:
                op.set_upstream(operator)

    @property
    def roots(self) -> list[DependencyMixin]:
        return [operator for operator, _ in self.iter_references()]

    @property
    def leaves(self) -> list[DependencyMixin]:
        return [operator for operator, _ in self.iter_references()]

    def set_upstream(
        self, other: DependencyMixin | Sequence[DependencyMixin], edge_modifier: EdgeModifier | None = None
    ) -> None:
        """Put `other` before the tasks whose output this is."""
        for operator, _ in self.iter_references():
            operator.set_upstream(other, edge_modifier)

    def set_downstream(
        self, other: DependencyMixin | Sequence[DependencyMixin], edge_modifier: EdgeModifier | None = None
    ) -> None:
        """Put `other` after the tasks whose output this is."""
        for operator, _ in self.iter_references():
            operator.set_downstream(other, edge_modifier)

    def map(self, f: Callable[[Any], Any]) -> MapXComArg:
        """The output with `f` applied to each element; `f` runs in the task that uses it."""
        return MapXComArg(self, [f])

    def zip(self, *others: XComArg, fillvalue: Any = NOTSET) -> ZipXComArg:
        """Elements of several outputs side by side: as many as the shortest has, or the longest with a fill value."""
        return ZipXComArg([self, *others], fillvalue=fillvalue)

    def concat(self, *others: XComArg) -> ConcatXComArg:
        """The elements of several outputs one after another."""
        return ConcatXComArg([self, *others])

    @abstractmethod
    def map_length(self) -> MapLength:
        """How many elements there will be, for a task that is mapped over it."""

    def __iter__(self) -> Iterator[Any]:
        raise TypeError(f"{self!r} is not known while the DAG is written; map a task over it with expand()")

    def __enter__(self) -> type[SetupTeardownContext]:
        SetupTeardownContext.push([operator for operator, _ in self.iter_references()])
        return SetupTeardownContext

    def __exit__(self, *exc_info: object) -> None:
        SetupTeardownContext.pop()


def _parts(value: Any) -> Iterable[Any]:
    """What a value is made of, as far as templates look into it."""
    if isinstance(value, str | bytes):
        return ()
    if isinstance(value, Mapping):
        return chained(value.keys(), value.values())
    if isinstance(value, list | tuple | set | frozenset):
        return value
    fields = getattr(value, "template_fields", None)
    if isinstance(fields, Iterable) and not isinstance(value, type):
        return [getattr(value, field, None) for field in fields]
    return ()


class PlainXComArg(XComArg):
    """The output of one task, or one key of it."""

    def __init__(self, operator: AbstractOperator, key: str = XCOM_RETURN_KEY) -> None:
        self.operator = operator
        self.key = key

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PlainXComArg):
            return NotImplemented
        return self.operator == other.operator and self.key == other.key

    def __hash__(self) -> int:
        return hash((id(self.operator), self.key))

    def __getitem__(self, item: str) -> XComArg:
        if not isinstance(item, str):
            raise TypeError(f"an output is indexed with the name of an XCom key, which is a string, not {item!r}")
        return PlainXComArg(self.operator, item)

    def __repr__(self) -> str:
        key = "" if self.key == XCOM_RETURN_KEY else f", {self.key!r}"
        return f"XComArg({self.operator!r}{key})"

    def __str__(self) -> str:
        """A template that pulls the output: an output may be put into the middle of a text."""
        pulled = f"task_ids='{self.operator.task_id}', dag_id='{self.operator.dag_id}'"
        if self.key == XCOM_RETURN_KEY:
            return f"{{{{ task_instance.xcom_pull({pulled}, key='{XCOM_RETURN_KEY}') }}}}"
        return f"{{{{ task_instance.xcom_pull({pulled}, key='{self.key}') }}}}"

    @property
    def is_setup(self) -> bool:
        return self.operator.is_setup

    @is_setup.setter
    def is_setup(self, value: bool) -> None:
        self.operator.is_setup = value

    @property
    def is_teardown(self) -> bool:
        return self.operator.is_teardown

    @is_teardown.setter
    def is_teardown(self, value: bool) -> None:
        self.operator.is_teardown = value

    @property
    def on_failure_fail_dagrun(self) -> bool:
        return self.operator.on_failure_fail_dagrun

    @on_failure_fail_dagrun.setter
    def on_failure_fail_dagrun(self, value: bool) -> None:
        self.operator.on_failure_fail_dagrun = value

    def as_setup(self) -> DependencyMixin:
        """Mark the task as a setup."""
        self.operator.as_setup()
        return self

    def as_teardown(
        self,
        *,
        setups: DependencyMixin | Iterable[DependencyMixin] | None = None,
        on_failure_fail_dagrun: bool | None = None,
    ) -> DependencyMixin:
        """Mark the task as a teardown."""
        self.operator.as_teardown(setups=setups, on_failure_fail_dagrun=on_failure_fail_dagrun)
        return self

    def iter_references(self) -> Iterator[tuple[AbstractOperator, str]]:
        yield self.operator, self.key

    def map(self, f: Callable[[Any], Any]) -> MapXComArg:
        if self.key != XCOM_RETURN_KEY:
            raise ValueError(f"only what a task returns can be mapped over, not its XCom {self.key!r}")
        return super().map(f)

    def zip(self, *others: XComArg, fillvalue: Any = NOTSET) -> ZipXComArg:
        if self.key != XCOM_RETURN_KEY:
            raise ValueError(f"only what a task returns can be zipped, not its XCom {self.key!r}")
        return super().zip(*others, fillvalue=fillvalue)

    def concat(self, *others: XComArg) -> ConcatXComArg:
        if self.key != XCOM_RETURN_KEY:
            raise ValueError(f"only what a task returns can be concatenated, not its XCom {self.key!r}")
        return super().concat(*others)

    def map_length(self) -> MapLength:
        return _mapping.OutputLength(self.operator.task_id)

    def resolve(self, context: Context) -> Any:
        return context["ti"].pull_output(self.operator, self.key)


class MapXComArg(XComArg):
    """An output with functions applied to each of its elements."""

    def __init__(self, arg: XComArg, callables: Sequence[Callable[[Any], Any]]) -> None:
        for function in callables:
            if getattr(function, "is_task_decorator", False):
                raise ValueError(
                    "map() takes a plain function, not a @task: it runs inside the task that uses the result"
                )
        self.arg = arg
        self.callables = list(callables)

    def __repr__(self) -> str:
        return f"{self.arg!r}" + "".join(f".map({_name(function)})" for function in self.callables)

    def iter_references(self) -> Iterable[tuple[AbstractOperator, str]]:
        return self.arg.iter_references()

    def map(self, f: Callable[[Any], Any]) -> MapXComArg:
        return MapXComArg(self.arg, [*self.callables, f])

    def map_length(self) -> MapLength:
        return self.arg.map_length()

    def resolve(self, context: Context) -> MappedSequence:
        return MappedSequence(self.arg.resolve(context), self.callables)


class ZipXComArg(XComArg):
    """Elements of several outputs side by side."""

    def __init__(self, args: Sequence[XComArg], *, fillvalue: Any = NOTSET) -> None:
        if not args:
            raise ValueError("zip() needs at least one output")
        self.args = list(args)
        self.fillvalue = fillvalue

    def __repr__(self) -> str:
        first, *others = self.args
        fill = f", fillvalue={self.fillvalue!r}" if is_arg_set(self.fillvalue) else ""
        return f"{first!r}.zip({', '.join(map(repr, others))}{fill})"

    def iter_references(self) -> Iterator[tuple[AbstractOperator, str]]:
        for arg in self.args:
            yield from arg.iter_references()

    def map_length(self) -> MapLength:
        return _mapping.Zip(tuple(arg.map_length() for arg in self.args), longest=is_arg_set(self.fillvalue))

    def resolve(self, context: Context) -> list[tuple[Any, ...]]:
        values = [arg.resolve(context) for arg in self.args]
        if isinstance(self.fillvalue, ArgNotSet):
            return list(zip(*values, strict=False))
        return list(zip_longest(*values, fillvalue=self.fillvalue))


class ConcatXComArg(XComArg):
    """The elements of several outputs one after another."""

    def __init__(self, args: Sequence[XComArg]) -> None:
        if not args:
            raise ValueError("concat() needs at least one output")
        self.args = list(args)

    def __repr__(self) -> str:
        first, *others = self.args
        return f"{first!r}.concat({', '.join(map(repr, others))})"

    def iter_references(self) -> Iterator[tuple[AbstractOperator, str]]:
        for arg in self.args:
            yield from arg.iter_references()

    def concat(self, *others: XComArg) -> ConcatXComArg:
        return ConcatXComArg([*self.args, *others])

    def map_length(self) -> MapLength:
        return _mapping.Concat(tuple(arg.map_length() for arg in self.args))

    def resolve(self, context: Context) -> list[Any]:
        return list(chained.from_iterable(_elements(arg.resolve(context)) for arg in self.args))


class MappedSequence(Sequence[Any]):
    """A sequence whose elements pass through functions when they are taken out."""

    def __init__(self, value: Any, callables: Sequence[Callable[[Any], Any]]) -> None:
        self._value = list(value.items()) if isinstance(value, Mapping) else value
        self._callables = callables

    def __len__(self) -> int:
        return len(self._value)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self._passed(element) for element in self._value[index]]
        return self._passed(self._value[index])

    def __iter__(self) -> Iterator[Any]:
        return map(self._passed, self._value)

    def _passed(self, element: Any) -> Any:
        # Each function gets a copy of its own: what one does to a list or dict must not show in another task.
        return reduce(lambda value, function: function(copy.copy(value)), self._callables, element)


def _elements(value: Any) -> Iterable[Any]:
    return value.items() if isinstance(value, Mapping) else value


def _name(function: Callable[..., Any]) -> str:
    name = getattr(function, "__name__", None) or repr(function)
    return f"<lambda of {inspect.getmodule(function)}>" if name == "<lambda>" else name


__all__ = ["XCOM_RETURN_KEY", "ConcatXComArg", "MapXComArg", "PlainXComArg", "ResolveMixin", "XComArg", "ZipXComArg"]
