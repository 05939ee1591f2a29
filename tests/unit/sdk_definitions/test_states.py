"""The words that authors compare with are the engine's own (D3)."""

from collections.abc import Iterable

import pytest

from tradewind.model import states as model
from tradewind.sdk.states import (
    DagRunState,
    DagRunType,
    State,
    TaskInstanceState,
    TriggerRule,
    WeightRule,
)


def words(states: Iterable[str | None]) -> set[str | None]:
    return {None if state in (None, "none") else str(state) for state in states}


def test_the_states_are_those_of_the_engine() -> None:
    assert words(State.task_states) == words(model.TaskState)
    assert words(DagRunState) == words(model.RunState)
    assert words(TriggerRule) == words(model.TriggerRule)
    assert words(WeightRule) == words(model.WeightRule)
    assert words(DagRunType) == words(model.RunType)


def test_a_state_is_its_text() -> None:
    assert f"{TaskInstanceState.UP_FOR_RETRY} {DagRunState.QUEUED}" == "up_for_retry queued"


def test_the_sets_of_states_agree_with_the_engine() -> None:
    assert words(State.finished) == words(model.FINISHED_STATES)
    assert words(State.unfinished) == words(model.UNFINISHED_STATES)
    assert words(State.failed_states) == words(model.FAILED_STATES)
    assert words(State.success_states) == words(model.PASSED_STATES)
    assert words(State.finished_dr_states) == words(model.FINISHED_RUN_STATES)
    assert words(State.unfinished_dr_states) == {"queued", "running"}


def test_every_state_has_a_colour() -> None:
    assert set(State.state_color) == set(State.task_states)
    assert State.color(TaskInstanceState.SUCCESS) == "green"
    assert State.color_fg(TaskInstanceState.SUCCESS) == "white"
    assert State.color_fg(None) == "black"


def test_rules_can_be_asked_for_by_their_text() -> None:
    assert TriggerRule.is_valid("one_done")
    assert not TriggerRule.is_valid("dummy")
    assert WeightRule.is_valid("absolute")
    assert not WeightRule.is_valid("random")
    assert len(TriggerRule.all_triggers()) == 13


@pytest.mark.parametrize(
    ("run_id", "run_type"),
    [
        ("scheduled__2026-01-01T00:00:00+00:00", DagRunType.SCHEDULED),
        ("backfill__2026-01-01T00:00:00+00:00", DagRunType.BACKFILL_JOB),
        ("asset_materialization__x", DagRunType.ASSET_MATERIALIZATION),
        ("my own name", DagRunType.MANUAL),
        ("scheduled_", DagRunType.MANUAL),
    ],
)
def test_a_run_id_tells_its_type(run_id: str, run_type: DagRunType) -> None:
    """C5."""
    assert DagRunType.from_run_id(run_id) is run_type


def test_a_run_id_begins_with_its_type() -> None:
    """C5."""
    assert DagRunType.BACKFILL_JOB.generate_run_id(suffix="now") == "backfill__now"
