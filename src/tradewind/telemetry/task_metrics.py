"""Events of task instances as numbers."""

from collections import Counter
from collections.abc import Mapping
from typing import Final

from tradewind.model.states import TaskState
from tradewind.telemetry import catalog
from tradewind.telemetry import events as told
from tradewind.telemetry import measurements as measured
from tradewind.telemetry.begun import BegunAttempts, EndedTask
from tradewind.telemetry.counting import Handlers, Numbers
from tradewind.telemetry.metric import Metric, MetricKind, Sink

_FAILED: Final = frozenset({TaskState.FAILED, TaskState.UP_FOR_RETRY})
_ENDED: Final = _FAILED | {TaskState.SUCCESS, TaskState.SKIPPED}
_ABOUT_USER_METRICS: Final = "told by the code of tasks"
_MOST_USER_METRICS: Final = 10_000


class TaskMetrics(Numbers):
    """Attempts, how many instances are where, and what the code of tasks measures itself."""

    def __init__(self, sink: Sink) -> None:
        super().__init__(sink)
        self._begun = BegunAttempts()
        self._counts: dict[tuple[str, str, str, str], int] = {}
        """How many were last told to be in a state, so that a curve can come down to zero."""
        self._user: dict[tuple[str, MetricKind], Metric] = {}

    def handlers(self) -> Handlers:
        """Whose events are told here."""
        return {
            measured.AttemptsBegan: self._attempts_began,
            measured.AttemptsEnded: self._attempts_ended,
            measured.ProcessEnded: self._process_ended,
            measured.TasksCreated: self._tasks_created,
            measured.TasksRemoved: self._tasks_removed,
            measured.TasksMeasured: self._tasks_measured,
            measured.UserMeasured: self._user_measured,
            told.AttemptLost: self._attempt_lost,
        }

    def _attempts_began(self, event: measured.AttemptsBegan) -> None:
        self._begun.begin(event)
        for task in event.tasks:
            tags = {"dag_id": task.dag_id, "task_id": task.task_id}
            self._count(catalog.TI_START, **tags)
            self._between(catalog.TASK_SCHEDULED, task.scheduled_at, task.queued_at, **tags)
            self._between(catalog.TASK_QUEUED, task.queued_at, task.started_at, **tags)

    def _attempts_ended(self, event: measured.AttemptsEnded) -> None:
        for ended in self._begun.end(event):
            self._attempt_ended(ended)

    def _attempt_ended(self, ended: EndedTask) -> None:
        task, state = ended.task, ended.outcome.state
        tags = {"dag_id": task.dag_id, "task_id": task.task_id}
        self._count(catalog.TI_FINISH, **tags, state=state.value)
        if state is TaskState.SUCCESS:
            self._count(catalog.TI_SUCCESSES, **tags)
            self._count(catalog.OPERATOR_SUCCESSES, operator_name=task.operator, **tags)
        elif state in _FAILED:
            self._failed(task.operator, tags)
        if state in _ENDED:
            self._between(catalog.TASK_DURATION, task.started_at, ended.outcome.at, **tags)

    def _failed(self, operator: str, tags: Mapping[str, str]) -> None:
        self._count(catalog.TI_FAILURES, **tags)
        self._count(catalog.OPERATOR_FAILURES, operator_name=operator, **tags)

    def _attempt_lost(self, event: told.AttemptLost) -> None:
        """Its worker cannot tell any more, so whoever found out does."""
        if event.cause is told.LostBy.SCHEDULER:
            self._count(catalog.ORPHANS_CLEARED)
        elif event.instance is not None and event.cause is not told.LostBy.QUEUE:
            tags = {"dag_id": event.instance.dag_id, "task_id": event.instance.task_id}
            is_silent = event.cause is told.LostBy.SILENCE
            self._count(catalog.WITHOUT_HEARTBEAT if is_silent else catalog.KILLED, **tags)
            self._failed(event.instance.operator, tags)

    def _process_ended(self, event: measured.ProcessEnded) -> None:
        tags = {"dag_id": event.dag_id, "task_id": event.task_id}
        self._count(catalog.TASK_EXIT, **tags, return_code=str(event.exit_code))

    def _tasks_created(self, event: measured.TasksCreated) -> None:
        kinds = Counter((task.task_type or task.operator, task.dag_id) for task in event.tasks)
        for (task_type, dag_id), count in kinds.items():
            self._add(catalog.TASK_CREATED, count, task_type=task_type, dag_id=dag_id)

    def _tasks_removed(self, event: measured.TasksRemoved) -> None:
        self._add(catalog.TASK_REMOVED, event.count, dag_id=event.dag_id)

    def _tasks_measured(self, event: measured.TasksMeasured) -> None:
        counts = {(each.state.value, each.queue, each.dag_id, each.task_id): each.instances for each in event.counts}
        for key in self._counts.keys() | counts.keys():
            state, queue, dag_id, task_id = key
            if state in catalog.TI_IN_STATE:
                tags = {"queue": queue, "dag_id": dag_id, "task_id": task_id}
                self._gauge(catalog.TI_IN_STATE[state], counts.get(key, 0), **tags)
        self._counts = counts
        totals = Counter[str]()
        for (state, *_), count in counts.items():
            totals[state] += count
        for state in sorted({*catalog.TI_IN_STATE, *totals}):
            self._gauge(catalog.TASK_INSTANCES, totals[state], state=state)

    def _user_measured(self, event: measured.UserMeasured) -> None:
        for kind, name, value, tags in event.metrics:
            if kind == "c":
                self._sink.count(self._user_metric(name, MetricKind.COUNTER), value, tags)
            elif kind == "ms":
                self._sink.timing(self._user_metric(name, MetricKind.TIMER), value / 1000, tags)
            else:
                self._sink.gauge(self._user_metric(name, MetricKind.GAUGE), value, tags, is_change=kind == "d")

    def _user_metric(self, name: str, kind: MetricKind) -> Metric:
        known = self._user.get((name, kind))
        if known is None:
            listed = catalog.METRICS.get(name)
            known = listed if listed is not None and listed.kind is kind else Metric(name, kind, _ABOUT_USER_METRICS)
            if len(self._user) < _MOST_USER_METRICS:
                self._user[name, kind] = known
        return known
