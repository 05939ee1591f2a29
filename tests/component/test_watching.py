"""A triggerer and the watchers that it has, whatever answers are lost and whatever comes in between (C2, E6)."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import msgspec
import pytest
import sqlalchemy as sa

from tests.component.test_asset_watchers import ORDERS, STOCK, extra, stored
from tests.component.world import World
from tests.unit.triggerer.test_running import NoFolders
from tradewind.decide.triggerers import Patience
from tradewind.errors import DatabaseUnavailable
from tradewind.model.asset import AllAssets
from tradewind.model.dag import Task
from tradewind.model.ids import JobKey
from tradewind.secrets.encryption import Encryption
from tradewind.storage.interface import Store, Transaction
from tradewind.storage.schema import dag_bundle, watcher
from tradewind.telemetry.events import Event, WatcherBlocked, WatcherQuarantined, WatcherSaid
from tradewind.telemetry.hub import Hub
from tradewind.triggerer.code_places import CodePlaces
from tradewind.triggerer.options import TriggererOptions
from tradewind.triggerer.protocol import Blocked, Ending, FrameKind, Kept, Logged, Outcome, Seen, Stop, Watch
from tradewind.triggerer.runner_process import Frame, RunnerProcess
from tradewind.triggerer.watching import Watching

T = TypeVar("T")
JOB: Final = JobKey(7)
PATIENCE: Final = Patience(blocks=2, within_s=60.0, longest_block_s=5.0, in_quarantine_s=30.0)
OPTIONS: Final = TriggererOptions(
    capacity=10, claimed_at_once=10, heartbeat_s=5, threshold_s=30, runner_threshold_s=30, longest_retry_delay_s=60
)


@dataclass
class ForgetfulStore:
    """Commits, and loses the answer when it is told to."""

    store: Store
    loses: bool = False

    def transact(self, work: Callable[[Transaction], T]) -> T:
        answer = self.store.transact(work)
        if self.loses:
            self.loses = False
            raise DatabaseUnavailable("the answer was lost")
        return answer


@dataclass
class Heard:
    """What a process was told."""

    watched: list[Watch] = field(default_factory=list)
    stops: list[Stop] = field(default_factory=list)
    kept: list[Kept] = field(default_factory=list)


class Runner(RunnerProcess):
    """Says what the test says."""

    def __init__(self, heard: Heard) -> None:
        # Not `super().__init__`, which would start a process.
        self.is_gone = False
        self.is_closed = False
        self.at_work: set[int] = set()
        self.runs: dict[str, Watch] = {}
        self.steps = 0
        self._heard_of = heard
        self._said: list[Frame] = []

    def send(self, kind: FrameKind, content: object = b"") -> None:
        match kind, content:
            case FrameKind.WATCH, Watch():
                self._heard_of.watched.append(content)
                self.runs[content.class_path] = content
            case FrameKind.STOP, list():
                self._heard_of.stops += content
            case FrameKind.KEPT, list():
                self._heard_of.kept += content
            case _:
                pass

    def say(self, kind: FrameKind, content: object) -> None:
        self._said.append((kind, msgspec.msgpack.encode(content)))

    def blocks(self, class_path: str, *, is_over: bool = True) -> None:
        """One of its watchers holds up the others."""
        self.steps += 1
        number = self.runs[class_path].watcher
        self.at_work = set() if is_over else {number}
        self.say(FrameKind.BLOCKED, Blocked(number, 0.3, ["sleep(1)"], is_over, self.steps))

    def stop(self, class_path: str) -> None:
        """One of its watchers has stopped."""
        self.say(FrameKind.STOPPED, self.runs.pop(class_path).watcher)

    def frames(self) -> list[Frame]:
        said, self._said = self._said, []
        return said

    def executing(self) -> set[int]:
        return self.at_work

    def finish(self) -> None: ...

    def close(self) -> None:
        self.is_closed = True

    def starved_s(self) -> float:
        """See `RunnerProcess.starved_s`."""
        return 0.0

    def kill(self) -> None:
        self.is_gone = True


class Scene:
    """A triggerer that watches for `sales`, on a database that may lose answers."""

    def __init__(self, world: World) -> None:
        world.dag(Task("load"), dag_id="sales", assets=AllAssets((ORDERS, STOCK)))
        self.world = world
        self.store = ForgetfulStore(world.database)
        self.heard = Heard()
        self.runners: list[Runner] = []
        self.told: list[Event] = []
        store: Any = self.store
        self.watching = Watching(
            store,
            world.clock,
            self._make,
            places=CodePlaces(NoFolders(), ""),
            cipher=Encryption([]),
            options=OPTIONS,
            patience=PATIENCE,
            hub=Hub(self.told.append),
        )
        self.watching.job = JOB

    def _make(self) -> Runner:
        self.runners.append(Runner(self.heard))
        return self.runners[-1]

    def pass_time(self, seconds: float) -> list[list[str]]:
        """Returns what each process runs that lives."""
        self.watching.work()
        self.world.clock.advance(seconds)
        self.watching.work()
        return [sorted(runner.runs) for runner in self.runners if not runner.is_closed]

    def one_with(self, class_path: str) -> Runner:
        """The process that runs this watcher."""
        return next(runner for runner in self.runners if not runner.is_closed and class_path in runner.runs)

    def row(self, class_path: str) -> Any:
        """What is stored of a watcher."""
        with self.world.database.engine.begin() as connection:
            return connection.execute(sa.select(watcher).where(watcher.c.class_path == class_path)).one()

    def watched(self) -> list[str]:
        """The classes that were started, in that order."""
        return [each.class_path for each in self.heard.watched]


@pytest.fixture
def scene(world: World) -> Scene:
    return Scene(world)


def test_watchers_whose_claim_was_not_heard_of_are_claimed_again(scene: Scene) -> None:
    """Their triggerer lives, so nobody else would ever take them."""
    scene.store.loses = True
    with pytest.raises(DatabaseUnavailable):
        scene.watching.work()
    scene.watching.work()
    assert scene.watched() == []

    scene.watching.sweep()
    scene.watching.work()

    assert sorted(scene.watched()) == ["bells.Bell", "bells.Drum"]


def test_an_event_whose_answer_was_lost_is_stored_once_and_acknowledged(scene: Scene) -> None:
    scene.watching.work()
    drum = next(each for each in scene.heard.watched if each.class_path == "bells.Drum")
    scene.runners[0].say(FrameKind.SEEN, Seen(drum.watcher, 1, '"boom"', "id1"))
    scene.store.loses = True

    with pytest.raises(DatabaseUnavailable):
        scene.watching.work()
    assert scene.heard.kept == []
    scene.watching.work()

    assert scene.heard.kept == [Kept(drum.watcher, 1)]
    assert stored(scene.world) == [("stock", extra("boom"))]


def test_a_watcher_whose_files_are_others_begins_anew_when_its_earlier_life_is_over(scene: Scene) -> None:
    """It is claimed again, by the same triggerer, before it has stopped."""
    _come_from(scene.world, "git", "v1")
    scene.watching.work()
    old = next(each for each in scene.heard.watched if each.class_path == "bells.Drum")

    _come_from(scene.world, "git", "v2")
    scene.watching.sweep()
    scene.watching.work()
    assert {each.trigger for each in scene.heard.stops} == {each.watcher for each in scene.heard.watched}
    assert len(scene.heard.watched) == 2

    # Its last words count, and the new life goes on from there.
    scene.runners[0].say(FrameKind.SEEN, Seen(old.watcher, 1, '"last"'))
    scene.runners[0].say(FrameKind.STOPPED, old.watcher)
    scene.watching.work()

    new = scene.heard.watched[-1]
    assert (len(scene.heard.watched), new.watcher, new.stored) == (3, old.watcher, 1)
    assert stored(scene.world) == [("stock", extra("last"))]
    scene.watching.sweep()
    assert len(scene.heard.stops) == 2


@pytest.mark.parametrize(("lived_s", "pauses"), [(1.0, [1.0, 2.0, 4.0]), (60.0, [1.0, 1.0, 1.0])])
def test_who_fails_in_a_row_waits_ever_longer_and_who_ran_for_a_while_does_not(
    scene: Scene, lived_s: float, pauses: list[float]
) -> None:
    """A source that says nothing for days, and is away for a moment now and then, is watched again at once."""
    scene.watching.work()
    drum = next(each for each in scene.heard.watched if each.class_path == "bells.Drum")
    found = []
    for _ in pauses:
        scene.world.clock.advance(lived_s)
        scene.runners[0].say(FrameKind.FIRED, Outcome(drum.watcher, Ending.ERROR, '["gone"]'))
        scene.watching.work()
        due = scene.watching.next_due()
        assert due is not None
        found.append(due - scene.world.clock.monotonic())
        scene.world.clock.advance(found[-1])
        scene.watching.work()

    assert found == pauses
    assert [each.watcher for each in scene.heard.watched].count(drum.watcher) == 1 + len(pauses)


def test_who_keeps_holding_up_others_goes_on_in_a_process_apart(scene: Scene) -> None:
    """E8: what it sees counts as before, and the others are not touched."""
    scene.watching.work()
    main = scene.runners[0]
    for _ in range(PATIENCE.blocks):
        assert scene.heard.stops == []
        main.blocks("bells.Drum")
        scene.watching.work()
    assert scene.heard.stops == [Stop(main.runs["bells.Drum"].watcher, kills=False)]
    main.stop("bells.Drum")

    assert scene.pass_time(1.0) == [["bells.Bell"], ["bells.Drum"]]
    apart = scene.runners[1]
    apart.say(FrameKind.SEEN, Seen(apart.runs["bells.Drum"].watcher, 1, '"boom"'))
    scene.watching.work()

    assert stored(scene.world) == [("stock", extra("boom"))]
    assert scene.heard.kept == [Kept(apart.runs["bells.Drum"].watcher, 1)]
    row = scene.row("bells.Drum")
    assert (row.blocks, row.blocked_stack, row.is_quarantined, row.failures) == (2, "sleep(1)", True, 0)
    assert [each.count for each in scene.told if isinstance(each, WatcherBlocked)] == [1, 2]
    (quarantined,) = (each for each in scene.told if isinstance(each, WatcherQuarantined))
    assert quarantined.text.startswith("bells.Drum kept holding up the others: it looks out for stock in quarantine")


def test_who_lets_a_process_stand_still_is_kept_apart_from_then_on(scene: Scene) -> None:
    """E8: the others begin again at once; it begins after a pause, and is alone if it does so in quarantine, too."""
    scene.watching.work()
    scene.runners[0].blocks("bells.Drum", is_over=False)
    assert scene.pass_time(4.0) == [["bells.Bell", "bells.Drum"]]
    assert scene.row("bells.Drum").blocked_stack == "sleep(1)"  # lists show it while the others wait
    due = scene.watching.next_due()
    assert due is not None
    assert round(due - scene.world.clock.monotonic(), 1) == 0.7

    scene.pass_time(1.0)
    assert scene.runners[0].is_gone
    assert sorted(scene.pass_time(2.0)) == [["bells.Bell"], ["bells.Drum"]]
    assert scene.row("bells.Bell").failures == 0
    assert "sleep(1)" in scene.row("bells.Drum").error

    # Another one comes into quarantine, and is rid of it after a while.
    main = scene.one_with("bells.Bell")
    for _ in range(PATIENCE.blocks):
        main.blocks("bells.Bell")
    scene.watching.work()
    main.stop("bells.Bell")
    assert sorted(scene.pass_time(1.0)) == [[], ["bells.Bell", "bells.Drum"]]
    scene.one_with("bells.Drum").blocks("bells.Drum", is_over=False)
    scene.pass_time(30.0)
    assert sorted(scene.pass_time(10.0)) == [[], ["bells.Bell"], ["bells.Drum"]]


def test_what_watchers_log_and_print_is_for_who_looks_after_the_service(scene: Scene) -> None:
    """They have no task with a log that anybody could read."""
    scene.watching.work()
    (runner,) = scene.runners
    details = [{"exc_type": "ValueError", "exc_value": "cracked"}]
    records: list[dict[str, object]] = [
        {"level": "info", "event": "boom", "logger": "task.stdout"},
        {"level": "error", "event": "cleanup failed", "logger": "x", "error_detail": details},
    ]
    runner.say(FrameKind.LOG, Logged(runner.runs["bells.Drum"].watcher, records))
    runner.say(FrameKind.LOG, Logged(99, records))

    scene.watching.work()

    said = [(each.class_path, each.text) for each in scene.told if isinstance(each, WatcherSaid)]
    texts = ("[info] boom", "[error] cleanup failed\nValueError: cracked")
    assert said == [("bells.Drum", text) for text in texts]


def test_a_loop_of_watchers_that_answers_does_not_stand_still(scene: Scene) -> None:
    scene.watching.work()
    (runner,) = scene.runners
    runner.blocks("bells.Drum", is_over=False)
    runner.say(FrameKind.PONG, b"")

    assert scene.pass_time(60.0) == [["bells.Bell", "bells.Drum"]]


def test_what_a_watcher_did_is_not_held_against_its_next_version(scene: Scene) -> None:
    """It may have been mended."""
    _come_from(scene.world, "git", "v1")
    scene.watching.work()
    for _ in range(PATIENCE.blocks):
        scene.runners[0].blocks("bells.Drum")
    scene.watching.work()
    scene.runners[0].stop("bells.Drum")
    assert scene.pass_time(1.0) == [["bells.Bell"], ["bells.Drum"]]

    _come_from(scene.world, "git", "v2")
    scene.watching.sweep()
    scene.watching.work()
    for runner, class_path in zip(scene.runners, ("bells.Bell", "bells.Drum"), strict=True):
        runner.stop(class_path)

    assert scene.pass_time(1.0) == [["bells.Bell", "bells.Drum"]]
    assert scene.row("bells.Drum").is_quarantined is False


def _come_from(world: World, bundle: str, version: str) -> None:
    """Their files are in a bundle that is at this version. There is no folder with them, so that nobody looks there."""
    with world.database.engine.begin() as connection:
        connection.execute(sa.delete(dag_bundle))
        connection.execute(sa.insert(dag_bundle).values(name=bundle, version=version, is_active=True))
        connection.execute(sa.update(watcher).values(bundle_name=bundle))
