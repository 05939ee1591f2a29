"""Everything that one simulated run shares."""

from collections.abc import Iterable
from random import Random

from tests.simulation.faults import Faults
from tests.simulation.kernel import Kernel, Process, VirtualWakeup
from tests.simulation.mirror import Mirror
from tests.simulation.scenario import Scenario
from tests.simulation.store import Outage, SharedDatabase, SimulatedStore
from tests.simulation.truth import Truth
from tests.simulation.waiting import Waiting
from tests.simulation.watch import Watch
from tradewind.operations.structures import Structures
from tradewind.telemetry.events import DagFenced, DutyFailed, Event
from tradewind.telemetry.hub import Hub


class PlainText:
    """Implements `operations.cipher.Cipher`: what triggers get is compared with what they say."""

    def encrypt(self, text: str) -> tuple[str, bool]:
        """See `Cipher.encrypt`."""
        return text, False

    def decrypt(self, text: str, what: str) -> str:
        """See `Cipher.decrypt`."""
        raise AssertionError(f"{what} is not encrypted: {text}")


class World:
    """One seed, while it runs."""

    def __init__(self, scenario: Scenario, database: SharedDatabase, *, verbose: bool = False) -> None:
        self.scenario = scenario
        self.database = database
        database.clear()
        self.kernel = Kernel(Random(f"kernel {scenario.seed}"), scenario.epoch, verbose=verbose)
        self.faults = Faults(Random(f"faults {scenario.seed}"), is_calm=scenario.is_calm)
        self.outage = Outage()
        self.mirror = Mirror(database.raw)
        self.truth = Truth(self.kernel, self.mirror)
        threshold_s = scenario.triggerer.threshold_s
        self.waiting = Waiting(self.kernel, database.raw, self.mirror, threshold_s, seed=scenario.seed)
        self.watch = Watch(self.kernel, database.raw, self.mirror, self.truth, self.waiting, scenario)
        self.structures = Structures()
        """Shared by all that only read it: a version never changes."""
        self.cipher = PlainText()
        self.wakeups: dict[VirtualWakeup, None] = {}
        self.triggerer_wakeups: dict[VirtualWakeup, None] = {}

    def store(self, process: Process) -> SimulatedStore:
        """The database, as this process sees it."""
        hub = Hub()
        hub.attach(self.heard)
        return SimulatedStore(process, self.database.database, self.faults, self.outage, self, hub)

    def heard(self, event: Event) -> None:
        """What the engine tells: nothing in a simulation is so broken that a duty may raise."""
        if isinstance(event, DutyFailed) and not event.error.startswith("simulated"):
            self.kernel.fail(f"the duty {event.duty!r} raised: {event.error}")
        if isinstance(event, DagFenced):
            self.kernel.fail(f"the DAG {event.dag_id!r} was fenced off: {event.error}")

    def begun(self) -> None:
        """See `store.Observer`."""
        self.watch.begun()

    def committed(self, process: Process) -> None:
        """See `store.Observer`."""
        if self.mirror.has_news():
            self.watch.check(process)

    def wake(self) -> None:
        """See `store.Observer`. Some schedulers are told; the others find out at their next poll, if it is not done."""
        self._wake_some(self.wakeups)

    def wake_triggerers(self) -> None:
        """See `store.Observer`."""
        self._wake_some(self.triggerer_wakeups)

    def _wake_some(self, wakeups: Iterable[VirtualWakeup]) -> None:
        for wakeup in wakeups:
            if self.kernel.rng.random() < 0.6 and not self.faults.hit("wake-up lost"):
                wakeup.wake()
