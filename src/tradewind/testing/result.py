"""What became of a run."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from tradewind.model.ids import UNMAPPED
from tradewind.model.run import Run
from tradewind.model.states import RunState, TaskState
from tradewind.model.task import TaskInstance
from tradewind.model.task_answers import AssetEventResult, XComResult
from tradewind.sdk.states import DagRunState, TaskInstanceState
from tradewind.sdk.xcom import resolve_xcom_backend
from tradewind.sdk.xcom_arg import XCOM_RETURN_KEY
from tradewind.testing.records import AttemptRecord


@dataclass(repr=False)
class TaskResult:
    """One task instance after the run."""

    instance: TaskInstance
    attempts: list[AttemptRecord]
    """Each time that it was handed to the executor: once per try, and again after each reschedule and deferral."""
    stored_xcoms: Mapping[str, Any]
    """What it left for other tasks, by key, as it is stored."""
    rendered: Mapping[str, Any]
    """Its template fields, rendered."""
    outlet_events: list[AssetEventResult]
    """The assets that it updated."""

    def __repr__(self) -> str:
        return f"<TaskResult {self.name}: {self.instance.state.value}>"

    @property
    def task_id(self) -> str:
        """Its task."""
        return self.instance.task_id

    @property
    def map_index(self) -> int:
        """Which copy of a mapped task; -1 for a task that is not mapped."""
        return self.instance.map_index

    @property
    def name(self) -> str:
        """`load`, or `load[2]`."""
        return self.task_id if self.map_index == UNMAPPED else f"{self.task_id}[{self.map_index}]"

    @property
    def state(self) -> TaskInstanceState | None:
        """How it ended; `None` if nothing was decided about it."""
        return None if self.instance.state is TaskState.NONE else TaskInstanceState(self.instance.state.value)

    @property
    def try_number(self) -> int:
        """Which try was the last one."""
        return self.instance.try_number

    @property
    def reason(self) -> str | None:
        """Why it ended so, where the engine or the exception said it."""
        return self.instance.reason

    @property
    def error(self) -> BaseException | None:
        """What its last attempt raised, if that failed."""
        return self.attempts[-1].error if self.attempts else None

    @property
    def duration(self) -> timedelta:
        """From its first start to its end, by the clock of the test."""
        start, end = self.instance.started_at, self.instance.finished_at
        return timedelta() if start is None or end is None else end - start

    @property
    def start_date(self) -> datetime | None:
        """When it began."""
        return self.instance.started_at

    @property
    def end_date(self) -> datetime | None:
        """When it ended."""
        return self.instance.finished_at

    @property
    def log(self) -> str:
        """All that it logged and printed, attempt after attempt."""
        return "\n".join(line for attempt in self.attempts for line in attempt.log)

    @property
    def rendered_map_index(self) -> str | None:
        """The name of a mapped copy."""
        return self.instance.rendered_map_index

    @cached_property
    def xcoms(self) -> dict[str, Any]:
        """What it left for other tasks, by key."""
        backend = resolve_xcom_backend()
        return {key: backend.deserialize_value(XComResult(key, value)) for key, value in self.stored_xcoms.items()}

    @property
    def value(self) -> Any:
        """What it returned."""
        return self.xcoms.get(XCOM_RETURN_KEY)

    def xcom_pull(self, key: str = XCOM_RETURN_KEY, default: Any = None) -> Any:
        """What it left under a key."""
        return self.xcoms.get(key, default)


class RunFailed(AssertionError):
    """A run did not succeed."""


@dataclass(repr=False)
class RunResult:
    """A run after it ended, or where it was when the test's time was over."""

    run: Run
    tasks: Mapping[str, TaskResult]
    """By name: `load`, or `load[2]` for a copy of a mapped task."""
    others: list["RunResult"] = field(default_factory=list)
    """Runs of other DAGs that this one brought about."""

    def __repr__(self) -> str:
        return f"<RunResult {self.dag_id} {self.run_id}: {self.run.state.value}>"

    @property
    def dag_id(self) -> str:
        """Its DAG."""
        return self.run.dag_id

    @property
    def run_id(self) -> str:
        """Its id."""
        return self.run.run_id

    @property
    def state(self) -> DagRunState:
        """How it ended."""
        return DagRunState(self.run.state.value)

    @property
    def is_success(self) -> bool:
        """Whether it succeeded."""
        return self.run.state is RunState.SUCCESS

    @property
    def logical_date(self) -> datetime | None:
        """Its logical date."""
        return self.run.logical_date

    @property
    def conf(self) -> Any:
        """What it was started with."""
        return self.run.conf

    @property
    def duration(self) -> timedelta:
        """From its start to its end, by the clock of the test."""
        start, end = self.run.started_at, self.run.finished_at
        return timedelta() if start is None or end is None else end - start

    @property
    def states(self) -> dict[str, str | None]:
        """The state of each task instance, by name: easy to write down, easy to compare."""
        return {name: None if task.state is None else task.state.value for name, task in self.tasks.items()}

    @property
    def values(self) -> dict[str, Any]:
        """What each task instance returned, by name; those that returned nothing are left out."""
        return {name: task.value for name, task in self.tasks.items() if task.value is not None}

    @property
    def outlet_events(self) -> list[AssetEventResult]:
        """The assets that the run updated, in order."""
        return sorted((event for task in self.tasks.values() for event in task.outlet_events), key=lambda e: e.id or 0)

    @property
    def log(self) -> str:
        """What all tasks logged and printed."""
        return "\n".join(f"--- {name}\n{task.log}" for name, task in self.tasks.items() if task.log)

    def __getitem__(self, name: str) -> TaskResult:
        return self.tasks[name]

    def __iter__(self) -> Iterator[TaskResult]:
        return iter(self.tasks.values())

    def mapped(self, task_id: str) -> list[TaskResult]:
        """The copies of a mapped task, by index."""
        copies = [task for task in self if task.task_id == task_id and task.map_index != UNMAPPED]
        return sorted(copies, key=lambda task: task.map_index)

    def get_state(self) -> DagRunState:
        """How it ended."""
        return self.state

    def get_task_instance(self, task_id: str, *, map_index: int = UNMAPPED) -> TaskResult | None:
        """One task instance."""
        return next((task for task in self if (task.task_id, task.map_index) == (task_id, map_index)), None)

    def get_task_instances(self, state: Any = None) -> list[TaskResult]:
        """All task instances, or those in one state or several."""
        wanted = [state] if state is None or isinstance(state, str) else list(state)
        return [task for task in self if state is None or task.state in wanted]

    def check(self) -> "RunResult":
        """Itself, if it succeeded; otherwise an `AssertionError` with the reasons and logs of what failed."""
        if self.is_success:
            return self
        failed = [task for task in self if task.state in (TaskInstanceState.FAILED, TaskInstanceState.UP_FOR_RETRY)]
        told = [f"{task.name}: {task.reason}\n{task.log}" for task in failed]
        states = ", ".join(f"{name} {state}" for name, state in self.states.items())
        raise RunFailed(
            "\n".join([f"run {self.run_id} of DAG {self.dag_id} is {self.state.value} ({states})", *told])
        ) from next((task.error for task in failed if task.error is not None), None)
