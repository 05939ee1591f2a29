"""What triggers and watchers measure goes where metrics of tasks go (B8)."""

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tradewind.telemetry.measurements import UserMetric, user_measured
from tradewind.triggerer.protocol import Code, FrameKind, Start, TaskName, Watch
from tradewind.triggerer.runner_process import WATCHER_RUNNER, Frame, RunnerProcess
from tradewind.wire.metrics import decode_metrics

_FILE = """
from airflow.sdk.observability.stats import Stats
from airflow.triggers.base import BaseEventTrigger, TriggerEvent

class Measures(BaseEventTrigger):
    def serialize(self):
        return "measuring.Measures", {}

    async def run(self):
        Stats.incr("looks", 2, tags={"of": "trigger"})
        for _ in range(150):
            Stats.incr("rows")
        yield TriggerEvent("done")
"""
_PATIENCE_S = 60.0


@pytest.mark.parametrize("program", ["triggers", "watchers"])
def test_what_the_code_of_a_runner_measures_is_told(tmp_path: Path, program: str) -> None:
    """Also what comes too fast to be told at once: it is added up, and told with the next sign of life."""
    (tmp_path / "measuring.py").write_text(_FILE)
    heard = threading.Event()
    arguments = {"program": WATCHER_RUNNER} if program == "watchers" else {}
    runner = RunnerProcess(dict(os.environ), heard.set, lambda *_: None, **arguments)
    try:
        code = Code("files", str(tmp_path), "measuring.py", "")
        if program == "triggers":
            task = TaskName("d", "r", "t", -1, 1)
            runner.send(FrameKind.START, [Start(1, "measuring.Measures", "{}", task, code)])
        else:
            runner.send(FrameKind.WATCH, Watch(1, "measuring.Measures", "{}", code, [], 0))
        until(runner, heard, lambda frames: any(kind in (FrameKind.FIRED, FrameKind.SEEN) for kind, _ in frames))
        runner.send(FrameKind.PING)
        frames = until(runner, heard, lambda frames: any(kind == FrameKind.PONG for kind, _ in frames))
    finally:
        runner.kill()
        runner.close()

    told = [each for kind, content in frames if kind == FrameKind.METRICS for each in decode_metrics(content)]
    metrics = user_measured(told).metrics
    assert metrics[0] == UserMetric("c", "looks", 2, {"of": "trigger"})
    assert sum(metric.value for metric in metrics if metric.name == "rows") == 150


_frames: dict[RunnerProcess, list[Frame]] = {}


def until(runner: RunnerProcess, heard: threading.Event, is_enough: Callable[[list[Frame]], bool]) -> list[Frame]:
    """All frames so far, once they are enough."""
    frames = _frames.setdefault(runner, [])
    while True:
        frames += runner.frames()
        if is_enough(frames):
            return frames
        assert heard.wait(_PATIENCE_S), "the runner says nothing"
        heard.clear()
