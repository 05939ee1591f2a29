"""Work that is done by a copy of the process leaves nothing behind in it (A8)."""

import os
import signal
import sys

import pytest

from tradewind.errors import Conflict, SettingsError, TradewindError
from tradewind.runtime.aside import done_aside


def test_what_it_returns_comes_back_and_what_it_loads_does_not() -> None:
    sys.modules.pop("this", None)

    def work() -> list[str]:
        sys.modules["this"] = sys
        return ["a line", "ümläut"]

    assert done_aside(work) == ["a line", "ümläut"]
    assert "this" not in sys.modules


@pytest.mark.parametrize(("raised", "kind"), [(SettingsError("no"), SettingsError), (Conflict("no"), TradewindError)])
def test_what_it_refuses_is_refused_here(raised: Exception, kind: type[Exception]) -> None:
    def work() -> list[str]:
        raise raised

    with pytest.raises(kind, match=r"^no$"):
        done_aside(work)


def test_a_mistake_or_a_death_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    def mistaken() -> list[str]:
        raise ZeroDivisionError("oh")

    def killed() -> list[str]:
        os.kill(os.getpid(), signal.SIGKILL)
        return []

    with pytest.raises(TradewindError, match="the error that it wrote"):
        done_aside(mistaken)
    assert "ZeroDivisionError: oh" in capfd.readouterr().err
    with pytest.raises(TradewindError, match="signal 9"):
        done_aside(killed)
