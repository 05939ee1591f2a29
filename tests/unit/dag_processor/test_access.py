"""`access_control` of a DAG, as the engine reads it."""

from typing import Any

import pytest

from tradewind.dag_processor.compile.access import compile_access
from tradewind.dag_processor.compile.values import CompileError
from tradewind.model.account import DagRight
from tradewind.model.dag import RoleGrant

READ, EDIT, DELETE = DagRight.READ, DagRight.EDIT, DagRight.DELETE


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, ()),
        ({}, ()),
        ({"night": {"can_read"}}, (RoleGrant("night", (READ,)),)),
        ({"night": ["can_edit", "can_read", "can_delete"]}, (RoleGrant("night", (DELETE, EDIT, READ)),)),
        ({"b": {"can_dag_read"}, "a": {"can_dag_edit"}}, (RoleGrant("a", (EDIT,)), RoleGrant("b", (READ,)))),
        ({"night": {"DAGs": {"can_read"}, "DAG Runs": {"can_create"}}}, (RoleGrant("night", (READ,)),)),
        ({"night": {"DAG Runs": {"can_create"}}}, ()),
        ({"night": set()}, ()),
    ],
)
def test_rights_are_read_in_every_form(given: Any, expected: tuple[RoleGrant, ...]) -> None:
    assert compile_access(given) == expected


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"night": {"can_fly"}}, "unknown right 'can_fly'"),
        ({"night": {"Pools": {"can_read"}}}, "'DAGs' and 'DAG Runs'"),
        ({"night": "can_read"}, "a set of rights"),
        ({"night": {"DAGs": 3}}, "a set of rights"),
        (["night"], "a dict of roles"),
    ],
)
def test_what_means_nothing_is_an_error(given: Any, message: str) -> None:
    with pytest.raises(CompileError, match=message):
        compile_access(given)
