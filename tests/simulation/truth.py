"""What really runs, as opposed to what the database believes."""

from dataclasses import dataclass

from tests.simulation.kernel import Kernel, Process
from tests.simulation.mirror import Mirror
from tradewind.model.ids import AttemptKey, TaskKey
from tradewind.model.states import TaskState
from tradewind.model.task import AwaitingInput, Deferred, EndReport, Rescheduled, Skipped, Succeeded

_HAS_PROCESS = frozenset({TaskState.RUNNING, TaskState.RESTARTING})


@dataclass(slots=True, eq=False)
class Execution:
    """A worker that executes an attempt."""

    attempt: AttemptKey
    try_number: int
    process: Process
    lease_until_s: float
    is_over: bool = False
    is_asking: bool = False
    """It waits for the answer to a heartbeat; whoever watches over it would stop it when its lease runs out."""
    is_disowned: bool = False
    """Taken away by a person or by the end of its run: it learns so with its next heartbeat."""
    may_be_repeated: bool = False
    """It ended by asking to go on later, in the same try."""


class Truth:
    """All executions there ever were."""

    def __init__(self, kernel: Kernel, mirror: Mirror) -> None:
        self._kernel = kernel
        self._mirror = mirror
        self._executions: dict[TaskKey, list[Execution]] = {}

    def visits(self, key: TaskKey, try_number: int) -> int:
        """How often this try was executed before."""
        return sum(each.try_number == try_number for each in self._executions.get(key, ()))

    def last(self, key: TaskKey, try_number: int) -> AttemptKey | None:
        """The attempt that executed this try before."""
        found = [each.attempt for each in self._executions.get(key, ()) if each.try_number == try_number]
        return found[-1] if found else None

    def begin(self, execution: Execution) -> None:
        """A worker starts to execute."""
        earlier = self._executions.setdefault(execution.attempt.task, [])
        for other in earlier:
            if self.is_live(other) and not other.is_disowned:
                self._kernel.fail(f"{name_of(execution.attempt)} starts while #{other.attempt.attempt} is live")
            if other.try_number == execution.try_number and not other.may_be_repeated:
                self._kernel.fail(f"try {execution.try_number} of {name_of(execution.attempt)} is executed twice")
        earlier.append(execution)

    def begin_waiting(self, attempt: AttemptKey, try_number: int, process: Process) -> None:
        """A try begins with a trigger: nobody executes it, and it goes on later."""
        self.begin(Execution(attempt, try_number, process, self._kernel.now_s, is_over=True, may_be_repeated=True))

    def is_live(self, execution: Execution) -> bool:
        """Whether it executes now: with a lease, or (which must not be) still without one."""
        if execution.is_over:
            return False
        has_lease = self._kernel.now_s < execution.lease_until_s
        is_paused = any(fiber.is_held for fiber in execution.process.fibers)
        return has_lease or not (execution.is_asking or is_paused)

    def live(self, attempt: AttemptKey) -> Execution | None:
        """The live execution of exactly this attempt."""
        for each in self._executions.get(attempt.task, ()):
            if each.attempt == attempt and self.is_live(each):
                return each
        return None

    def is_any_executing(self) -> bool:
        """Whether any worker is at work."""
        return any(not each.is_over for executions in self._executions.values() for each in executions)

    def left(self, attempt: AttemptKey, *, is_by_right: bool) -> None:
        """The database no longer says that this attempt runs. `is_by_right`: a person or the run's end did it."""
        execution = self.live(attempt)
        if execution is None:
            return
        if not is_by_right:
            self._kernel.fail(f"{name_of(attempt)} was given up while its worker is alive and heard of")
        execution.is_disowned = True

    def accepted(self, report: EndReport) -> None:
        """A worker was told that its report counts: then it must be in the database."""
        row = self._mirror.find(report.attempt.task)
        if row is None:
            return  # deleted since
        if row.attempt < report.attempt.attempt:
            self._kernel.fail(f"the accepted end of {name_of(report.attempt)} is lost: the row is at #{row.attempt}")

    def goes_on_later(self, attempt: AttemptKey) -> None:
        """It deferred itself, or was rescheduled."""
        for each in self._executions.get(attempt.task, ()):
            if each.attempt == attempt:
                each.may_be_repeated = True

    def check_end(self, report: EndReport) -> None:
        """In the very commit that accepted it."""
        row = self._mirror.find(report.attempt.task)
        if row is None or row.attempt != report.attempt.attempt:
            at = "gone" if row is None else f"at #{row.attempt}"
            self._kernel.fail(f"the end of {name_of(report.attempt)} was accepted, but the row is {at}")
        elif row.state is not TaskState.NONE:  # told to restart: what came of it no longer matters
            expected = _STATES.get(type(report), (TaskState.FAILED, TaskState.UP_FOR_RETRY))
            if row.state not in expected:
                self._kernel.fail(f"{name_of(report.attempt)} ended {type(report).__name__}, but is {row.state}")
            elif isinstance(report, Succeeded) and row.map_length != report.map_length:
                self._kernel.fail(f"{name_of(report.attempt)} returned {report.map_length}, not {row.map_length}")


_STATES: dict[type, tuple[TaskState, ...]] = {
    Succeeded: (TaskState.SUCCESS,),
    Skipped: (TaskState.SKIPPED,),
    Rescheduled: (TaskState.UP_FOR_RESCHEDULE,),
    Deferred: (TaskState.DEFERRED,),
    # Scheduled: it was answered before it had left.
    AwaitingInput: (TaskState.AWAITING_INPUT, TaskState.SCHEDULED),
}


def name_of(key: AttemptKey | TaskKey) -> str:
    """For people: r1.t3[2]#4."""
    index = "" if key.map_index < 0 else f"[{key.map_index}]"
    attempt = f"#{key.attempt}" if isinstance(key, AttemptKey) else ""
    return f"r{key.run_key}.{key.task_id}{index}{attempt}"
