"""What is loaded before any fork: nobody would see that a rehearsal fails, and each child would pay for it (D3)."""

import os
from typing import Any

import pytest
import setproctitle

from tradewind.sdk.runtime import current_runtime
from tradewind.sdk.xcom import BaseXCom
from tradewind.worker.child import attempt, rehearsal
from tradewind.worker.task_life.life import TaskLife
from tradewind.worker.task_life.outcome import Outcome, Success


@pytest.fixture
def lived(monkeypatch: pytest.MonkeyPatch) -> dict[str, type[Outcome]]:
    """How the tasks of a rehearsal ended."""
    ends: dict[str, Any] = {}

    class Watched(TaskLife):
        def finish(self, outcome: Outcome) -> None:
            super().finish(outcome)
            ends[self.ti.task_id] = type(outcome)

    monkeypatch.setattr(attempt, "TaskLife", Watched)
    return ends


def test_a_task_of_each_kind_is_lived_through(lived: dict[str, type[Outcome]]) -> None:
    rehearsal.rehearse()

    assert lived == dict.fromkeys(("bash", "python", "decorated", "mapped"), Success)


def test_nothing_is_left_of_it(capfd: pytest.CaptureFixture[str]) -> None:
    environ, title, runtime = dict(os.environ), setproctitle.getproctitle(), current_runtime()

    rehearsal.rehearse()

    assert dict(os.environ) == environ
    assert setproctitle.getproctitle() == title
    assert current_runtime() is runtime
    assert capfd.readouterr() == ("", "")


class Elsewhere(BaseXCom):
    """A backend of somebody else."""

    stored: int = 0

    @staticmethod
    def serialize_value(value: Any, **_: Any) -> Any:
        """Count."""
        Elsewhere.stored += 1
        return value


def test_a_foreign_backend_stores_nothing(monkeypatch: pytest.MonkeyPatch, lived: dict[str, type[Outcome]]) -> None:
    monkeypatch.setenv("AIRFLOW__CORE__XCOM_BACKEND", f"{__name__}.Elsewhere")

    rehearsal.rehearse()

    assert lived["bash"] is Success
    assert Elsewhere.stored == 0
