"""Many seeds, in several processes, in order."""

from collections.abc import Iterator
from dataclasses import replace
from multiprocessing import get_context

from tests.simulation.simulate import SeedReport, Simulator

PROCESSES = 2
_PARALLEL_FROM = 50
_CHUNK = 10

_simulators: list[Simulator] = []


def run_seeds(seeds: range, *, verbose: bool = False) -> Iterator[SeedReport]:
    """The report of each seed, in their order."""
    if len(seeds) < _PARALLEL_FROM or verbose:
        simulator = Simulator()
        for seed in seeds:
            yield simulator.run(seed, verbose=verbose)
        return
    with get_context("spawn").Pool(PROCESSES) as pool:
        yield from pool.imap(_run, seeds, _CHUNK)


def _run(seed: int) -> SeedReport:
    if not _simulators:
        _simulators.append(Simulator())
    report = _simulators[0].run(seed)
    # What is not printed need not travel between processes.
    return report if report.violation else replace(report, log=(), results={})
