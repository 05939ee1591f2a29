"""Carrying out attempts in the process of the test."""

import json
import re
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from tradewind.model.assignment import Asker, Assignment
from tradewind.model.attempt_end import Deferral, InputAwaited
from tradewind.model.dag import Retry
from tradewind.model.ids import UNMAPPED, AttemptKey, RunKey
from tradewind.model.task import AwaitingInput, Deferred, EndReport, Started, Succeeded, TaskInstance, WorkItem
from tradewind.model.task_answers import AssetEventResult, DagRunResult
from tradewind.operations.begin_attempts import has_tries_left, instance_id
from tradewind.operations.record_asset_events import AssetUpdate, record_asset_events
from tradewind.operations.report_tasks import report_tasks
from tradewind.operations.task_requests.runs import as_result
from tradewind.sdk.runtime import use_runtime
from tradewind.sdk.task_clock import TaskClock, use_clock
from tradewind.storage.interface import Transaction
from tradewind.testing.fibres import Stage
from tradewind.testing.memory.premises import Premises
from tradewind.testing.memory.runtime import MemoryRuntime
from tradewind.testing.records import AttemptRecord, History
from tradewind.testing.task_log import keeping
from tradewind.worker.task_life.life import TaskLife
from tradewind.worker.task_life.outcome import Failure, Outcome, Success, report
from tradewind.worker.task_life.result import push_result
from tradewind.worker.task_life.time_limit import TimeLimit

HOSTNAME: Final = "test"

Leaves = Callable[[AttemptKey, Deferral | InputAwaited, TaskLife, MemoryRuntime], None]
"""What is to be done about a task that left its worker."""


class ByIndex(dict[int, Any]):
    """What the copies of a mapped task return."""


@dataclass(frozen=True, slots=True)
class OnlyTask:
    """One task that somebody wants to see; all others need no more than to be over."""

    task_id: str
    map_index: int | None = None
    """Only this copy of a mapped task; None: all."""
    is_rendered_only: bool = False
    """Its template fields are wanted, and nothing is executed."""

    def is_lived_by(self, task_id: str) -> bool:
        """Whether this task is really executed, so that its callbacks are to be called."""
        return task_id == self.task_id and not self.is_rendered_only

    def is_other(self, instance: TaskInstance) -> bool:
        """Whether this is an instance of no interest."""
        return instance.task_id == self.task_id and self.map_index not in (None, instance.map_index)


@dataclass(slots=True)
class Attempts:
    """Runs what the engine hands over, and reports what came of it."""

    premises: Premises
    stage: Stage
    history: History
    environment: MutableMapping[str, str]
    on_leaving: Leaves
    mark_success: re.Pattern[str] | None = None
    outputs: Mapping[str, Any] = field(default_factory=dict)
    """Tasks that are not executed, and what they return."""
    consumed_asset_events: Sequence[AssetEventResult] = ()
    only: OnlyTask | None = None
    reports: list[EndReport] = field(default_factory=list)
    _runs: dict[RunKey, DagRunResult] = field(default_factory=dict)

    def carry_out(self, work: Sequence[WorkItem]) -> None:
        """These attempts one after another, each as far as it gets without waiting."""
        now = self.premises.clock.now()
        for instance in self.premises.transact(lambda tx: self._begin(tx, work, now)):
            record = AttemptRecord(instance.attempt_key, instance.try_number, now)
            self.history.add(record)
            if self._is_marked(instance):
                record.ended_at = now
                self.reports.append(Succeeded(record.attempt, now, now))
            else:
                self._start(record, instance)

    def _is_marked(self, instance: TaskInstance) -> bool:
        """Whether it succeeds without being executed."""
        if self.only is not None and self.only.is_other(instance):
            return True
        return self.mark_success is not None and self.mark_success.fullmatch(instance.task_id) is not None

    def _start(self, record: AttemptRecord, instance: TaskInstance) -> None:
        asker = Asker(instance.key, instance.dag_id, instance.run_id)
        assignment = self._assignment(instance, record.started_at)
        self.stage.start(lambda clock, limit: self._live(record, asker, assignment, clock, limit))

    def _begin(self, tx: Transaction, work: Sequence[WorkItem], now: datetime) -> list[TaskInstance]:
        """Report the start of those that were not called off since they were handed over."""
        starts = [Started(item.attempt, now, HOSTNAME) for item in work]
        started = report_tasks(tx, starts, now, self.premises.structures).started
        attempts = [item.attempt for item in work if item.attempt.task in started]
        missing = {attempt.run_key for attempt in attempts} - self._runs.keys()
        for run in tx.runs.read(missing) if missing else ():
            self._runs[run.key] = as_result(run, self.consumed_asset_events)
        found = {instance.attempt_key: instance for instance in tx.attempts.lock(attempts)}
        return [found[attempt] for attempt in attempts]

    def _assignment(self, instance: TaskInstance, now: datetime) -> Assignment:
        notes = self.history.notes_of(instance.key)
        is_new_try = notes.begin(instance.try_number)
        resumption, notes.resumption = notes.resumption, None
        return Assignment(
            id=instance_id(instance),
            task_id=instance.task_id,
            dag_run=self._runs[instance.run_key],
            started_at=now,
            map_index=instance.map_index,
            try_number=instance.try_number,
            max_tries=instance.max_tries,
            has_tries_left=has_tries_left(instance, Retry(), now),
            reschedule_count=instance.reschedules,
            map_length=self._map_length(instance),
            next_method=None if resumption is None else resumption.method,
            next_kwargs=None if resumption is None else json.dumps(resumption.kwargs),
            xcoms_to_clear=self._pushed_keys(instance) if is_new_try else (),
            hostname=HOSTNAME,
        )

    def _map_length(self, instance: TaskInstance) -> int | None:
        if instance.map_index == UNMAPPED:
            return None
        counts = self.premises.transact(lambda tx: tx.tasks.count_states(instance.run_key, [instance.task_id]))
        return sum(counts[instance.task_id].values())

    def _pushed_keys(self, instance: TaskInstance) -> tuple[str, ...]:
        """What earlier tries left."""
        if instance.attempt == 1:
            return ()
        return self.premises.transact(lambda tx: tx.xcoms.keys_of([instance.key])).get(instance.key, ())

    def _live(
        self, record: AttemptRecord, asker: Asker, assignment: Assignment, clock: TaskClock, limit: TimeLimit
    ) -> None:
        """What happens in the thread of the task."""
        runtime = MemoryRuntime(self.premises, asker)
        dag = self.premises.dags[asker.dag_id]
        with use_clock(clock), keeping(record.log):
            life = TaskLife(dag, assignment, runtime, environment=self.environment, limit=limit)
            record.ti = life.ti
            record.outcome = self._outcome(life, runtime)
            if isinstance(record.error, KeyboardInterrupt):
                raise KeyboardInterrupt  # the person at the keyboard does not mean the task
            if self.only is None or self.only.is_lived_by(life.ti.task_id):
                life.finish(record.outcome)
        self._ended(record, life, runtime)

    def _outcome(self, life: TaskLife, runtime: MemoryRuntime) -> Outcome:
        if self.only is not None and self.only.is_rendered_only and life.ti.task_id == self.only.task_id:
            return life.rehearse()
        if life.ti.task_id not in self.outputs:
            return life.run()
        output = self.outputs[life.ti.task_id]
        if isinstance(output, ByIndex):
            output = output.get(life.ti.map_index)
        with use_runtime(runtime):
            return Success(map_length=push_result(output, life.ti.task, life.ti))

    def _ended(self, record: AttemptRecord, life: TaskLife, runtime: MemoryRuntime) -> None:
        now = record.ended_at = self.premises.clock.now()
        outcome = record.outcome
        assert outcome is not None
        ended = report(outcome, record.attempt, at=now, started_at=record.started_at)
        if isinstance(outcome, Success):
            updates = [AssetUpdate(runtime.asker, event) for event in outcome.outlet_events]
            if updates:
                self.premises.transact(lambda tx: record_asset_events(tx, updates, now))
        elif isinstance(outcome, Deferral | InputAwaited):
            self.on_leaving(record.attempt, outcome, life, runtime)
        elif isinstance(outcome, Failure):
            self.history.notes_of(record.attempt.task).resumption = None
        if isinstance(ended, Deferred | AwaitingInput):
            # Whoever watches over the waiting also watches its end, and lets the task say what that means.
            ended = replace(ended, until=None)
        self.reports.append(ended)
