"""One seed from beginning to end."""

import traceback
from dataclasses import dataclass, field

from tests.simulation import assets, mirror, waiting
from tests.simulation.backfills import small_batches
from tests.simulation.cluster import Cluster
from tests.simulation.fleet import Fleet
from tests.simulation.people import People
from tests.simulation.scenario import Scenario, make_scenario
from tests.simulation.store import SharedDatabase
from tests.simulation.triggerers import Triggerers
from tests.simulation.verdict import end_violations, is_ambiguous, is_settled
from tests.simulation.world import World

QUIET_LIMIT_S = 3600.0
"""How long after the last fault everything must have ended."""
_LOOK_EVERY_S = 3.0

Results = dict[tuple[str, str, str, int], tuple[str, int]]
"""(DAG, run, task, map index) → (final state, tries)."""


@dataclass(frozen=True, slots=True)
class SeedReport:
    """What came of one seed."""

    seed: int
    virtual_s: float
    faults: dict[str, int]
    violation: str | None
    log: tuple[str, ...] = field(repr=False)
    digest: int
    results: Results = field(repr=False)
    is_ambiguous: bool = False


class Simulator:
    """Simulates one seed after another on one database."""

    def __init__(self) -> None:
        self._database = SharedDatabase(mirror.prepare, waiting.prepare, assets.prepare)

    def run(self, seed: int, *, verbose: bool = False) -> SeedReport:
        """One seed; a calm one twice."""
        scenario = make_scenario(seed)
        if not scenario.is_calm:
            return self._run(scenario, scenario.schedulers, verbose=verbose)
        alone = self._run(scenario, 1, verbose=verbose)
        if alone.violation is not None:
            return alone
        together = self._run(scenario, 3, verbose=verbose)
        if together.violation is not None or alone.is_ambiguous or together.is_ambiguous:
            return together
        return _compared(alone, together)

    def _run(self, scenario: Scenario, schedulers: int, *, verbose: bool) -> SeedReport:
        world = World(scenario, self._database, verbose=verbose)
        try:
            with small_batches():
                _simulate(world, schedulers)
            return _report(world)
        finally:
            world.kernel.close()


def _simulate(world: World, schedulers: int) -> None:
    kernel = world.kernel
    people = People(world)
    cluster = Cluster(world)
    fleet = Fleet(world, cluster, schedulers)
    triggerers = Triggerers(world)
    outside = assets.Outside(world)
    people.begin()
    outside.begin()
    if not world.scenario.is_calm:
        kernel.after(world.scenario.chaos_s, lambda: None)
        kernel.run(lambda: kernel.now_s >= world.scenario.chaos_s)
        kernel.say("simulation", "faults and people stop")
        world.faults.is_active = False
        world.outage.until_s = 0.0
        cluster.stop_faults()
        fleet.stop_faults()
        triggerers.stop_faults()
        people.calm_down()
    started_s = kernel.now_s
    is_over = False

    def look() -> None:
        nonlocal is_over
        is_calm = people.has_asked_for_all and outside.is_done and not assets.is_any_change_pending(world.database.raw)
        is_over = is_calm and is_settled(world, started_s)
        kernel.after(_LOOK_EVERY_S, look)

    kernel.after(_LOOK_EVERY_S, look)
    kernel.run(lambda: is_over or kernel.now_s - started_s > QUIET_LIMIT_S)
    if kernel.violation is None:
        for violation in end_violations(world, is_settled=is_over):
            kernel.fail(violation)
            break


def _report(world: World) -> SeedReport:
    kernel = world.kernel
    log = list(kernel.log)
    if kernel.error is not None:
        log += "".join(traceback.format_exception(kernel.error)).splitlines()
    return SeedReport(
        seed=world.scenario.seed,
        virtual_s=kernel.now_s,
        faults=dict(world.faults.counts),
        violation=kernel.violation,
        log=tuple(log),
        digest=kernel.digest,
        results={
            (row.dag_id, run.run_id, row.key.task_id, row.key.map_index): (str(row.state), row.try_number)
            for run in world.mirror.runs.values()
            for row in run.tasks.values()
        },
        is_ambiguous=world.scenario.is_calm and kernel.violation is None and is_ambiguous(world),
    )


def _compared(alone: SeedReport, together: SeedReport) -> SeedReport:
    violation = None
    if alone.results != together.results:
        places = sorted(set(alone.results) | set(together.results))
        place = next(place for place in places if alone.results.get(place) != together.results.get(place))
        violation = (
            f"{'.'.join(map(str, place))} is {alone.results.get(place)} with one scheduler"
            f" and {together.results.get(place)} with three"
        )
    return SeedReport(
        seed=alone.seed,
        virtual_s=alone.virtual_s + together.virtual_s,
        faults={},
        violation=violation,
        log=together.log,
        digest=alone.digest ^ together.digest,
        results=together.results,
    )
