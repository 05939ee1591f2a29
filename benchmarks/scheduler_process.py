"""A scheduler with the instant executor as a process: `python -m benchmarks.scheduler_process`.

Settings come from the environment. It imports nothing that the product's scheduler would not, so that its memory is
the scheduler's.
"""

import sys

from tradewind.bootstrap import make_loop, make_scheduler, wire
from tradewind.executors.instant import InstantExecutor
from tradewind.runtime.service import stop_signals
from tradewind.settings import load_settings


def main() -> int:
    """Until SIGTERM. Returns the exit code."""
    wiring = wire(load_settings())
    scheduler = make_scheduler(wiring, [InstantExecutor(wiring.clock.now)])
    with stop_signals(wiring.wakeup) as stopping:
        make_loop(wiring, scheduler, stopping.is_set).run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
