"""A copy of a mapped task gets its element of what another task returned, and not all the others with it (D3, E1)."""

import datetime as dt
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, cast

import pytest

from tests.unit.sdk_runtime.memory_runtime import MemoryRuntime
from tests.unit.task_life.attempts import Attempt, Calls, attempt
from tradewind.model.task import Failed
from tradewind.sdk import task
from tradewind.sdk.dags import DAG
from tradewind.sdk.runtime import use_runtime
from tradewind.sdk.serde import serialize
from tradewind.sdk.task_group_decorator import task_group
from tradewind.sdk.xcom import BaseXCom
from tradewind.sdk.xcom_arg import XComArg
from tradewind.wire.frames import FrameReader, pack
from tradewind.worker.child.pipe import Pipe
from tradewind.worker.child.pipe_runtime import PipeRuntime
from tradewind.worker.protocol import Answer, FrameKind, decode_question
from tradewind.worker.questions import decode_arguments, encode_answer

Mapping = Callable[[XComArg, XComArg], Any]
DAY = dt.date(2026, 1, 31)


class KnowsWholeValues(MemoryRuntime):
    """Has no elements: what it takes is always the whole output."""

    def get_xcom_element(self, **_: Any) -> None:
        self.asked.append("get_xcom_element")


class ReversedXCom(BaseXCom):
    """A backend that stores lists, yet not element by element."""

    @staticmethod
    def serialize_value(value: Any, **_: Any) -> Any:
        return serialize(value)[::-1]

    @staticmethod
    def deserialize_value(result: Any) -> Any:
        return result.value[::-1]


class Seen:
    """What the copies got."""

    arguments: ClassVar[list[Any]] = []


@task
def see(a: Any = None, b: Any = None) -> None:
    """Note the arguments."""
    Seen.arguments.append((a, b))


def mapped(mapping: Mapping) -> DAG:
    """A DAG in which the task `see` is mapped over the outputs of `one` and `two`."""
    with DAG("d", schedule=None) as dag:
        mapping(Calls(task_id="one").output, Calls(task_id="two").output)
    return dag


def run(mapping: Mapping, index: int, runtime: MemoryRuntime, **outputs: Any) -> tuple[Any, str | None]:
    """The arguments that a copy got, and why it failed if it did."""
    Seen.arguments.clear()
    for task_id, value in outputs.items():
        runtime.xcoms["d", "r", task_id, "return_value"] = {-1: serialize(value)}
    done: Attempt = attempt(mapped(mapping), "see", runtime=runtime, map_index=index)
    reason = done.report.reason if isinstance(done.report, Failed) else None
    return (Seen.arguments or [None])[0], reason


@pytest.mark.parametrize(
    "mapping",
    [
        pytest.param(lambda one, two: see.expand(a=one), id="one"),
        pytest.param(lambda one, two: see.expand(a=one, b=two), id="both"),
        pytest.param(lambda one, two: see.expand(a=one, b=["x", "y"]), id="with a list"),
        pytest.param(lambda one, two: see.expand(a={"k": 1, "l": 2}, b=two), id="with a dict"),
        pytest.param(lambda one, two: see.expand(a=[one, two], b=two), id="outputs as elements"),
        pytest.param(lambda one, two: see.partial(b=two).expand(a=one), id="partial"),
        pytest.param(lambda one, two: see.expand(a=one.map(repr)), id="map"),
        pytest.param(lambda one, two: see.expand(a=one.zip(two)), id="zip"),
        pytest.param(lambda one, two: see.expand(a=one.concat(two), b=two), id="concat"),
        pytest.param(lambda one, two: see.expand_kwargs(one), id="kwargs"),
        pytest.param(lambda one, two: see.expand_kwargs([{"a": one}, {"b": two}]), id="kwargs of outputs"),
    ],
)
@pytest.mark.parametrize(
    "one",
    [
        pytest.param([1, 2, 3], id="numbers"),
        pytest.param(["x", None, "{{ ds }}"], id="texts"),
        pytest.param([(1, DAY), {"k": {2}}, [DAY]], id="objects"),
        pytest.param([{"a": 1}, {"b": DAY}, {"c": 3}, {}], id="dicts"),
        pytest.param({"a": 1, "b": DAY}, id="a dict"),
        pytest.param((1, DAY), id="a tuple"),
        pytest.param([], id="empty"),
        pytest.param({}, id="empty dict"),
        pytest.param("text", id="text"),
        pytest.param(5, id="number"),
        pytest.param(None, id="none"),
    ],
)
def test_a_copy_gets_what_it_would_get_out_of_the_whole_output(mapping: Mapping, one: Any) -> None:
    two = ["p", "q"]

    for index in range(9):  # the last ones are more than any list has
        short = run(mapping, index, MemoryRuntime(), one=one, two=two)
        whole = run(mapping, index, KnowsWholeValues(), one=one, two=two)

        assert short == whole, index


def test_only_the_element_is_asked_for() -> None:
    runtime = MemoryRuntime()

    assert run(lambda one, two: see.expand(a=one, b=two), 5, runtime, one=[1, 2], two=[3, 4, 5]) == ((2, 5), None)
    assert runtime.asked == ["get_xcom_element"] * 2


def test_an_output_that_is_missing_or_no_list_any_more_fails_the_copy_as_ever() -> None:
    def over_one(one: XComArg, _: XComArg) -> Any:
        return see.expand(a=one)

    assert run(over_one, 0, MemoryRuntime()) == (None, "TypeError: object of type 'NoneType' has no len()")
    assert run(over_one, 0, MemoryRuntime(), one=5)[1] == "TypeError: object of type 'int' has no len()"
    kwargs = run(lambda one, _: see.expand_kwargs(one), 7, MemoryRuntime(), one=[{"a": 1}])
    assert kwargs == (None, "IndexError: list index out of range")


def test_a_backend_of_somebody_else_is_asked_for_the_whole_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRADEWIND__CORE__XCOM_BACKEND", f"{__name__}.ReversedXCom")
    runtime = MemoryRuntime()

    assert run(lambda one, _: see.expand(a=one), 0, runtime, one=[1, 2, 3]) == ((3, None), None)
    assert runtime.asked == ["get_xcom"]


def test_outputs_of_a_mapped_task_are_taken_one_by_one_as_before() -> None:
    runtime = MemoryRuntime()
    runtime.xcoms["d", "r", "many", "return_value"] = {0: "x", 1: "y"}
    with DAG("d", schedule=None) as dag:
        many = Calls.partial(task_id="many").expand(text=["a", "b"])
        see.expand(a=many.output)
    Seen.arguments.clear()

    attempt(dag, "see", runtime=runtime, map_index=1)

    assert Seen.arguments == [("y", None)]
    assert runtime.asked == ["count_xcoms", "get_xcom_item"]


def test_a_group_gets_the_element_of_its_copy() -> None:
    runtime = MemoryRuntime()
    runtime.xcoms["d", "r", "one", "return_value"] = {-1: ["x", "y"]}
    with DAG("d", schedule=None) as dag:

        @task_group
        def group(word: Any) -> None:
            see(word)

        group.expand(word=Calls(task_id="one").output)
    Seen.arguments.clear()

    attempt(dag, "group.see", runtime=runtime, map_index=1)

    assert Seen.arguments == [("y", None)]
    assert runtime.asked == ["get_xcom_element"]


@contextmanager
def over_a_pipe(answering: MemoryRuntime, received: list[int]) -> Iterator[PipeRuntime]:
    """A runtime at the end of a pipe, as a child has it; the size of each answer is noted."""
    ours, theirs = socket.socketpair()

    def answer() -> None:
        reader = FrameReader()
        while data := theirs.recv(1_000_000):
            for kind, content in reader.feed(data):
                if kind == FrameKind.QUESTION:
                    asked = decode_question(content)
                    found = getattr(answering, asked.method)(**decode_arguments(asked.method, asked.arguments))
                    frame = pack(FrameKind.ANSWER, Answer(asked.number, encode_answer(asked.method, found)))
                    received.append(len(frame))
                    theirs.sendall(frame)

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    pipe = Pipe(ours.detach())
    yield PipeRuntime(pipe)
    pipe.close()
    thread.join(60)
    theirs.close()


@pytest.mark.parametrize("element", [7_000, 2**80, "ü\ud800", None, float("inf"), {"a": [DAY]}])
def test_a_child_does_not_receive_the_whole_list(element: Any) -> None:
    answering = MemoryRuntime()
    elements: list[Any] = [*range(7_000), element, *range(3_000)]
    answering.xcoms["d", "r", "one", "return_value"] = {-1: serialize(elements)}
    received: list[int] = []
    Seen.arguments.clear()

    with over_a_pipe(answering, received) as runtime, use_runtime(cast("Any", runtime)):
        attempt(mapped(lambda one, _: see.expand(a=one)), "see", runtime=cast("Any", runtime), map_index=7_000)

    assert Seen.arguments == [(element, None)]
    assert len(received) == 1
    assert received[0] < 250
