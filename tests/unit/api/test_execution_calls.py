"""What tasks may ask for over HTTP, and what they may not write (D3)."""

from typing import Any

import msgspec
import pytest

from tradewind.api.execution.calls import CALLS
from tradewind.api.execution.scope import refusal_of
from tradewind.model.assignment import Asker
from tradewind.model.exchange import Request
from tradewind.model.ids import AttemptKey, RunKey
from tradewind.wire.calls import Call
from tradewind.worker import questions

ATTEMPT = AttemptKey(RunKey(1), "load", -1, 1)
OWN = {"dag_id": "sales", "run_id": "r1", "task_id": "load", "key": "k", "map_index": -1}


def test_the_server_knows_the_questions_of_the_sdk() -> None:
    """Both are derived, one from what asks and one from what answers."""

    def shape(call: Call) -> Any:
        fields = [(field.name, field.type, field.default) for field in msgspec.structs.fields(call.arguments)]
        return call.names, call.free, fields

    assert {name: shape(call) for name, call in CALLS.known.items()} == {
        name: shape(call) for name, call in questions.CALLS.known.items()
    }


@pytest.mark.parametrize("value", [None, 2**80, float("inf"), {"a": [1, "\ud800"]}])
def test_what_authors_say_comes_through_unchanged(value: object) -> None:
    data = questions.encode_arguments("set_task_state", ("k", value), {}).decode()

    assert CALLS.decode_arguments("set_task_state", data) == {"key": "k", "value": value, "retention": None}
    assert questions.decode_answer("get_task_state", CALLS.encode_answer("get_task_state", value)) == value


def _asked(method: str, **arguments: object) -> Request:
    return Request(ATTEMPT, Asker(ATTEMPT.task, "sales", "r1"), method, {**OWN, **arguments})


@pytest.mark.parametrize("method", ["set_xcom", "delete_xcom"])
def test_a_task_writes_its_own_xcoms_only(method: str) -> None:
    assert refusal_of(_asked(method)) is None
    for other in ({"dag_id": "x"}, {"run_id": "x"}, {"task_id": "x"}, {"map_index": 0}):
        assert refusal_of(_asked(method, **other)) is not None, other


def test_a_copy_of_a_mapped_task_does_not_delete_what_all_copies_have() -> None:
    mapped = AttemptKey(RunKey(1), "load", 3, 1)
    asker = Asker(mapped.task, "sales", "r1")

    assert refusal_of(_asked("delete_xcom", map_index=None)) is None
    assert refusal_of(Request(mapped, asker, "delete_xcom", {**OWN, "map_index": None})) is not None
    assert refusal_of(Request(mapped, asker, "delete_xcom", {**OWN, "map_index": 3})) is None


@pytest.mark.parametrize("method", ["get_xcom", "count_xcoms", "get_dag_run", "trigger_dag_run"])
def test_what_airflow_lets_tasks_see_and_do_elsewhere_is_allowed(method: str) -> None:
    assert refusal_of(_asked(method, dag_id="x", run_id="x", task_id="x")) is None
