"""Tasks that left their worker, and what they wait for: triggers in an event loop, and the test's answers."""

import asyncio
import traceback
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from tradewind.model.attempt_end import Deferral
from tradewind.model.ids import AttemptKey
from tradewind.model.task import Failed, Skipped, Succeeded
from tradewind.sdk.asset_events import OutletEventAccessors
from tradewind.sdk.exceptions import AirflowException
from tradewind.sdk.module_loading import import_string
from tradewind.sdk.runtime import Runtime, use_runtime
from tradewind.sdk.serde import deserialize, serialize
from tradewind.sdk.states import TaskInstanceState
from tradewind.sdk.task_clock import TaskClock, use_clock
from tradewind.sdk.task_instance import RuntimeTaskInstance
from tradewind.sdk.triggers import BaseTaskEndEvent, BaseTrigger, TriggerEvent, events_of
from tradewind.sdk.xcom_arg import XCOM_RETURN_KEY
from tradewind.testing.records import Resumption
from tradewind.worker.task_life.failure import reason_of
from tradewind.worker.task_life.outcome import Failure, Outcome, Skip, Success
from tradewind.worker.task_life.outlets import outlet_events
from tradewind.worker.task_life.result import push_result

_FAILED: Final = "__fail__"
_TIMEOUT: Final = "Trigger timeout"
_FAILURE: Final = "Trigger failure"

TaskEnd = Succeeded | Failed | Skipped


@dataclass(frozen=True, slots=True)
class Fired:
    """What a task waited for has come: it goes on, or its trigger says how it ended."""

    attempt: AttemptKey
    what: Resumption | TaskEnd


class Waiting:
    """All tasks that wait. The loop comes with the first of them, and runs only while nothing else is to be done."""

    def __init__(self, make_loop: Callable[[], asyncio.AbstractEventLoop]) -> None:
        self._make_loop = make_loop
        self._loop: asyncio.AbstractEventLoop | None = None
        self._watches: set[asyncio.Task[None]] = set()
        self.fired: list[Fired] = []

    def __len__(self) -> int:
        return len(self._watches)

    def start(self, attempt: AttemptKey, watch: Coroutine[Any, Any, Resumption | TaskEnd]) -> None:
        """Watch over one task."""

        async def note() -> None:
            what = await watch
            self.fired.append(Fired(attempt, what))

        self._loop = self._loop or self._make_loop()
        self._watches.add(self._loop.create_task(note()))

    def run(self, longest_s: float) -> None:
        """Until something fires, but no longer than that."""
        assert self._loop is not None
        done = self._loop.run_until_complete(self._first(longest_s))
        self._watches -= done
        for watch in done:
            watch.result()

    def close(self) -> None:
        """Stop all that still waits."""
        if self._loop is not None:
            self._loop.run_until_complete(self._stop())
            self._loop.close()

    async def _first(self, longest_s: float) -> set[asyncio.Task[None]]:
        done, _ = await asyncio.wait(self._watches, timeout=longest_s, return_when=asyncio.FIRST_COMPLETED)
        return done

    async def _stop(self) -> None:
        for watch in self._watches:
            watch.cancel()
        await asyncio.gather(*self._watches, return_exceptions=True)
        loop = asyncio.get_running_loop()
        await loop.shutdown_asyncgens()
        await loop.shutdown_default_executor()


async def watch_trigger(
    deferral: Deferral, attempt: AttemptKey, ti: RuntimeTaskInstance, runtime: Runtime, clock: TaskClock
) -> Resumption | TaskEnd:
    """Run the trigger of a task, made anew from what it was stored as, until its first event."""
    with use_runtime(runtime), use_clock(clock):
        try:
            trigger = _trigger(deferral, ti)
            try:
                event = await _first_event(trigger, deferral.timeout)
            finally:
                await trigger.cleanup()
        except _TooLate:
            return Resumption(_FAILED, {"error": _TIMEOUT})
        except Exception as error:  # whatever an author's trigger raises fails its task
            return Resumption(_FAILED, {"error": _FAILURE, "traceback": traceback.format_exception(error)})
        if isinstance(event, BaseTaskEndEvent):
            return _end_by(event, attempt, ti, clock)
        kwargs: Any = deferral.next_kwargs or {}
        return Resumption(deferral.next_method, {**kwargs, "event": serialize(event.payload)})


class _TooLate(Exception):
    """The trigger did not fire in time."""


def _trigger(deferral: Deferral, ti: RuntimeTaskInstance) -> BaseTrigger:
    trigger: BaseTrigger = import_string(deferral.trigger_path)(**deserialize(deferral.trigger_kwargs))
    trigger.task_instance = ti
    if trigger.template_fields:
        trigger.render_template_fields(ti.get_template_context())
    return trigger


async def _first_event(trigger: BaseTrigger, longest: timedelta | None) -> TriggerEvent:
    limit = asyncio.timeout(None if longest is None else longest.total_seconds())
    try:
        async with limit, events_of(trigger) as events:
            async for event in events:
                return event
    except TimeoutError:
        if limit.expired():
            raise _TooLate from None
        raise
    raise RuntimeError("the trigger ended without an event")


def _end_by(event: BaseTaskEndEvent, attempt: AttemptKey, ti: RuntimeTaskInstance, clock: TaskClock) -> TaskEnd:
    xcoms = dict(event.xcoms or {})
    succeeds = event.task_instance_state is TaskInstanceState.SUCCESS
    result = xcoms.pop(XCOM_RETURN_KEY, None) if succeeds else None
    for key, value in xcoms.items():
        ti.xcom_push(key, value)
    match event.task_instance_state:
        case TaskInstanceState.SUCCESS:
            try:
                length = push_result(result, ti.task, ti)
            except Exception as error:  # nobody can be mapped over it
                return Failed(attempt, clock.now(), reason=reason_of(error))
            return Succeeded(attempt, clock.now(), map_length=length)
        case TaskInstanceState.SKIPPED:
            return Skipped(attempt, clock.now(), reason="its trigger said so")
        case _:
            return Failed(attempt, clock.now(), reason="its trigger said so")


def outcome_of(end: TaskEnd, ti: RuntimeTaskInstance, *, will_retry: bool) -> Outcome:
    """What a trigger said of the end of its task, as the task would have said it in a worker."""
    match end:
        case Succeeded():
            events = outlet_events(ti.task.outlets, OutletEventAccessors())
            return Success(map_length=end.map_length, outlet_events=events)
        case Skipped():
            return Skip(end.reason or "")
        case Failed():
            reason = end.reason or ""
            return Failure(error=AirflowException(reason), reason=reason, will_retry=will_retry)
