"""Metrics of user code go to a sink, if there is one (B8)."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from tradewind.sdk.stats import Stats, Tags


class Recorder:
    """Remembers all metrics."""

    def __init__(self) -> None:
        self.seen: list[tuple[Any, ...]] = []

    def incr(self, stat: str, count: int, rate: float, tags: Tags) -> None:
        self.seen.append(("incr", stat, count, tags))

    def gauge(self, stat: str, value: float, rate: float, delta: bool, tags: Tags) -> None:
        self.seen.append(("gauge", stat, value, delta))

    def timing(self, stat: str, milliseconds: float, tags: Tags) -> None:
        self.seen.append(("timing", stat, milliseconds))


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    """The sink."""
    recorder = Recorder()
    before = Stats.set_sink(recorder)
    yield recorder
    Stats.set_sink(before)


def test_metrics_reach_the_sink(recorder: Recorder) -> None:
    Stats.incr("a", tags={"k": "v"})
    Stats.decr("a", 2)
    Stats.gauge("b", 1.5, delta=True)
    Stats.timing("c", timedelta(seconds=2))
    Stats.timing("c", 5)

    assert recorder.seen == [
        ("incr", "a", 1, {"k": "v"}),
        ("incr", "a", -2, None),
        ("gauge", "b", 1.5, True),
        ("timing", "c", 2000),
        ("timing", "c", 5),
    ]


def test_timer_measures_blocks_and_functions(recorder: Recorder) -> None:
    @Stats.timer("function")
    def double(value: int) -> int:
        return 2 * value

    with Stats.timer("block") as timer:
        assert double(2) == 4
    with Stats.timer():
        pass

    assert timer.duration is not None
    assert [entry[:2] for entry in recorder.seen] == [("timing", "function"), ("timing", "block")]
    assert 0 <= recorder.seen[0][2] <= recorder.seen[1][2] == timer.duration


def test_timer_that_was_not_started_cannot_be_stopped() -> None:
    with pytest.raises(RuntimeError, match="started"):
        Stats.timer("x").stop()


def test_without_a_sink_nothing_happens() -> None:
    Stats.incr("a")
    Stats.gauge("a", 1)
    with Stats.timer("a") as timer:
        pass

    assert timer.duration is not None
