"""What a run brings suits the params of its DAG, or is refused (B1)."""

from typing import Any

import pytest

from tradewind.errors import InvalidRequest
from tradewind.operations.check_conf import check_conf

PARAMS: Any = {
    "n": {"value": 1, "schema": {"type": "integer", "minimum": 0}},
    "free": {"value": None, "schema": {}},
}


@pytest.mark.parametrize("conf", [None, {}, {"n": 5}, {"free": {"a": [1]}}, {"unknown": 1}])
def test_what_suits_is_let_pass(conf: Any) -> None:
    check_conf(PARAMS, conf)
    check_conf(None, conf)


@pytest.mark.parametrize("value", ["many", -1, None, 1.5])
def test_what_a_schema_does_not_allow_is_refused(value: Any) -> None:
    with pytest.raises(InvalidRequest, match="param n"):
        check_conf(PARAMS, {"n": value})


def test_what_could_not_be_shown_is_refused() -> None:
    deep: Any = {}
    for _ in range(101):
        deep = {"a": [deep]}

    odd: Any
    for odd in ({"a": ["\ud800"]}, {"\ud800": 1}, deep):
        with pytest.raises(InvalidRequest, match="conf"):
            check_conf(None, odd)


def test_a_param_without_a_default_must_be_given() -> None:
    params: Any = {"name": {"value": None, "schema": {"type": "string"}}}

    with pytest.raises(InvalidRequest, match="param name"):
        check_conf(params, {})
    check_conf(params, {"name": "ada"})
