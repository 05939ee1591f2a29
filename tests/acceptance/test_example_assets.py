"""Airflow's examples of assets, partitions and timetables, left alone, make the runs they tell of (C1, C2).

`test_example_dags` asks for a run of each example. Here only the first of each story is asked for: what follows are the
runs that schedulers make.
"""

import json
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from shutil import copyfile
from typing import Final

import pytest

from tests.acceptance.deployment import PATIENCE_S, Deployment, deployed
from tradewind.model.listing import Condition, Listed, Query
from tradewind.model.listing import Test as Whether
from tradewind.model.run import Run
from tradewind.model.states import RunState, RunType
from tradewind.model.timetable import DataInterval
from tradewind.operations.foresee_runs import foresee_runs
from tradewind.operations.pause_dag import pause_dag
from tradewind.operations.record_asset_events import add_asset_events
from tradewind.operations.structures import Structures
from tradewind.operations.trigger_run import RunRequest, trigger_run
from tradewind.runtime.clock import SystemClock
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.shared_stores import NewAssetEvent

FILES: Final = (
    "example_asset_alias.py",
    "example_asset_alias_with_no_taskflow.py",
    "example_asset_allow_teams.py",
    "example_asset_decorator.py",
    "example_asset_partition.py",
    "example_asset_state_store.py",
    "example_asset_with_watchers.py",
    "example_assets.py",
    "example_outlet_event_extra.py",
    "example_workday_timetable.py",
)
BY_THE_CLOCK: Final = frozenset(
    {"ingest_team_a_player_stats", "team_b_player_stats", "team_c_player_stats", "train_weekly_model"}
)
"""Their partitions are those of the hour or the week in which the test runs: here others take their place."""
_CLOCK: Final = SystemClock()


class Examples:
    """A deployment with the examples, of which all run by themselves that do not go by the clock."""

    def __init__(self, deployment: Deployment, watched: Path) -> None:
        self.deployment = deployment
        self.watched = watched

    def update(self, asset: str, *keys: str) -> None:
        """Partitions of an asset are updated by somebody else."""

        def work(tx: Transaction) -> None:
            (record,) = tx.assets.named([asset], [])
            add_asset_events(tx, [NewAssetEvent(asset_key=record.key, partition_key=key) for key in keys], _CLOCK.now())

        self.deployment.wiring.database.transact(work)

    def trigger(self, dag_id: str, partition_key: str | None = None, logical_date: datetime | None = None) -> None:
        """Ask for a run, and wait for its success."""
        request = RunRequest(dag_id, None, partition_key=partition_key, logical_date=logical_date)
        structures = self.deployment.structures
        key = self.deployment.wiring.database.transact(
            lambda tx: trigger_run(tx, request, structures, _CLOCK.now(), suffix="aaaaaaaa")
        ).key
        ended = self.deployment.ended(key)
        assert ended.state == "success", ended.reasons

    def runs(self, dag_id: str, run_type: RunType = RunType.ASSET_TRIGGERED) -> list[Run]:
        """Those that were made for assets, or in another way."""
        with self.deployment.wiring.database.begin() as tx:
            return [run for run in tx.runs.of_dag(dag_id) if run.run_type is run_type]

    def expect(self, **expected: int | list[str]) -> None:
        """Wait until so many runs for assets have succeeded, or one for each of these partitions; and no other."""

        def as_expected() -> bool:
            return all(self._is(dag_id, what) for dag_id, what in expected.items())

        self.deployment.until(as_expected, f"runs: {expected}", within_s=PATIENCE_S)

    def _is(self, dag_id: str, expected: int | list[str]) -> bool:
        runs = self.runs(dag_id)
        assert not [run for run in runs if run.state is RunState.FAILED], dag_id
        keys = Counter(str(run.partition_key) for run in runs)
        wanted = Counter(expected) if isinstance(expected, list) else Counter({"None": expected})
        assert keys <= wanted, (dag_id, keys, wanted)
        return keys == wanted and all(run.state is RunState.SUCCESS for run in runs)


@pytest.fixture(scope="module")
def examples(example_packages: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Examples]:
    """On SQLite; the other databases have tests of their own for all that is decided here."""
    source = example_packages / "airflow" / "example_dags"
    folder, watched = tmp_path_factory.mktemp("dags"), tmp_path_factory.mktemp("watched")
    for name in FILES:
        copyfile(source / name, folder / name)
    watching = folder / "example_asset_with_watchers.py"
    # It deletes the files that it waits for: not those of this machine.
    watching.write_text(watching.read_text(encoding="utf-8").replace('"/tmp/', f'"{watched}/'), encoding="utf-8")
    variables = {
        "TRADEWIND__CORE__PLUGINS_FOLDER": str(source / "plugins"),
        "TRADEWIND__CORE__DAGS_ARE_PAUSED_AT_CREATION": "True",
        "PYTHONPATH": str(example_packages),
    }
    home = tmp_path_factory.mktemp("home")
    with deployed(home / "examples", f"sqlite:///{home}/state.db", dags_folder=folder, variables=variables) as made:
        made.start("triggerer")
        made.wait_for_files(folder)
        wanted = [dag_id for dag_id in made.dag_ids() if dag_id not in BY_THE_CLOCK]
        made.wiring.database.transact(
            lambda tx: [pause_dag(tx, dag_id, _CLOCK.now(), is_paused=False) for dag_id in wanted]
        )
        yield Examples(made, watched)


def test_updates_start_those_that_wait_for_one_for_both_or_for_either(examples: Examples) -> None:
    """C2, C3: `example_assets` tells itself what follows from its two producers."""
    examples.deployment.until(
        lambda: [run.state for run in examples.runs("asset_produces_1", RunType.SCHEDULED)] == [RunState.SUCCESS],
        "the run of asset_produces_1 that its schedule makes",
    )
    first = {"asset_consumes_1": 1, "consume_1_or_both_2_and_3_with_asset_expressions": 1}
    examples.expect(**first, consume_1_or_2_with_asset_expressions=1, asset_consumes_1_and_2=0)

    examples.trigger("asset_produces_2")

    examples.expect(
        **first,
        consume_1_or_2_with_asset_expressions=2,
        asset_consumes_1_and_2=1,
        consume_1_and_2_with_asset_expressions=1,
        conditional_asset_and_time_based_timetable=1,
        asset_consumes_1_never_scheduled=0,
        asset_consumes_unknown_never_scheduled=0,
    )


def test_updates_through_an_alias_start_those_that_wait_for_it_and_for_its_asset(examples: Examples) -> None:
    """C2: both alias examples put the same asset into theirs."""
    examples.trigger("asset_s3_bucket_producer")
    examples.trigger("asset_s3_bucket_producer_with_no_taskflow")
    examples.expect(asset_s3_bucket_consumer=1, asset_s3_bucket_consumer_with_no_taskflow=1)

    examples.trigger("asset_alias_example_alias_producer_with_no_taskflow")
    examples.expect(
        asset_alias_example_alias_consumer_with_no_taskflow=1,
        asset_s3_bucket_consumer=2,
        asset_alias_example_alias_consumer=0,
    )

    examples.trigger("asset_alias_example_alias_producer")
    examples.expect(asset_alias_example_alias_consumer=1, asset_s3_bucket_consumer=3)


def test_assets_that_are_functions_start_who_waits_for_either(examples: Examples) -> None:
    """C2: `example_asset_decorator`."""
    examples.trigger("asset1_producer")
    examples.expect(consumes_asset_decorator=1)
    examples.trigger("asset2_producer")
    examples.expect(consumes_asset_decorator=2)


def test_teams_and_states_of_assets_hold_nobody_up(examples: Examples) -> None:
    """C2: teams count only where a deployment has several."""
    examples.trigger("example_asset_state_store_producer")
    examples.expect(example_asset_state_store_consumer=1, team_ml_consumer=1)


def test_what_tasks_say_about_an_update_is_kept(examples: Examples) -> None:
    """C2: by yielding it, by the context, and from a hook of an operator."""

    def extras() -> list[object]:
        with examples.deployment.wiring.database.begin() as tx:
            (record,) = tx.assets.named(["test-asset"], [])
            query = Query((Condition("asset_id", Whether.IS, record.key),), is_counted=False)
            return [row["extra"] for row in tx.listings.page(Listed.ASSET_EVENTS, query).rows]

    examples.deployment.until(lambda: len(extras()) == 3, "three updates")
    assert [json.loads(str(extra)) for extra in extras()] == [{"hi": "bye"}] * 3


def test_files_that_watchers_see_start_a_run(examples: Examples) -> None:
    """C2: one for all three; the watchers take the files away."""
    flags = examples.watched / "region-flags"
    flags.mkdir()
    files = [examples.watched / "test", flags / "us.flag", flags / "eu.flag"]
    for file in files:
        file.touch()

    examples.expect(example_asset_with_watchers=1)
    assert not [file for file in files if file.exists()]


def test_a_timetable_of_a_plugin_names_working_days(examples: Examples) -> None:
    """C1: `example_workday_timetable` runs after each day from Monday to Friday, from today on and not before."""
    foreseen = examples.deployment.wiring.database.read(
        lambda tx: foresee_runs(tx, "example_workday_timetable", Structures(), _CLOCK.now(), count=20)
    ).runs

    days = [run.data_interval for run in foreseen if run.data_interval is not None]
    assert len(days) == 20
    assert {day.end - day.start for day in days} == {timedelta(days=1)}
    assert {day.start.weekday() for day in days} == {0, 1, 2, 3, 4}
    assert timedelta(0) < days[0].end - _CLOCK.now() < timedelta(days=6)
    assert [run.run_after for run in foreseen] == [day.end for day in days]


def test_a_timetable_of_a_plugin_says_what_a_run_by_hand_is_about(examples: Examples) -> None:
    """C1: `example_workday_timetable`, asked on a Sunday, is about the Friday before."""
    examples.trigger("example_workday_timetable", logical_date=datetime(2026, 6, 14, 10, 20, tzinfo=UTC))

    (run,) = examples.runs("example_workday_timetable", RunType.MANUAL)
    friday = datetime(2026, 6, 12, tzinfo=UTC)
    assert run.data_interval == DataInterval(friday, friday + timedelta(days=1))


def test_partitions_are_aligned_and_handed_on(examples: Examples) -> None:
    """C2: three hours become one, which the next is about; years and hours never meet."""
    for asset, minute in (("team_a_player_stats", 0), ("team_b_player_stats", 15), ("team_c_player_stats", 30)):
        examples.update(asset, f"2026-05-14T03:{minute:02}:00")

    examples.expect(
        clean_and_combine_player_stats=["2026-05-14T03"],
        compute_player_odds=["2026-05-14T03"],
        player_odds_quality_check_wont_ever_to_trigger=[],
    )


def test_hours_become_days_and_days_a_month(examples: Examples) -> None:
    """C2: each roll-up waits for the last one."""
    examples.update("daily_team_a", *(f"2026-06-{day:02}" for day in range(1, 31) if day != 14))
    examples.update("team_a_player_stats", *(f"2026-06-14T{hour:02}:00:00" for hour in range(23)))
    examples.expect(daily_team_a_rollup=[], monthly_team_a_rollup=[])

    examples.update("team_a_player_stats", "2026-06-14T23:00:00")
    examples.expect(daily_team_a_rollup=["2026-06-14"], monthly_team_a_rollup=["2026-06"])


def test_a_week_becomes_days_in_both_directions(examples: Examples) -> None:
    """C2: those that begin with Monday, and those that end with it."""
    examples.update("weekly_model_artifact", "2026-06-15T00:00:00")

    examples.expect(
        daily_inference=[f"2026-06-{day}" for day in range(15, 22)],
        trailing_week_inference=[f"2026-06-{day:02}" for day in range(9, 16)],
    )


def test_partitions_that_tasks_name_become_segments(examples: Examples) -> None:
    """C2: keys of two parts, allowed keys, one key for all, and one update for each segment."""
    examples.trigger("ingest_regional_sales")
    examples.trigger("ingest_region_stats", "eu")
    examples.trigger("live_region_player_stats")
    examples.trigger("multi_region_player_stats")

    examples.expect(
        aggregate_regional_sales=[f"{region}|2026-06-14" for region in ("apac", "eu", "us")],
        regional_stats_breakdown=["eu"],
        summarize_live_region_stats=["us"],
        scatter_live_region_to_segments=["apac", "eu", "us"],
        segment_region_stats_rollup=["all_regions"],
        segment_region_stats_early_rollup=["all_regions"],
    )
