"""Metrics of the code of a task reach its supervisor: masked, bounded, and never in the way of the task (B8)."""

import os
import socket
from collections.abc import Iterator
from contextlib import suppress
from functools import partial

import msgspec
import pytest

from tradewind.sdk.stats import Stats
from tradewind.telemetry.measurements import UserMetric
from tradewind.wire.frames import FrameReader, pack
from tradewind.wire.metrics import Measured, decode_metrics
from tradewind.worker.child.metrics import TaskMetrics
from tradewind.worker.child.pipe import Pipe
from tradewind.worker.protocol import FrameKind
from tradewind.worker.supervisor.attempt import Attempt

READ_SIZE = 1024 * 1024


@pytest.fixture
def ends() -> Iterator[tuple[TaskMetrics, socket.socket]]:
    """What the task has, and the supervisor's end of it."""
    ours, theirs = socket.socketpair()
    pipe = Pipe(ours.detach())
    metrics = TaskMetrics(partial(pipe.send, FrameKind.METRICS))
    before = Stats.set_sink(metrics)
    yield metrics, theirs
    Stats.set_sink(before)
    pipe.close()
    theirs.close()


def said(theirs: socket.socket) -> list[Measured]:
    """All that was told so far."""
    theirs.setblocking(False)
    data = b""
    with suppress(BlockingIOError):
        while True:
            data += theirs.recv(READ_SIZE)
    frames = list(FrameReader().feed(data))
    assert {kind for kind, _ in frames} == {FrameKind.METRICS}
    return [each for _, content in frames for each in decode_metrics(content)]


def test_metrics_are_told_at_once(ends: tuple[TaskMetrics, socket.socket]) -> None:
    _, theirs = ends

    Stats.incr("rows", 5, tags={"table": "t", "part": 3})
    Stats.decr("rows")
    Stats.gauge("depth", 2)
    Stats.gauge("depth", -1, delta=True)
    Stats.timing("step", 12.5)

    assert said(theirs) == [
        Measured("c", "rows", 5, {"table": "t", "part": "3"}),
        Measured("c", "rows", -1, {}),
        Measured("g", "depth", 2, {}),
        Measured("d", "depth", -1, {}),
        Measured("ms", "step", 12.5, {}),
    ]


def test_a_loop_cannot_flood_the_supervisor(ends: tuple[TaskMetrics, socket.socket]) -> None:
    """What comes too fast is added up. Nothing is lost of a counter."""
    metrics, theirs = ends

    for number in range(20_000):
        Stats.incr("rows")
        Stats.gauge("last", number)
    metrics.flush()

    told = said(theirs)
    assert sum(each.value for each in told if each.name == "rows") == 20_000
    assert [each.value for each in told if each.name == "last"][-1] == 19_999
    assert len(told) < 2_000


def test_what_cannot_be_told_is_left_out_and_the_task_goes_on(ends: tuple[TaskMetrics, socket.socket]) -> None:
    _, theirs = ends

    Stats.incr("x" * 251)
    Stats.gauge("nothing", float("nan"))
    Stats.incr("half \udc00")
    Stats.incr("many", tags={str(number): "v" * 300 for number in range(30)})

    (told,) = said(theirs)
    assert (told.name, len(told.tags), {len(value) for value in told.tags.values()}) == ("many", 20, {250})


def test_a_copy_of_the_task_says_nothing(
    ends: tuple[TaskMetrics, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, theirs = ends
    Stats.incr("own")
    monkeypatch.setattr(os, "getpid", lambda: -1)

    Stats.incr("of a copy")

    assert [each.name for each in said(theirs)] == ["own"]


def heard(*frames: bytes) -> list[UserMetric]:
    """What an attempt makes of what its process says."""
    got: list[UserMetric] = []
    attempt = Attempt(1, None, lambda *_: None, lambda _: None, got.extend)  # type: ignore[arg-type]
    attempt._heard(b"".join(frames))
    return got


def test_secrets_of_the_task_are_hidden_in_names_and_tags() -> None:
    hide = pack(FrameKind.HIDE, ["sesame"])
    told = pack(FrameKind.METRICS, [Measured("c", "rows.sesame", 1, {"sesame": "open sesame"})])

    assert heard(hide, told) == [UserMetric("c", "rows.***", 1, {"***": "open ***"})]


@pytest.mark.parametrize(
    "content",
    [
        [["x", "rows", 1, {}]],
        [["c", "r" * 251, 1, {}]],
        [["c", "rows", "many", {}]],
        [["c", "rows", 1, {str(number): "" for number in range(21)}]],
    ],
)
def test_what_no_child_of_ours_says_is_not_taken(content: object) -> None:
    """It runs user code, which may say anything."""
    with pytest.raises(msgspec.ValidationError):
        decode_metrics(msgspec.msgpack.encode(content))
