"""Watchers of assets, simulated by themselves: triggerers that come and go, answers and acknowledgements that are lost.

    python -m tests.simulation.watching --seeds 1000 --first 1

Real `Watching`, real operations and a real database; the runners and the sources are made up. A source hands a message
out again to every life of its watcher until it was told that it is done.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final, TypeVar

import msgspec

from tests.tables import make_tables
from tradewind.errors import DatabaseUnavailable
from tradewind.model.asset import AllAssets, AssetRef, WatcherRef
from tradewind.model.dag import Dag, Task
from tradewind.model.ids import JobKey
from tradewind.operations.claim_triggers import TRIGGERER_KIND, bury_triggerers, leave_triggers
from tradewind.operations.pause_dag import pause_dag
from tradewind.operations.publish_dag import publish_dag
from tradewind.secrets.encryption import Encryption
from tradewind.storage.database import Database
from tradewind.storage.interface import Store, Transaction
from tradewind.storage.interface.shared_stores import AssetEventChoice
from tradewind.testing.clock import FakeClock
from tradewind.triggerer.code_places import CodePlaces
from tradewind.triggerer.options import TriggererOptions
from tradewind.triggerer.protocol import FrameKind, Kept, Seen, Stop, Watch
from tradewind.triggerer.runner_process import Frame, RunnerProcess
from tradewind.triggerer.watching import Watching

T = TypeVar("T")
STEPS: Final = 300
_DRAIN_STEPS: Final = 60
_OPTIONS: Final = TriggererOptions(
    capacity=10, claimed_at_once=10, heartbeat_s=5, threshold_s=30, runner_threshold_s=30, longest_retry_delay_s=60
)
_NAMED, _NAMELESS = "sources.Named", "sources.Nameless"


@dataclass
class Source:
    """Where messages come from, in order."""

    is_named: bool
    sent: int = 0
    waiting: list[int] = field(default_factory=list)
    """Those that nobody has told it to be done."""


@dataclass
class Life:
    """One life of a watcher in a runner."""

    watch: Watch
    told: int
    handed_out: dict[int, int] = field(default_factory=dict)
    """By the number of its event, the message."""


class Runner(RunnerProcess):
    """The process with the watchers of one triggerer."""

    def __init__(self, scene: "Scene") -> None:
        # Not `super().__init__`, which would start a process.
        self.is_gone = False
        self._scene = scene
        self._said: list[Frame] = []
        self._lives: dict[int, Life] = {}

    def send(self, kind: FrameKind, content: object = b"") -> None:
        """See `RunnerProcess.send`."""
        if self.is_gone:
            return
        match kind, content:
            case FrameKind.WATCH, Watch():
                self._lives.setdefault(content.watcher, Life(content, content.stored))
            case FrameKind.STOP, list():
                for stop in content:
                    self._stop(stop)
            case FrameKind.KEPT, list():
                for kept in content:
                    self._kept(kept)
            case _:
                pass

    def step(self) -> None:
        """Each watcher sees its next message, if there is one."""
        for life in list(self._lives.values()):
            source = self._scene.sources[life.watch.class_path]
            left = [message for message in source.waiting if message not in life.handed_out.values()]
            if left and not self.is_gone:
                life.told += 1
                life.handed_out[life.told] = left[0]
                name = str(left[0]) if source.is_named else None
                self._say(FrameKind.SEEN, Seen(life.watch.watcher, life.told, json.dumps(left[0]), name))

    def frames(self) -> list[Frame]:
        """See `RunnerProcess.frames`."""
        said, self._said = self._said, []
        return said

    def executing(self) -> set[int]:
        """See `RunnerProcess.executing`."""
        return set()

    def finish(self) -> None:
        """See `RunnerProcess.finish`."""

    def close(self) -> None:
        """See `RunnerProcess.close`."""

    def starved_s(self) -> float:
        """See `RunnerProcess.starved_s`."""
        return 0.0

    def kill(self) -> None:
        """See `RunnerProcess.kill`."""
        self.is_gone = True

    def _stop(self, stop: Stop) -> None:
        self._lives.pop(stop.trigger, None)
        self._say(FrameKind.STOPPED, stop.trigger)

    def _kept(self, kept: Kept) -> None:
        life = self._lives.get(kept.watcher)
        if life is None:
            return
        source = self._scene.sources[life.watch.class_path]
        for number in [number for number in life.handed_out if number <= kept.number]:
            message = life.handed_out[number]
            # The source may not hear of it; this life does not hand it out again, another one does.
            if message in source.waiting and not self._scene.hits(0.2):
                source.waiting.remove(message)

    def _say(self, kind: FrameKind, content: object) -> None:
        self._said.append((kind, msgspec.msgpack.encode(content)))


class _NoFolders:
    """Of DAGs that come from no file."""

    def known_folder(self, _bundle: str, _version: str | None) -> Path | None:
        """See `Folders.known_folder`."""
        return None

    def folder(self, bundle: str, _version: str | None) -> Path:
        """See `Folders.folder`."""
        raise AssertionError(bundle)


@dataclass
class FaultyStore:
    """The database, over a network that loses requests and answers."""

    store: Store
    scene: "Scene"

    def transact(self, work: Callable[[Transaction], T]) -> T:
        """See `Store.transact`."""
        if self.scene.hits(0.05):
            raise DatabaseUnavailable("simulated: the request was lost")
        answer = self.store.transact(work)
        if self.scene.hits(0.1):
            raise DatabaseUnavailable("simulated: the answer was lost")
        return answer


class SimulatedTriggerer:
    """One life of one triggerer, as far as watchers are concerned."""

    def __init__(self, scene: "Scene") -> None:
        self._scene = scene
        self.runners: list[Runner] = []
        store: Any = FaultyStore(scene.database, scene)
        self.watching = Watching(
            store,
            scene.clock,
            self._make_runner,
            places=CodePlaces(_NoFolders(), ""),
            cipher=Encryption([]),
            options=_OPTIONS,
        )
        self._live()

    def do(self, what: Callable[[], object]) -> None:
        """What it is about to do anyway, with a database that may not answer."""
        try:
            what()
        except DatabaseUnavailable:
            return

    def beat(self) -> None:
        """Give a sign of life; go on as somebody new if it was taken for dead."""
        with self._scene.database.begin() as tx:
            is_alive = tx.jobs.heartbeat(self.watching.job, self._scene.clock.now())
        if not is_alive:
            self.watching.drop_all()
            self._live()

    def _live(self) -> None:
        with self._scene.database.begin() as tx:
            self.watching.job = tx.jobs.start(TRIGGERER_KIND, hostname="h", pid=1, now=self._scene.clock.now())

    def _make_runner(self) -> Runner:
        self.runners.append(Runner(self._scene))
        return self.runners[-1]


class Scene:
    """One seed."""

    def __init__(self, seed: int) -> None:
        self._rng = Random(f"watching {seed}")
        self._has_faults = True
        self.clock = FakeClock()
        self.database = Database("sqlite://")
        make_tables(self.database)
        self.sources = {_NAMED: Source(is_named=True), _NAMELESS: Source(is_named=False)}
        refs = tuple(
            AssetRef(path, f"x://{path}", watchers=(WatcherRef("w", path, {}),)) for path in (_NAMED, _NAMELESS)
        )
        dag = Dag("sales", tasks=(Task("load"),), assets=AllAssets(refs))
        with self.database.begin() as tx:
            publish_dag(tx, dag, self.clock.now(), is_paused_by_default=False)
        self._triggerers = [SimulatedTriggerer(self) for _ in range(self._rng.choice((1, 2, 3)))]

    def hits(self, chance: float) -> bool:
        """Whether a fault happens here and now."""
        return self._has_faults and self._rng.random() < chance

    def run(self) -> str | None:
        """From beginning to end. Returns what went wrong."""
        try:
            for _ in range(STEPS):
                self._step()
            self._calm_down()
            return self._violation()
        finally:
            self.database.close()

    def _step(self) -> None:
        rng = self._rng
        one = rng.choice(self._triggerers)
        actions: dict[Callable[[], None], int] = {
            lambda: one.do(one.watching.work): 30,
            lambda: one.do(one.watching.sweep): 6,
            lambda: self._each_runner(Runner.step): 20,
            self._send: 12,
            one.beat: 6,
            self._bury_somebody: 2,
            lambda: self._replace(one): 1,
            lambda: self._leave(one): 1,
            lambda: self._each_runner(Runner.kill): 1,
            self._pause: 1,
            lambda: self.clock.advance(rng.choice((0.5, 2.0, 20.0))): 4,
        }
        rng.choices(list(actions), list(actions.values()))[0]()

    def _send(self) -> None:
        for source in self.sources.values():
            source.sent += 1
            source.waiting.append(source.sent)

    def _each_runner(self, what: Callable[[Runner], None]) -> None:
        for triggerer in self._triggerers:
            for runner in triggerer.runners:
                what(runner)

    def _bury_somebody(self) -> None:
        """One that is silent, and perhaps only cut off."""
        with self.database.begin() as tx:
            live = tx.jobs.live(TRIGGERER_KIND)
            if live:
                bury_triggerers(tx, [self._rng.choice(live)], self.clock.now())

    def _replace(self, one: SimulatedTriggerer) -> None:
        """It is killed. Somebody finds out, later; another one is started."""
        for runner in one.runners:
            runner.kill()
        self._triggerers.remove(one)
        self._triggerers.append(SimulatedTriggerer(self))

    def _leave(self, one: SimulatedTriggerer) -> None:
        with self.database.begin() as tx:
            leave_triggers(tx, one.watching.job, self.clock.now())
        self._replace(one)

    def _pause(self) -> None:
        with self.database.begin() as tx:
            pause_dag(tx, "sales", self.clock.now(), is_paused=self._rng.random() < 0.5)

    def _calm_down(self) -> None:
        """All is well from now on: what is there to be seen must be seen. The dead are buried; runners begin anew."""
        self._has_faults = False
        with self.database.begin() as tx:
            pause_dag(tx, "sales", self.clock.now(), is_paused=False)
            alive: set[JobKey] = {each.watching.job for each in self._triggerers}
            dead = [record for record in tx.jobs.live(TRIGGERER_KIND) if record.job_key not in alive]
            bury_triggerers(tx, dead, self.clock.now())
        self._each_runner(Runner.kill)
        for _ in range(_DRAIN_STEPS):
            for each in self._triggerers:
                each.beat()
                each.watching.sweep()
                while each.watching.work():
                    self._each_runner(Runner.step)
            self._each_runner(Runner.step)
            self.clock.advance(10.0)

    def _violation(self) -> str | None:
        for path, source in self.sources.items():
            if source.waiting:
                return f"{source.waiting} of {path} were never done with"
            stored = self._stored(path)
            lost = set(range(1, source.sent + 1)) - set(stored)
            if lost:
                return f"{sorted(lost)} of {path} are lost"
            if source.is_named and len(stored) != source.sent:
                twice = [message for message, times in Counter(stored).items() if times > 1]
                return f"{twice} of {path} were stored more than once"
        return None

    def _stored(self, path: str) -> list[int]:
        with self.database.begin() as tx:
            events = tx.asset_events.choose(AssetEventChoice(name=path))
        extras: list[Any] = [each.event.extra for each in events]
        return [extra["payload"] for extra in extras]


def main(arguments: list[str] | None = None) -> int:
    """Run the seeds, and print what failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation.watching", description=__doc__)
    parser.add_argument("--seeds", type=int, default=100, help="how many")
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    options = parser.parse_args(arguments)
    found = {seed: Scene(seed).run() for seed in range(options.first, options.first + options.seeds)}
    wrong = {seed: violation for seed, violation in found.items() if violation is not None}
    for seed, violation in wrong.items():
        sys.stdout.write(f"seed {seed}: {violation}\n")
    sys.stdout.write(f"{len(found)} seeds, {len(wrong)} violations\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
