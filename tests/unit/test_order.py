"""The order of tests: what shares a deployment stays together, and what waits begins early."""

from itertools import pairwise
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.order import ordered, scope_of


def _item(file: str, name: str, kind: str | None = None) -> pytest.Item:
    parameters = {} if kind is None else {"callspec": SimpleNamespace(params={"database_kind": kind})}
    item: Any = SimpleNamespace(nodeid=f"tests/{file}.py::{name}", **parameters)
    return cast("pytest.Item", item)


def _names(items: list[pytest.Item]) -> list[str]:
    return [item.nodeid for item in ordered(items)]


def test_files_that_share_a_deployment_go_together_one_kind_after_the_other() -> None:
    items = [
        _item("acceptance/test_values", "a", "sqlite"),
        _item("acceptance/test_values", "b", "postgres"),
        _item("acceptance/test_limits", "c", "sqlite"),
        _item("acceptance/test_limits", "d", "postgres"),
    ]

    assert [name[-1] for name in _names(items)] == ["b", "d", "a", "c"]
    assert len({scope_of(item.nodeid) for item in items}) == 1


def test_every_other_file_goes_alone_and_keeps_its_order() -> None:
    items = [_item("unit/test_a", name) for name in "cab"]

    assert _names(items) == [f"tests/unit/test_a.py::{name}" for name in "cab"]
    assert scope_of("tests/unit/test_a.py::c") == "tests/unit/test_a.py"


def test_files_that_wait_are_spread_and_none_of_them_begins_at_the_end() -> None:
    waiting = [_item(f"faults/test_{number}", "a") for number in range(10)]
    busy = [_item(f"unit/test_{number}", "a") for number in range(100)]

    names = _names([*busy, *waiting])

    places = [place for place, name in enumerate(names) if "faults" in name]
    assert len(names) == len(set(names)) == 110
    assert places[0] < 2
    assert 60 < places[-1] < 80
    assert all(5 <= later - earlier <= 10 for earlier, later in pairwise(places))


def test_files_of_many_tests_begin_first() -> None:
    items = [_item("unit/test_small", "a"), *(_item("unit/test_large", name) for name in "abc")]

    assert _names(items)[-1] == "tests/unit/test_small.py::a"
