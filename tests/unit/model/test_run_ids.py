"""What runs are called (C5)."""

from datetime import datetime, timedelta, timezone

import pytest

from tests.instants import utc
from tradewind.model.run_ids import InvalidRunId, check_run_id, new_run_id, run_type_of
from tradewind.model.states import RunType

RUN_AFTER = utc("2026-01-01")


@pytest.mark.parametrize("run_type", RunType)
def test_an_id_is_the_type_and_the_instant_of_the_run(run_type: RunType) -> None:
    """C5."""
    run_id = new_run_id(run_type, RUN_AFTER, logical_date=RUN_AFTER)
    assert run_id == f"{run_type.value}__2026-01-01T00:00:00+00:00"
    assert run_type_of(run_id) is run_type


def test_without_a_logical_date_the_suffix_tells_runs_of_one_instant_apart() -> None:
    """C5."""
    run_after = utc("2026-01-01 10:00:00.123456")
    run_id = new_run_id(RunType.MANUAL, run_after, logical_date=None, suffix="a1B2c3D4")
    assert run_id == "manual__2026-01-01T10:00:00.123456+00:00_a1B2c3D4"


@pytest.mark.parametrize("suffix", [None, "", "short", "toolong99", "a1B2c3D/"])
def test_without_a_logical_date_a_proper_suffix_is_needed(suffix: str | None) -> None:
    """C5."""
    with pytest.raises(ValueError, match="needs a suffix of eight characters"):
        new_run_id(RunType.ASSET_TRIGGERED, RUN_AFTER, logical_date=None, suffix=suffix)


def test_the_suffix_is_left_out_where_the_logical_date_is_enough() -> None:
    """C5."""
    run_id = new_run_id(RunType.SCHEDULED, RUN_AFTER, logical_date=RUN_AFTER, suffix="a1B2c3D4")
    assert not run_id.endswith("a1B2c3D4")


def test_the_instant_is_written_in_utc_and_needs_a_zone() -> None:
    """C5."""
    tokyo = RUN_AFTER.astimezone(timezone(timedelta(hours=9)))
    assert new_run_id(RunType.MANUAL, tokyo, logical_date=tokyo) == "manual__2026-01-01T00:00:00+00:00"
    with pytest.raises(ValueError, match="has no time zone"):
        new_run_id(RunType.MANUAL, datetime.fromisoformat("2026-01-01"), logical_date=None, suffix="a1B2c3D4")


@pytest.mark.parametrize("run_type", RunType)
def test_the_ids_that_we_make_are_always_allowed(run_type: RunType) -> None:
    """C5: even under a pattern that they do not match."""
    for run_id in (
        new_run_id(run_type, RUN_AFTER, logical_date=RUN_AFTER),
        new_run_id(run_type, utc("2026-01-01 10:00:00.5"), logical_date=None, suffix="a1B2c3D4"),
    ):
        assert check_run_id(run_id, run_type=run_type, pattern="^nothing$") == run_id


@pytest.mark.parametrize("run_id", ["my-run", "2026.01~x:y+z", "manual__by_me", "scheduled_without_two_bars"])
def test_people_may_name_runs_within_the_pattern(run_id: str) -> None:
    """C5."""
    assert check_run_id(run_id) == run_id
    assert run_type_of(run_id) is RunType.MANUAL


@pytest.mark.parametrize(
    ("run_id", "reason"),
    [
        ("", "is empty"),
        ("x" * 251, "is longer than 250"),
        ("a..b", "must not contain '..'"),
        ("a/b", "does not match"),
        ("a b", "does not match"),
        ("ä", "does not match"),
        ("good\n", "control characters"),
        ("scheduled__mine", "begins like that of a run of type scheduled"),
        ("backfill__2026-01-01T00:00:00+00:00", "begins like that of a run of type backfill"),
        ("asset_materialization__x", "begins like that of a run of type asset_materialization"),
    ],
)
def test_other_names_are_refused_with_the_reason(run_id: str, reason: str) -> None:
    """C5."""
    with pytest.raises(InvalidRunId) as refused:
        check_run_id(run_id)
    assert reason in str(refused.value)


def test_the_pattern_is_the_one_configured() -> None:
    """C5: `[scheduler] allowed_run_id_pattern`."""
    assert check_run_id("run/1", pattern="^run/") == "run/1"
    with pytest.raises(InvalidRunId, match="does not match"):
        check_run_id("my-run", pattern="^run/")
    with pytest.raises(InvalidRunId, match="does not match"):
        check_run_id("my-run", pattern="")
