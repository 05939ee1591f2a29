"""What is loaded before any fork: nobody would see that a rehearsal fails, and each child would pay for it (D3)."""

from typing import Any

import pytest

from tradewind.worker.child import rehearsal
from tradewind.worker.task_life.life import TaskLife
from tradewind.worker.task_life.outcome import Outcome, Success


def test_a_task_of_each_kind_is_lived_through(monkeypatch: pytest.MonkeyPatch) -> None:
    lived: dict[str, Outcome] = {}

    class Watched(TaskLife):
        def finish(self, outcome: Outcome) -> None:
            super().finish(outcome)
            lived[self.ti.task_id] = outcome

    monkeypatch.setattr(rehearsal, "TaskLife", Watched)

    rehearsal.rehearse()

    ends: dict[str, Any] = {task_id: type(outcome) for task_id, outcome in lived.items()}
    assert ends == dict.fromkeys(("bash", "python", "decorated", "mapped"), Success)
