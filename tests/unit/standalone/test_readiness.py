"""`ready` means that every component said so of itself (A8)."""

from tradewind.standalone.readiness import MOST_AWAITED_S, Readiness
from tradewind.testing.clock import FakeClock


class Terminal:
    """A deployment with these parts that are not ready."""

    def __init__(self, *unready: str) -> None:
        self.clock = FakeClock()
        self.unready = list(unready)
        self.said: list[str] = []
        self.opened = 0
        self.readiness = Readiness(
            lambda: self.unready,
            self.clock,
            self.clock.monotonic(),
            url="http://here",
            web_server="api-server",
            greeting=["the password is x"],
            say=self.said.append,
            ready=self.open,
        )

    def open(self) -> None:
        self.opened += 1


def test_it_is_said_once_when_nobody_is_missing() -> None:
    terminal = Terminal("api-server", "worker")
    terminal.readiness.look()
    terminal.unready = ["worker"]
    terminal.readiness.look()
    assert terminal.said == []

    terminal.clock.advance(2)
    terminal.unready = []
    terminal.readiness.look()
    terminal.readiness.look()

    assert terminal.said == ["ready after 2.0 s: http://here   (Ctrl-C stops it)", "the password is x"]
    assert terminal.opened == 1


def test_who_does_not_get_ready_keeps_nobody_from_the_password() -> None:
    """The web server can be used, and what is wrong looked at."""
    terminal = Terminal("triggerer")
    assert terminal.readiness.look() == MOST_AWAITED_S

    terminal.clock.advance(MOST_AWAITED_S)
    terminal.readiness.look()
    terminal.readiness.look()
    assert terminal.said == ["http://here can be opened; not ready yet: triggerer", "the password is x"]

    terminal.unready = []
    terminal.readiness.look()
    assert terminal.said[2:] == [f"ready after {MOST_AWAITED_S:.1f} s: http://here   (Ctrl-C stops it)"]
