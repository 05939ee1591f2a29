"""Who disturbs others goes on apart from them, and nobody fails for what another one did (E8)."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import msgspec
import pytest

from tradewind.decide.triggerers import Patience
from tradewind.model.assignment import Assignment
from tradewind.model.ids import AttemptKey, RunKey, TriggerKey
from tradewind.model.task_answers import DagRunResult
from tradewind.model.trigger import Broke, ClaimedTrigger, Happened
from tradewind.secrets.encryption import Encryption
from tradewind.telemetry.events import Event, TriggerBlocked, TriggerQuarantined
from tradewind.testing.clock import FakeClock
from tradewind.triggerer.code_places import CodePlaces
from tradewind.triggerer.logs import TriggerLogs
from tradewind.triggerer.protocol import Blocked, Ending, FrameKind, Outcome, Ready, Start, Stop
from tradewind.triggerer.runner_process import Frame, RunnerProcess
from tradewind.triggerer.running import RunningTriggers

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
RUN = DagRunResult(dag_id="d", run_id="r", run_after=NOON, run_type="manual", state="running")
ASSIGNMENT = Assignment(id=UUID(int=1), task_id="t4", dag_run=RUN, started_at=NOON)
PATIENCE = Patience(blocks=2, within_s=60.0, longest_block_s=5.0, in_quarantine_s=30.0)


class ScriptedRunner(RunnerProcess):
    """A process that does what the test says."""

    def __init__(self) -> None:
        # Not `super().__init__`, which would start a process.
        self.is_gone = False
        self.is_closed = False
        self.runs: dict[int, Start] = {}
        self.stops: list[Stop] = []
        self.at_work: set[int] = set()
        self.starved = 0.0
        self.steps = 0
        self._said: list[Frame] = []

    def send(self, kind: FrameKind, content: object = b"") -> None:
        if kind is FrameKind.START and isinstance(content, list):
            self.runs |= {start.trigger: start for start in content}
        elif kind is FrameKind.STOP and isinstance(content, list):
            self.stops += content

    def say(self, kind: FrameKind, content: object = b"") -> None:
        """Let it say this."""
        self._said.append((kind, msgspec.msgpack.encode(content)))

    def blocks(self, trigger: int, seconds: float = 0.3, *, is_over: bool = True, step: int | None = None) -> None:
        """A trigger holds up the others, in its next step by default."""
        self.steps = self.steps + 1 if step is None else step
        self.say(FrameKind.BLOCKED, Blocked(trigger, seconds, ["sleep(1)"], is_over, self.steps))

    def die(self, *at_work: int) -> None:
        """It ends, while it is in the code of these."""
        self.at_work = set(at_work)
        self.is_gone = True

    def frames(self) -> list[Frame]:
        said, self._said = self._said, []
        return said

    def executing(self) -> set[int]:
        return self.at_work

    def starved_s(self) -> float:
        return self.starved

    def finish(self) -> None: ...

    def close(self) -> None:
        self.is_closed = True

    def kill(self) -> None:
        self.is_gone = True


class NoFolders:
    """Of DAGs that come from no file."""

    def known_folder(self, _bundle: str, _version: str | None) -> Path | None:
        return None

    def folder(self, bundle: str, _version: str | None) -> Path:
        raise AssertionError(bundle)


class Scene:
    """Triggers 1 to 3, and the processes that were made for them."""

    def __init__(self, folder: Path, *, is_called_off: bool = False, is_quarantined: bool = False) -> None:
        self.clock = FakeClock()
        self.runners: list[ScriptedRunner] = []
        self.told: list[Event] = []
        self.running = RunningTriggers(
            self._make,
            self.clock,
            places=CodePlaces(NoFolders(), ""),
            logs=TriggerLogs(folder, now=self.clock.now, limit_bytes=0),
            cipher=Encryption([]),
            patience=PATIENCE,
            tell=self.told.append,
        )
        for number in (1, 2, 3):
            self.running.start(claimed(number, is_called_off=is_called_off, is_quarantined=is_quarantined))
        self.running.hear()

    def _make(self) -> ScriptedRunner:
        self.runners.append(ScriptedRunner())
        return self.runners[-1]

    def pass_time(self, seconds: float = 1.0) -> list[dict[int, Start]]:
        """Let the triggerer hear what there is, and processes start again. Returns what each one that lives runs."""
        self.running.hear()
        self.clock.advance(seconds)
        self.running.hear()
        return [runner.runs for runner in self.runners if not runner.is_closed]

    def who_runs(self, seconds: float = 1.0) -> list[list[int]]:
        """Which triggers the processes have that live."""
        return [sorted(runs) for runs in self.pass_time(seconds)]

    def failed(self) -> list[int]:
        """Whose tasks go on with an error."""
        return [each.trigger for each in self.running.fired if isinstance(each.what, Broke)]


def claimed(number: int, **values: bool) -> ClaimedTrigger:
    return ClaimedTrigger(
        key=TriggerKey(number),
        attempt=AttemptKey(RunKey(1), f"t{number}", -1, 1),
        class_path="bells.Bell",
        kwargs="{}",
        is_encrypted=False,
        is_prepared=True,
        dag_id="d",
        run_id="r",
        try_number=1,
        bundle_name=None,
        bundle_version=None,
        path=None,
        **values,  # type: ignore[arg-type]
    )


def test_who_was_at_work_when_the_process_died_goes_on_alone_and_fails_the_second_time(tmp_path: Path) -> None:
    scene = Scene(tmp_path)

    scene.runners[0].die(2)
    assert scene.who_runs() == [[1, 3], [2]]
    scene.runners[2].die(2)

    assert scene.who_runs() == [[1, 3]]
    assert scene.failed() == [2]
    assert len([each for each in scene.told if isinstance(each, TriggerQuarantined)]) == 1


def test_nobody_is_blamed_for_a_death_that_came_from_outside(tmp_path: Path) -> None:
    """And who is started anew again and again waits ever longer."""
    scene = Scene(tmp_path)

    for _ in range(3):
        scene.runners[-1].die()
        assert scene.who_runs(31.0) == [[1, 2, 3]]

    assert (scene.failed(), len(scene.runners)) == ([], 4)


def test_of_several_suspects_each_gets_a_process_of_its_own(tmp_path: Path) -> None:
    """One of those in threads killed it, and nobody knows which: the others must not die with it again."""
    scene = Scene(tmp_path)

    scene.runners[0].die(1, 2)
    assert sorted(scene.who_runs()) == [[1, 2], [3]]
    next(each for each in scene.runners[1:] if 1 in each.runs).die(1, 2)
    assert sorted(scene.who_runs()) == [[1], [2], [3]]
    assert scene.failed() == []
    next(each for each in scene.runners if not each.is_closed and 1 in each.runs).die(1)

    assert sorted(scene.who_runs()) == [[2], [3]]
    assert scene.failed() == [1]


def test_who_keeps_holding_up_others_is_moved_while_they_run_on(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    main = scene.runners[0]

    main.blocks(1)
    scene.pass_time()
    assert main.stops == []
    main.blocks(1)
    scene.pass_time()
    assert main.stops == [Stop(1, kills=False)]
    main.say(FrameKind.STOPPED, 1)

    assert scene.who_runs()[1:] == [[1]]
    assert not main.is_closed
    trouble = scene.running.disturbers.noted[TriggerKey(1)]
    assert (trouble.blocks, trouble.stack, trouble.is_quarantined) == (2, "sleep(1)", True)
    assert [each.count for each in scene.told if isinstance(each, TriggerBlocked)] == [1, 2]

    scene.runners[1].say(FrameKind.FIRED, Outcome(1, Ending.EVENT, json.dumps("ding")))
    scene.pass_time()
    assert scene.runners[1].is_closed
    assert [(each.trigger, each.what) for each in scene.running.fired] == [(1, Happened("ding"))]


def test_an_event_and_a_call_off_count_also_while_a_trigger_is_moved(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    main = scene.runners[0]
    for trigger in (1, 1, 2, 2):
        main.blocks(trigger)
    scene.pass_time()

    main.say(FrameKind.FIRED, Outcome(1, Ending.EVENT, json.dumps("ding")))
    scene.running.stop([TriggerKey(2)], kills=True)
    main.say(FrameKind.STOPPED, 2)

    (start,) = scene.pass_time()[1].values()
    assert (start.trigger, start.is_called_off) == (2, True)
    assert [each.trigger for each in scene.running.fired] == [1]


def test_a_loop_that_stands_still_is_ended_and_who_holds_it_up_gets_another_chance(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    scene.runners[0].at_work = {3}
    scene.runners[0].blocks(3, is_over=False)

    scene.running.hear()
    due = scene.running.next_due()
    assert due is not None
    assert round(due - scene.clock.monotonic(), 1) == 4.7
    assert scene.who_runs(4.6) == [[1, 2, 3]]
    scene.pass_time()
    assert sorted(scene.who_runs()) == [[1, 2], [3]]
    apart = next(each for each in scene.runners if not each.is_closed and 3 in each.runs)
    apart.at_work = {3}
    apart.blocks(3, is_over=False)
    scene.who_runs(29.0)
    assert scene.failed() == []
    scene.who_runs(1.0)

    assert scene.failed() == [3]
    (fired,) = scene.running.fired
    assert fired.what == Broke(("sleep(1)", "bells.Bell blocked the event loop for more than 30 s"))


@pytest.mark.parametrize("is_said_late", [True, False])
def test_who_is_done_with_a_long_step_is_not_taken_for_standing_still(tmp_path: Path, *, is_said_late: bool) -> None:
    """The thread beside the loop takes a moment to look where the step is: it may tell of it after the loop did."""
    scene = Scene(tmp_path)
    (runner,) = scene.runners
    for is_over in (True, False) if is_said_late else (False, True):
        runner.blocks(3, is_over=is_over, step=5)

    assert scene.who_runs(60.0) == [[1, 2, 3]]
    assert (scene.runners, scene.running.next_due()) == ([runner], None)
    assert scene.running.disturbers.noted[TriggerKey(3)].blocks == 1

    runner.blocks(3, is_over=False, step=6)
    scene.who_runs(5.0)
    assert runner.is_gone


def test_a_loop_that_answers_does_not_stand_still(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    (runner,) = scene.runners
    runner.blocks(3, is_over=False)
    scene.pass_time()

    runner.say(FrameKind.PONG)

    assert scene.who_runs(60.0) == [[1, 2, 3]]
    assert scene.runners == [runner]


def test_who_holds_up_others_is_noted_while_they_wait(tmp_path: Path) -> None:
    """It is counted once, and told of when it is known for how long."""
    scene = Scene(tmp_path)
    (runner,) = scene.runners
    for seconds in (0.3, 0.7):
        runner.blocks(3, seconds, is_over=False, step=1)
        scene.running.hear()
        trouble = scene.running.disturbers.noted[TriggerKey(3)]
        assert (trouble.blocks, trouble.stack, trouble.is_quarantined) == (1, "sleep(1)", False)
    assert scene.told == []

    runner.blocks(3, 0.9, step=1)
    scene.running.hear()

    assert scene.running.disturbers.noted[TriggerKey(3)].blocks == 1
    assert [(each.count, each.seconds) for each in scene.told if isinstance(each, TriggerBlocked)] == [(1, 0.9)]


def test_who_was_in_quarantine_elsewhere_begins_there(tmp_path: Path) -> None:
    assert Scene(tmp_path, is_quarantined=True).who_runs() == [[], [1, 2, 3]]


def test_what_a_person_called_off_is_ended_in_the_next_process_too(tmp_path: Path) -> None:
    """E1."""
    scene = Scene(tmp_path)
    scene.running.stop([TriggerKey(1), TriggerKey(7)], kills=True)
    scene.running.stop([TriggerKey(2)], kills=False)
    assert scene.runners[0].stops == [Stop(1, kills=True), Stop(2, kills=False)]
    assert scene.running.stopped == {7}

    scene.runners[0].die()

    (runs,) = scene.pass_time()
    assert {trigger: start.is_called_off for trigger, start in runs.items()} == {1: True, 3: False}
    assert scene.running.stopped == {2, 7}
    scene.runners[1].say(FrameKind.STOPPED, 1)
    scene.pass_time()
    assert scene.running.stopped == {1, 2, 7}


def test_what_only_code_can_tell_runs_once_it_is_stored(tmp_path: Path) -> None:
    """E1, E3: so whoever has to end it knows what it is, whoever died before."""
    scene = Scene(tmp_path)
    for number in (4, 5):
        scene.running.start(replace(claimed(number), is_prepared=False, assignment=ASSIGNMENT))
    assert all(scene.runners[0].runs.pop(number).order for number in (4, 5))
    for number in (4, 5):
        scene.runners[0].say(FrameKind.READY, Ready(number, "p.Clock", '{"a": 1}', "go_on", "{}", None, None, None))
    assert scene.who_runs() == [[1, 2, 3]]

    scene.runners[0].die()
    assert scene.who_runs() == [[1, 2, 3]]  # nor does it in the next process
    prepared = list(scene.running.beginnings.prepared)
    scene.running.stop([TriggerKey(5)], kills=True)
    scene.running.begin_stored(prepared, {each.attempt.task for each in prepared})

    (runs,) = scene.pass_time()
    assert (runs[4].class_path, runs[4].kwargs, runs[4].order) == ("p.Clock", '{"a": 1}', b"")
    assert scene.runners[1].stops == [Stop(5, kills=True)]
    scene.runners[1].die()
    (runs,) = scene.pass_time()
    assert not runs[4].is_called_off
    # A process that never ran it has nothing to end: it is told that by the order.
    assert (runs[5].is_called_off, runs[5].order != b"") == (True, True)


def test_what_was_called_off_while_nobody_ran_it_is_made_only_to_be_ended(tmp_path: Path) -> None:
    (runs,) = Scene(tmp_path, is_called_off=True).pass_time()

    assert [start.is_called_off for start in runs.values()] == [True, True, True]


def test_who_gives_no_answer_is_ended(tmp_path: Path) -> None:
    """A process that stands still as a whole names nobody."""
    scene = Scene(tmp_path)
    for _ in range(3):
        scene.running.ping(10.0)
        scene.clock.advance(6.0)
    assert not scene.runners[0].is_gone  # it may take its time to start
    scene.runners[0].say(FrameKind.PONG)
    for _ in range(4):
        scene.running.ping(10.0)
        scene.clock.advance(6.0)

    assert scene.who_runs() == [[1, 2, 3]]
    assert (len(scene.runners), scene.failed()) == (2, [])
    scene.running.ping(10.0)
    scene.runners[1].say(FrameKind.PONG)
    scene.clock.advance(11.0)
    scene.running.ping(10.0)
    assert not scene.runners[1].is_gone


def test_who_does_not_get_a_processor_is_not_taken_for_silent_nor_for_standing_still(tmp_path: Path) -> None:
    """E7, E8: on a machine with too much to do it may take long to answer, or to import a file."""
    scene = Scene(tmp_path)
    (runner,) = scene.runners
    runner.say(FrameKind.PONG)
    scene.running.ping(10.0)
    runner.blocks(3, is_over=False)
    scene.running.hear()
    for _ in range(4):
        scene.clock.advance(10.0)
        runner.starved += 9.0
        scene.running.hear()
        scene.running.ping(10.0)
    assert (scene.runners, runner.is_gone) == ([runner], False)
    due = scene.running.next_due()
    assert due is not None
    assert round(due - scene.clock.monotonic(), 1) == 0.7

    scene.clock.advance(1.0)
    scene.running.hear()

    assert runner.is_gone


def test_who_was_away_itself_hears_first_what_was_said_meanwhile(tmp_path: Path) -> None:
    """E7: a triggerer that was frozen may ask before it has heard the answer that came in."""
    scene = Scene(tmp_path)
    (runner,) = scene.runners
    runner.say(FrameKind.PONG)
    scene.running.ping(10.0)
    scene.clock.advance(1000.0)

    scene.running.ping(10.0)
    assert not runner.is_gone
    runner.say(FrameKind.PONG)
    scene.running.ping(10.0)
    assert not runner.is_gone


def test_where_a_silent_process_stands_is_told_as_far_as_it_is_known(tmp_path: Path) -> None:
    scene = Scene(tmp_path, is_quarantined=True)
    scene.pass_time()
    for _ in range(2):
        apart = next(each for each in scene.runners if not each.is_closed and 2 in each.runs)
        apart.at_work = {2}
        apart.say(FrameKind.PONG)
        apart.blocks(2, is_over=False)
        for _ in range(3):
            scene.running.ping(3.0)
            scene.clock.advance(4.0)
        scene.running.ping(3.0)
        scene.pass_time()

    (fired,) = scene.running.fired
    assert isinstance(fired.what, Broke)
    assert (fired.trigger, fired.what.traceback[0]) == (2, "sleep(1)")


def test_who_says_what_makes_no_sense_is_started_anew(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    scene.runners[0].say(FrameKind.FIRED, "nonsense")
    scene.pass_time()

    assert scene.who_runs() == [[1, 2, 3]]
    assert len(scene.runners) == 2
