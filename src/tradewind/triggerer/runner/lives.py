"""The life of a trigger: made anew from what was stored, run until its first event, cleaned up."""

import asyncio
import json
import logging
import traceback
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from tradewind.compat import install
from tradewind.model.ids import try_id
from tradewind.sdk.configuration import conf
from tradewind.sdk.expansion import is_mappable
from tradewind.sdk.runtime import set_process_runtime, use_runtime
from tradewind.sdk.secrets_masker import redact_known
from tradewind.sdk.serde import deserialize, serialize
from tradewind.sdk.state_store import TaskScope, TaskStateStoreAccessor
from tradewind.sdk.states import TaskInstanceState
from tradewind.sdk.stats import Stats
from tradewind.sdk.triggers import BaseTaskEndEvent, BaseTrigger, TriggerEvent, events_of
from tradewind.sdk.xcom import resolve_xcom_backend
from tradewind.sdk.xcom_arg import XCOM_RETURN_KEY
from tradewind.triggerer.board import Board
from tradewind.triggerer.protocol import NOBODY, Ending, FrameKind, Outcome, Start, TaskName
from tradewind.triggerer.runner.classes import TriggerClasses
from tradewind.triggerer.runner.last_words import LastWord, is_stopped
from tradewind.triggerer.runner.line import Line, runtime_of
from tradewind.triggerer.runner.link import Link, SupervisorGone
from tradewind.triggerer.runner.logs import CURRENT_TRIGGER, Capture
from tradewind.triggerer.runner.watched_loop import WatchedLoop
from tradewind.worker.child.metrics import TaskMetrics

if TYPE_CHECKING:
    from tradewind.triggerer.runner.preparing import Preparing

log = logging.getLogger(__name__)

_ENDINGS: Final = {
    TaskInstanceState.SUCCESS: Ending.SUCCESS,
    TaskInstanceState.FAILED: Ending.FAILED,
    TaskInstanceState.SKIPPED: Ending.SKIPPED,
}


@dataclass(frozen=True, slots=True)
class WaitingTaskInstance:
    """What a trigger knows of the task that waits for it."""

    dag_id: str
    run_id: str
    task_id: str
    map_index: int
    try_number: int
    id: UUID
    queue: str | None
    start_date: datetime | None
    hostname: str | None
    """Where it had its worker, if it had one."""


class Lives:
    """Makes and runs triggers."""

    def __init__(self, link: Link, killed: set[int], board: Board) -> None:
        """In the thread of the loop. `killed`: those that are stopped because a person wants it; `board` learns whose
        code runs."""
        install()
        self._capture = Capture(link)
        self._metrics = TaskMetrics(partial(link.send, FrameKind.METRICS), hide=redact_known)
        Stats.set_sink(self._metrics)
        self._link = link
        self._killed = killed
        self._unstored: dict[int, asyncio.Future[None]] = {}
        self._at_run: dict[int, BaseTrigger] = {}
        self._loop = WatchedLoop(link, board)
        set_process_runtime(runtime_of(link, NOBODY))
        self._classes = TriggerClasses()
        self._on_kill_timeout_s = conf.getfloat("triggerer", "on_kill_timeout", fallback=30.0)
        self._clears_state = conf.getboolean("state_store", "clear_on_success", fallback=False)

    def begin(self, trigger: int) -> None:
        """What this one turned out to be is stored, so it may run."""
        stored = self._unstored.get(trigger)
        if stored is not None and not stored.done():
            stored.set_result(None)

    def tell_metrics(self) -> None:
        """What was measured too fast to be told at once, and has been added up."""
        self._metrics.flush()

    async def live(self, start: Start) -> LastWord:
        """From its first to its last moment. Returns how it ended; raises nothing."""
        with self._capture.of(start.trigger), use_runtime(runtime_of(self._link, start.trigger)):
            try:
                # All that is done for it may hold up others: also its import, what makes it and what cleans up.
                outcome = await self._loop.timed(self._outcome(start), start.trigger)
            except BaseException as error:  # also SystemExit: one trigger must not end the others
                if is_stopped(error) or (start.is_called_off and isinstance(error, asyncio.CancelledError)):
                    self._killed.discard(start.trigger)  # of one that was never made
                    return FrameKind.STOPPED, start.trigger
                lines = [part.rstrip("\n") for part in traceback.format_exception(error)]
                log.error("The trigger failed", exc_info=error)
                outcome = Outcome(start.trigger, Ending.ERROR, json.dumps(lines))
            return FrameKind.FIRED, outcome

    async def insist(self, trigger: int) -> None:
        """It was told to end a while ago. If its `run` goes on, its author is told, and what it waits for is ended."""
        running = self._at_run.get(trigger)
        if running is None:
            return
        CURRENT_TRIGGER.set(trigger)
        with use_runtime(runtime_of(self._link, trigger)):
            log.warning("run() of the trigger goes on, although it was told to end: it has to let CancelledError pass")
            await self._loop.timed(self._kill_if_told(trigger, running), trigger)

    async def _outcome(self, start: Start) -> Outcome:
        if start.order:
            if start.is_called_off:  # what it is was never stored, so it never ran
                raise asyncio.CancelledError
            known = self._preparing.prepare(start, Line(self._link, start.trigger))
            if known is None:
                return Outcome(start.trigger, Ending.WORKER, "null")
            await self._stored(start.trigger)
            start = known
        trigger = self._make(start)
        try:
            if start.is_called_off:
                self._killed.add(start.trigger)
                raise asyncio.CancelledError
            event = await self._event(start.trigger, trigger)
            if self._clears_state and _is_success(event):
                await _state_of(start.task).aclear()
            if isinstance(event, BaseTaskEndEvent):
                return _ended(start, event, is_listened=self._classes.are_tasks_listened_to(start.code))
            return Outcome(start.trigger, Ending.EVENT, json.dumps(serialize(event.payload)))
        finally:
            # However it ended: one that is told to end may say something in place of ending.
            await self._kill_if_told(start.trigger, trigger)
            await _clean_up(trigger)

    async def _event(self, number: int, trigger: BaseTrigger) -> TriggerEvent:
        self._at_run[number] = trigger
        try:
            return await _first_event(trigger)
        finally:
            del self._at_run[number]

    async def _stored(self, trigger: int) -> None:
        """Return when the supervisor has stored what the trigger is: who goes on with it, or has to end it, knows."""
        stored = self._unstored[trigger] = asyncio.get_running_loop().create_future()
        try:
            await stored
        finally:
            del self._unstored[trigger]

    @cached_property
    def _preparing(self) -> "Preparing":
        # With what a worker has to live the life of a task, which most deployments need none of here.
        made: Preparing = import_module("tradewind.triggerer.runner.preparing").Preparing(self._classes, self._link)
        return made

    def _make(self, start: Start) -> BaseTrigger:
        found = self._classes.find(start.class_path, start.code)
        kwargs = deserialize(json.loads(start.kwargs))
        trigger: BaseTrigger = found(**kwargs)
        trigger.trigger_id = start.trigger
        trigger.task_instance = _task_instance(start.task)
        return trigger

    async def _kill_if_told(self, number: int, trigger: BaseTrigger) -> None:
        if number not in self._killed:
            return
        self._killed.discard(number)
        try:
            async with asyncio.timeout(self._on_kill_timeout_s):
                await trigger.on_kill()
        except Exception:
            log.exception("on_kill of the trigger failed")


async def _first_event(trigger: BaseTrigger) -> TriggerEvent:
    async with events_of(trigger) as events:
        async for event in events:
            if not isinstance(event, TriggerEvent):
                raise TypeError(f"the trigger yielded {event!r}, which is no TriggerEvent")
            return event
    raise RuntimeError("the trigger ended without an event")


def _ended(start: Start, event: BaseTaskEndEvent, *, is_listened: bool) -> Outcome:
    task, backend = start.task, resolve_xcom_backend()
    xcoms = {
        key: backend.serialize_value(
            value,
            key=key,
            task_id=task.task_id,
            dag_id=task.dag_id,
            run_id=task.run_id,
            map_index=task.map_index,
        )
        for key, value in (event.xcoms or {}).items()
    }
    log.info("The trigger says how its task ended: %s", event.task_instance_state.value)
    length = _map_length((event.xcoms or {}).get(XCOM_RETURN_KEY)) if task.map_index < 0 else None
    return Outcome(start.trigger, _ENDINGS[event.task_instance_state], json.dumps(xcoms), length, is_listened)


def _map_length(value: Any) -> int | None:
    """How many copies a task that is mapped over the value would have. Whether any is, the supervisor knows."""
    return len(value) if is_mappable(value) else None


def _is_success(event: TriggerEvent) -> bool:
    return isinstance(event, BaseTaskEndEvent) and event.task_instance_state is TaskInstanceState.SUCCESS


def _state_of(task: TaskName) -> TaskStateStoreAccessor:
    """What the task stored for its later tries."""
    scope = TaskScope(dag_id=task.dag_id, run_id=task.run_id, task_id=task.task_id, map_index=task.map_index)
    return TaskStateStoreAccessor(scope)


async def _clean_up(trigger: BaseTrigger) -> None:
    try:
        await trigger.cleanup()
    except SupervisorGone:
        pass  # so is everybody who could read of it
    except Exception:
        log.exception("cleanup of the trigger failed")


def _task_instance(name: TaskName) -> WaitingTaskInstance:
    return WaitingTaskInstance(
        dag_id=name.dag_id,
        run_id=name.run_id,
        task_id=name.task_id,
        map_index=name.map_index,
        try_number=name.try_number,
        id=try_id(name.dag_id, name.run_id, name.task_id, name.map_index, name.try_number),
        queue=name.queue,
        start_date=name.started_at,
        hostname=name.hostname,
    )
