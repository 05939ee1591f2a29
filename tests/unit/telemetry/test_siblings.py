"""Processes that serve one page tell each other what they counted."""

import socket
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from tradewind.telemetry.metric import Metric, MetricKind
from tradewind.telemetry.prometheus import Registry
from tradewind.telemetry.scrape import MetricsPage
from tradewind.telemetry.siblings import Siblings, decoded, encoded

ASKED = Metric("asked", MetricKind.COUNTER, "requests", ("path",))
TOOK = Metric("took", MetricKind.TIMER, "how long")
HELD = Metric("held", MetricKind.GAUGE, "things in memory")


def registry(times: int) -> Registry:
    made = Registry()
    for _ in range(times):
        made.count(ASKED, 1, {"path": 'a "quoted" one'})
        made.timing(TOOK, 0.02, {})
    made.gauge(HELD, 10.0 * times, {})
    return made


def page(siblings: Siblings, own: Registry) -> list[str]:
    answer = MetricsPage(registry=own, siblings=siblings.others).answer(accept="", authorization="", is_local=True)
    return answer.body.splitlines()


@pytest.fixture
def folder() -> Iterator[Path]:
    """Of a short name, as the path of a socket has to be."""
    with tempfile.TemporaryDirectory(prefix="tw-") as made:
        yield Path(made)


def test_the_page_of_one_has_what_all_have_counted(folder: Path) -> None:
    """A8: with several processes of the web server, whichever a scrape meets."""
    with ExitStack() as stack:
        found = []
        for number in (1, 2, 3):
            own = registry(number)
            found.append((stack.enter_context(closing(Siblings(folder, own, f"{number}"))), own))

        for siblings, own in found:
            lines = page(siblings, own)

            assert 'asked_total{path="a \\"quoted\\" one"} 6' in lines
            assert "took_seconds_count 6" in lines
            assert 'took_seconds_bucket{le="0.01"} 0' in lines
            assert 'took_seconds_bucket{le="0.05"} 6' in lines
            assert "held 60" in lines

        assert found[0][1].families()[0].values == {(("path", 'a "quoted" one'),): 1.0}  # its own, as before
    assert not list(folder.glob("*.sock"))


def test_one_that_was_killed_is_forgotten(folder: Path) -> None:
    gone = folder / "1.sock"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(gone))
        listener.listen()
    own = registry(2)

    with closing(Siblings(folder, own)) as siblings:
        assert "took_seconds_count 2" in page(siblings, own)

    assert not gone.exists()


def test_families_come_through_a_socket_as_they_were() -> None:
    families = registry(3).families()

    assert decoded(encoded(families)) == families
    with pytest.raises(ValueError, match=r".+"):
        decoded(encoded(families)[:-5])
