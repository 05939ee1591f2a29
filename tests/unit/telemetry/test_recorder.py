"""Several receivers at once; which metrics they get; what is attached to the hub."""

import pytest

from tests.unit.telemetry.sinks import Remembering
from tradewind.telemetry import catalog
from tradewind.telemetry.events import DutyFailed
from tradewind.telemetry.hub import Hub
from tradewind.telemetry.metric import Metric, Tags
from tradewind.telemetry.recorder import Recorder, wanted_names


class Broken(Remembering):
    """Raises, whatever it is told."""

    def count(self, metric: Metric, amount: float, tags: Tags) -> None:
        raise RuntimeError("no")


def test_a_sink_that_raises_is_dropped_and_the_others_go_on() -> None:
    """B10, B8."""
    broken, whole = Broken(), Remembering()
    recorder = Recorder([broken, whole])

    recorder.count(catalog.CRITICAL_BUSY, 1, {})
    recorder.gauge(catalog.DAGBAG_SIZE, 2, {})
    recorder.timing(catalog.LOOP_DURATION, 3, {})
    recorder.close()

    assert [value for _, _, value, _ in whole.told] == [1, 2, 3]
    assert whole.is_closed
    assert broken.told == []


@pytest.mark.parametrize(
    ("allow", "block", "wanted"),
    [
        ("", "", ["ti.start", "pool.open_slots", "Scheduler.x"]),
        ("^ti, scheduler", "ti", ["ti.start", "Scheduler.x"]),
        ("", "slots$,^sched", ["ti.start"]),
    ],
)
def test_lists_choose_metrics_by_patterns(allow: str, block: str, wanted: list[str]) -> None:
    """As in Airflow: without regard to case, anywhere in the name, and the list of what is allowed wins."""
    is_wanted = wanted_names(allow, block)

    assert [name for name in ("ti.start", "pool.open_slots", "Scheduler.x") if is_wanted(name)] == wanted


def test_what_is_not_wanted_reaches_no_sink() -> None:
    sink = Remembering()
    recorder = Recorder([sink], wanted_names("", "dagbag"))

    recorder.gauge(catalog.DAGBAG_SIZE, 1, {})
    recorder.gauge(catalog.TASKS_STARVING, 1, {})

    assert [name for _, name, _, _ in sink.told] == ["scheduler.tasks.starving"]


def test_a_hub_knows_whether_anybody_measures() -> None:
    hub = Hub()
    hub.attach(lambda _: None)
    before = hub.measures
    hub.attach(lambda _: None, measures=True)
    hub.emit(DutyFailed("x", "y"))

    assert (before, hub.measures) == (False, True)
