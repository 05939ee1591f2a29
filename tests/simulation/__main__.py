"""The command line: many seeds, or one again."""

import argparse
import sys

from tests.simulation.many import run_seeds
from tests.simulation.simulate import SeedReport

LAST_EVENTS = 30


def main(arguments: list[str] | None = None) -> int:
    """Run the seeds, print what failed, and end with one line of totals."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--seeds", type=int, default=100, help="how many")
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--verbose", action="store_true", help="print everything that happened")
    options = parser.parse_args(arguments)
    seeds = range(options.first, options.first + options.seeds)
    virtual_s = faults = violations = 0.0
    for report in run_seeds(seeds, verbose=options.verbose):
        virtual_s += report.virtual_s
        faults += sum(report.faults.values())
        if options.verbose:
            _say("\n".join(report.log))
            _say(f"seed {report.seed}: digest {report.digest:08x}, faults {report.faults}")
        if report.violation is not None:
            violations += 1
            _say(describe(report, with_log=not options.verbose))
    _say(f"{len(seeds)} seeds, {virtual_s / 3600:.0f} virtual hours, {faults:.0f} faults, {violations:.0f} violations")
    return 1 if violations else 0


def describe(report: SeedReport, *, with_log: bool = True) -> str:
    """What went wrong, what came before, and how to see it again."""
    lines = [f"seed {report.seed}: {report.violation}"]
    if with_log:
        lines += [f"    {line}" for line in report.log[-LAST_EVENTS:]]
    lines.append(f"  replay: python -m tests.simulation --seeds 1 --first {report.seed} --verbose")
    return "\n".join(lines)


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
