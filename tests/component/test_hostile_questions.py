"""Whatever a task asks or says, its supervisor lives on: it gets an answer, or a refusal (E1, B7).

The questions are those of the protocol, each with values that fit its types and make no sense; all go the whole way,
from the bytes that the supervisor receives to those that it sends back.
"""

import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from tests.component.world import PatientExecutor, World
from tests.databases import DatabaseKind
from tradewind.model.assignment import Asker
from tradewind.model.dag import Task
from tradewind.model.exchange import Exchange, Refusal, Request
from tradewind.model.ids import AttemptKey
from tradewind.operations.attempt_engine import StoredEngine
from tradewind.operations.begin_attempts import Beginner
from tradewind.secrets.encryption import Encryption
from tradewind.worker import questions

TEXTS = ["sales", "r1", "load", "return_value", "none", "", "nothing \x00", "x" * 5_000, "ü", "..", "%s", "🐍"]
JSON_TEXTS = [
    "null",
    "1",
    "NaN",
    "1e999",
    '"\\u0000"',
    '"\\ud800"',
    '{"a": [1, {}]}',
    "{",
    "",
    str(10**400),
    "[" * 5_000,
]
INSTANTS = [datetime(1, 1, 1, tzinfo=UTC), datetime(2026, 1, 1), datetime(9999, 12, 31, 23, tzinfo=UTC)]  # noqa: DTZ001
DURATIONS = [timedelta(0), timedelta(days=-1), timedelta(seconds=1), timedelta(days=400_000), timedelta.max]
NUMBERS = [0, 1, -1, 2**31, 2**63 - 1, -(2**63)]
PLAIN: Mapping[Any, st.SearchStrategy[Any]] = {
    str: st.sampled_from(TEXTS),
    int: st.sampled_from(NUMBERS),
    bool: st.booleans(),
    float: st.sampled_from([0.0, -1.5, 1e300]),
    datetime: st.sampled_from(INSTANTS),
    timedelta: st.sampled_from(DURATIONS),
    type(None): st.none(),
    Any: st.sampled_from([None, 1, "x", "nothing \x00", [1], {"a": None}]),
}
# The first has an object with many fields of its own, the second stays within its process.
NOT_ASKED = frozenset({"upsert_hitl_detail", "mask_secret"})


def odd(kind: Any) -> st.SearchStrategy[Any]:
    """Values of a type."""
    if kind in PLAIN:
        return PLAIN[kind]
    parts = typing.get_args(kind)
    if isinstance(kind, types.UnionType) or typing.get_origin(kind) is typing.Union:
        return st.one_of([odd(part) for part in parts])
    if typing.get_origin(kind) in (list, Sequence):
        return st.lists(odd(parts[0]), max_size=3)
    if typing.get_origin(kind) in (dict, Mapping):
        return st.dictionaries(odd(parts[0]), odd(parts[1]), max_size=2)
    raise AssertionError(f"no values of type {kind}")


def asked() -> st.SearchStrategy[tuple[str, bytes]]:
    """A method, and its arguments as the supervisor receives them."""
    questions.prepare()
    known = {name: method for name, method in questions.CALLS.known.items() if name not in NOT_ASKED}
    return st.sampled_from(sorted(known)).flatmap(
        lambda name: _arguments(known[name]).map(lambda arguments: (name, msgspec.json.encode(arguments)))
    )


def _arguments(method: Any) -> st.SearchStrategy[dict[str, Any]]:
    fields = {field.name: field for field in msgspec.structs.fields(method.arguments)}
    required = {name: _values(method, field) for name, field in fields.items() if field.required}
    optional = {name: _values(method, field) for name, field in fields.items() if not field.required}
    return st.fixed_dictionaries(required, optional=optional)


def _values(method: Any, field: Any) -> st.SearchStrategy[Any]:
    return st.sampled_from(JSON_TEXTS) if field.name in method.free else odd(field.type)


@contextmanager
def running(world: World) -> Iterator[tuple[StoredEngine, AttemptKey, Asker]]:
    """An attempt that runs, and the engine that its supervisor talks to."""
    world.dag(Task("load"), Task("check", upstream=("load",)))
    world.trigger()
    executor = PatientExecutor(world.clock)
    world.scheduler(executor)
    world.settle()
    attempt = executor.attempt("load")
    beginner = Beginner(world.structures, hostname="here", pid=1)
    engine = StoredEngine(world.database, world.clock, beginner, Encryption(), longest_delay_s=60)
    yield engine, attempt, Asker(attempt.task, "sales", "r1")


@pytest.mark.parametrize("database_kind", ["sqlite", "postgres"], indirect=True)
def test_no_question_ends_the_supervisor(any_world: World, database_kind: DatabaseKind) -> None:
    with running(any_world) as (engine, attempt, asker):

        @seed(1)
        @settings(max_examples=400, database=None, suppress_health_check=list(HealthCheck))
        @given(st.lists(asked(), min_size=1, max_size=3))
        def ask(asked: list[tuple[str, bytes]]) -> None:
            requests = []
            for method, data in asked:
                try:
                    arguments = questions.decode_arguments(method, data)
                except (ValueError, msgspec.MsgspecError):
                    continue  # the supervisor refuses it by itself
                requests.append(Request(attempt, asker, method, arguments))
            answers = engine.exchange(Exchange(requests=requests)).answers
            assert len(answers) == len(requests)
            for request, answer in zip(requests, answers, strict=True):
                if not isinstance(answer, Refusal):
                    questions.encode_answer(request.method, answer)

        ask()
