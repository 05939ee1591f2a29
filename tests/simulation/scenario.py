"""What one seed is about: the DAGs and their runs, the pools, the settings, how many of what."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from tests.simulation.asset_plan import PlannedUpdates, planned_updates
from tests.simulation.backfills import PlannedBackfill, planned_backfills
from tests.simulation.random_dag import random_dag
from tests.simulation.starts import with_starts
from tradewind.decide.retry import LONGEST_DELAY_S
from tradewind.model.dag import Dag
from tradewind.model.pool import DEFAULT_POOL, UNLIMITED_SLOTS, Pool
from tradewind.model.timetable import Never
from tradewind.settings import CoreSettings, SchedulerSettings
from tradewind.triggerer.options import TriggererOptions

CALM_EVERY = 8
"""One in so many seeds has neither faults nor people, and must end the same with one scheduler and with three."""

_EPOCHS = (
    datetime(2027, 3, 1, 12, tzinfo=UTC),
    datetime(2027, 3, 28, 0, 58, tzinfo=UTC),  # the clocks of Berlin go forward at 01:00
    datetime(2027, 10, 31, 0, 58, tzinfo=UTC),  # and back
    datetime(2027, 3, 14, 6, 58, tzinfo=UTC),  # those of New York go forward at 07:00
)


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """A run that somebody asks for."""

    at_s: float
    dag_id: str
    run_id: str
    logical_date: datetime | None


@dataclass(frozen=True, slots=True)
class Scenario:
    """All that is fixed before the first step."""

    seed: int
    is_calm: bool
    epoch: datetime
    dags: tuple[Dag, ...]
    runs: tuple[PlannedRun, ...]
    backfills: tuple[PlannedBackfill, ...]
    updates: PlannedUpdates
    pools: tuple[Pool, ...]
    schedulers: int
    workers: int
    executor_slots: dict[str, int]
    chaos_s: float
    """How long faults and people go on."""
    core: CoreSettings
    settings: SchedulerSettings
    heartbeat_s: float
    deferral_weight: int
    """How often tasks defer, beside 93 other ends."""
    triggerers: int
    triggerer: TriggererOptions


def make_scenario(seed: int) -> Scenario:
    """The same for the same seed."""
    rng = Random(f"scenario {seed}")
    is_calm = seed % CALM_EVERY == 0
    epoch = rng.choice(_EPOCHS)
    pools = _pools(rng)
    names = tuple(pool.name for pool in pools if pool.name != DEFAULT_POOL)
    dags = tuple(
        random_dag(rng, f"d{number}", epoch, names, is_calm=is_calm) for number in range(rng.choice((1, 1, 1, 2, 2, 3)))
    )
    waiting = _waiting(seed)
    if waiting["triggerers"]:
        dags = tuple(with_starts(seed, dag) for dag in dags)
    return Scenario(
        seed=seed,
        is_calm=is_calm,
        epoch=epoch,
        dags=dags,
        runs=tuple(_runs(rng, dags, epoch, is_calm=is_calm)),
        backfills=() if is_calm else planned_backfills(seed, dags, epoch),
        updates=planned_updates(seed, epoch, is_calm=is_calm),
        pools=pools,
        schedulers=rng.choice((1, 1, 2, 2, 2, 3)),
        workers=rng.choice((1, 2, 3)),
        executor_slots={"first": rng.choice((2, 4, 16)), "second": rng.choice((1, 2, 8))},
        chaos_s=rng.choice((30.0, 60.0, 100.0)),
        core=CoreSettings(parallelism=rng.choice((1, 2, 4, 16))),
        settings=_settings(rng),
        heartbeat_s=rng.choice((2.0, 4.0)),
        **waiting,
    )


def _waiting(seed: int) -> dict[str, Any]:
    rng = Random(f"waiting {seed}")
    # To give signs of life costs more than to wait: so a third of the seeds has triggerers, and those have much to do.
    weight = rng.choice((0, 0, 0, 0, 7, 40))
    return {
        "deferral_weight": weight,
        "triggerers": rng.choice((1, 1, 1, 2, 3)) if weight else 0,
        "triggerer": TriggererOptions(
            capacity=rng.choice((1, 3, 100)),
            claimed_at_once=rng.choice((1, 2, 50)),
            heartbeat_s=20.0,
            threshold_s=45.0,
            runner_threshold_s=12.0,
            longest_retry_delay_s=LONGEST_DELAY_S,
        ),
    }


def _pools(rng: Random) -> tuple[Pool, ...]:
    default = Pool(DEFAULT_POOL, rng.choice((2, 3, 5, 128, UNLIMITED_SLOTS)))
    small = Pool("small", rng.choice((2, 2, 3)), include_deferred=rng.random() < 0.5)
    return (default, small) if rng.random() < 0.6 else (default,)


def _runs(rng: Random, dags: tuple[Dag, ...], epoch: datetime, *, is_calm: bool) -> list[PlannedRun]:
    runs = []
    for dag in dags:
        is_scheduled = not isinstance(dag.timetable, Never)
        for number in range(rng.choice((0, 1)) if is_scheduled else rng.choice((1, 1, 2, 3))):
            # Long past, so that they come before what a timetable makes.
            has_date = is_calm or rng.random() < 0.6
            date = epoch - timedelta(days=30 - number) if has_date else None
            at_s = 0.0 if is_calm else rng.choice((0.0, 0.0, rng.uniform(0, 40)))
            runs.append(PlannedRun(at_s, dag.dag_id, f"run{number}", date))
    return runs


def _settings(rng: Random) -> SchedulerSettings:
    # A tenth of the defaults in time, so that a seed sees every duty at work within minutes.
    return SchedulerSettings(
        max_tis_per_query=rng.choice((0, 1, 3, 16)),
        max_dagruns_to_create_per_loop=rng.choice((1, 10)),
        max_dagruns_per_loop_to_schedule=rng.choice((1, 2, 20)),
        num_stuck_in_queued_retries=rng.choice((0, 2)),
        scheduler_idle_sleep_time=rng.choice((12.0, 30.0)),
        job_heartbeat_sec=rng.choice((4.0, 8.0)),
        orphaned_tasks_check_interval=40.0,
        pool_metrics_interval=60.0,
        task_instance_heartbeat_timeout_detection_interval=6.0,
        task_queued_timeout_check_interval=6.0,
        scheduler_health_check_threshold=20.0,
        task_instance_heartbeat_timeout=rng.choice((12.0, 25.0)),
        task_queued_timeout=rng.choice((10.0, 25.0)),
    )
