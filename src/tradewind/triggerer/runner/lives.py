"""The life of a trigger: made anew from what was stored, run until its first event, cleaned up."""

import asyncio
import json
import logging
import traceback
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, cast

from tradewind.compat import install
from tradewind.sdk.configuration import conf
from tradewind.sdk.runtime import Runtime, use_runtime
from tradewind.sdk.serde import deserialize, serialize
from tradewind.sdk.states import TaskInstanceState
from tradewind.sdk.triggers import BaseTaskEndEvent, BaseTrigger, TriggerEvent
from tradewind.sdk.xcom import resolve_xcom_backend
from tradewind.triggerer.protocol import Ending, FrameKind, Outcome, Start, TaskName
from tradewind.triggerer.runner.blocking import Timed
from tradewind.triggerer.runner.busy import Busy
from tradewind.triggerer.runner.classes import TriggerClasses
from tradewind.triggerer.runner.link import Link, SupervisorGone
from tradewind.triggerer.runner.logs import CURRENT_TRIGGER, capture_logs
from tradewind.worker.child.pipe_runtime import PipeRuntime, RequestFailed
from tradewind.worker.protocol import Answer

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


class Lives:
    """Makes and runs triggers."""

    def __init__(self, link: Link, killed: set[int], busy: Busy) -> None:
        """`killed`: those that are stopped because a person wants it; `busy` learns whose code runs."""
        install()
        capture_logs(link)
        self._link = link
        self._killed = killed
        self._busy = busy
        self._classes = TriggerClasses()
        self._longest_step_s = conf.getfloat("triggerer", "blocked_main_thread_warning_threshold", fallback=0.2)
        self._on_kill_timeout_s = conf.getfloat("triggerer", "on_kill_timeout", fallback=30.0)

    async def live(self, start: Start) -> None:
        """From its first to its last moment. Says how it ended; raises nothing."""
        CURRENT_TRIGGER.set(start.trigger)
        with use_runtime(cast("Runtime", PipeRuntime(_Line(self._link, start.trigger)))):
            try:
                outcome = await self._outcome(start)
            except asyncio.CancelledError:
                self._killed.discard(start.trigger)
                self._link.send(FrameKind.STOPPED, start.trigger)
            except BaseException as error:  # also SystemExit: one trigger must not end the others
                lines = [part.rstrip("\n") for part in traceback.format_exception(error)]
                log.error("The trigger failed", exc_info=error)
                self._fire(Outcome(start.trigger, Ending.ERROR, json.dumps(lines)))
            else:
                self._fire(outcome)

    def _fire(self, outcome: Outcome) -> None:
        self._link.send(FrameKind.FIRED, outcome)

    async def _outcome(self, start: Start) -> Outcome:
        trigger = self._make(start)
        try:
            return _told(start, await self._timed(start, trigger))
        except asyncio.CancelledError:
            if start.trigger in self._killed:
                await self._kill(trigger)
            raise
        finally:
            await _clean_up(trigger)

    def _timed(self, start: Start, trigger: BaseTrigger) -> Timed:
        warn = partial(_warn, start)
        return Timed(_first_event(trigger), self._longest_step_s, warn, busy=self._busy, trigger=start.trigger)

    def _make(self, start: Start) -> BaseTrigger:
        found = self._classes.find(start.class_path, start.code)
        kwargs = deserialize(json.loads(start.kwargs))
        trigger: BaseTrigger = found(**kwargs)
        trigger.trigger_id = start.trigger
        trigger.task_instance = _task_instance(start.task)
        return trigger

    async def _kill(self, trigger: BaseTrigger) -> None:
        try:
            async with asyncio.timeout(self._on_kill_timeout_s):
                await trigger.on_kill()
        except Exception:
            log.exception("on_kill of the trigger failed")


class _Line:
    """Asks in the name of one trigger. Implements `worker.child.pipe_runtime.Line`."""

    __slots__ = ("_link", "_trigger")

    def __init__(self, link: Link, trigger: int) -> None:
        self._link = link
        self._trigger = trigger

    def hide(self, texts: list[str]) -> None:
        """What a trigger prints goes past the logs of its task; what it logs is masked here."""

    def tell(self, method: str, arguments: bytes) -> None:
        """See `Line.tell`. Here it is answered, too: nothing that comes later would show that it was refused."""
        answer = self.ask(method, arguments)
        if answer.error_kind is not None:
            raise RequestFailed(answer.error)

    def ask(self, method: str, arguments: bytes) -> Answer:
        """See `Line.ask`."""
        return self._link.ask(self._trigger, method, arguments)


def _warn(start: Start, took_s: float) -> None:
    """In the log of its task, where its author looks."""
    log.warning(
        "%s kept all other triggers waiting for %.2f s: it calls something that blocks, in its task instance %s of %s",
        start.class_path,
        took_s,
        start.task.task_id,
        start.task.dag_id,
    )


async def _first_event(trigger: BaseTrigger) -> TriggerEvent:
    events: Any = trigger.run()
    async with aclosing(events):
        async for event in events:
            if not isinstance(event, TriggerEvent):
                raise TypeError(f"the trigger yielded {event!r}, which is no TriggerEvent")
            return event
    raise RuntimeError("the trigger ended without an event")


def _told(start: Start, event: TriggerEvent) -> Outcome:
    if not isinstance(event, BaseTaskEndEvent):
        return Outcome(start.trigger, Ending.EVENT, json.dumps(serialize(event.payload)))
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
    return Outcome(start.trigger, _ENDINGS[event.task_instance_state], json.dumps(xcoms))


async def _clean_up(trigger: BaseTrigger) -> None:
    try:
        await trigger.cleanup()
    except SupervisorGone:
        pass  # so is everybody who could read of it
    except Exception:
        log.exception("cleanup of the trigger failed")


def _task_instance(name: TaskName) -> WaitingTaskInstance:
    return WaitingTaskInstance(name.dag_id, name.run_id, name.task_id, name.map_index, name.try_number)
