"""The outputs of all instances of a mapped task, as a sequence that fetches what is looked at."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any, Final, SupportsIndex, overload

from tradewind.model.task_answers import XComResult
from tradewind.sdk.runtime import current_runtime
from tradewind.sdk.xcom import resolve_xcom_backend
from tradewind.sdk.xcom_arg import XCOM_RETURN_KEY

# How many values are fetched at once while going through all of them.
PAGE_SIZE: Final = 100
_NOTHING: Final = object()


class LazyXComSequence(Sequence[Any]):
    """Behaves like a list of the outputs, in the order of map indexes."""

    def __init__(self, *, dag_id: str, run_id: str, task_id: str, key: str = XCOM_RETURN_KEY) -> None:
        self._where: dict[str, Any] = {"dag_id": dag_id, "run_id": run_id, "task_id": task_id, "key": key}
        self._length: int | None = None

    def __repr__(self) -> str:
        if self._length is None:
            return "LazyXComSequence(<unevaluated length>)"
        return f"LazyXComSequence([{self._length} item{'' if self._length == 1 else 's'}])"

    def __len__(self) -> int:
        if self._length is None:
            self._length = current_runtime().count_xcoms(**self._where)
        return self._length

    @overload
    def __getitem__(self, key: SupportsIndex) -> Any: ...

    @overload
    def __getitem__(self, key: slice) -> list[Any]: ...

    def __getitem__(self, key: SupportsIndex | slice) -> Any:
        if isinstance(key, slice):
            start, stop, step = (None if part is None else operator.index(part) for part in _parts(key))
            if step == 0:
                raise ValueError("slice step cannot be zero")
            return self._fetch(start, stop, step)
        offset = operator.index(key)
        found = current_runtime().get_xcom_item(**self._where, offset=offset)
        if found is None:
            raise IndexError(offset)
        return resolve_xcom_backend().deserialize_value(found)

    def __iter__(self) -> Iterator[Any]:
        start = 0
        while page := self._fetch(start, start + PAGE_SIZE, None):
            yield from page
            if len(page) < PAGE_SIZE:
                return
            start += PAGE_SIZE

    def _fetch(self, start: int | None, stop: int | None, step: int | None) -> list[Any]:
        values = current_runtime().get_xcom_slice(**self._where, start=start, stop=stop, step=step)
        backend = resolve_xcom_backend()
        return [backend.deserialize_value(XComResult(self._where["key"], value)) for value in values]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        return all(one == another for one, another in zip_longest(self, other, fillvalue=_NOTHING))

    # Its values may be lists and dicts.
    __hash__ = None  # type: ignore[assignment]


def _parts(key: slice) -> tuple[Any, Any, Any]:
    return key.start, key.stop, key.step
