"""The life of a watcher: made from what was stored, run while it is wanted, and made anew when its code changes.

A trigger that yields an event goes on only when that is stored: whatever it does after its `yield`, such as telling a
message queue that a message is done, is done for an event that cannot be lost any more.
"""

import asyncio
import json
import logging
import traceback
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from tradewind.compat import install
from tradewind.sdk.assets import AssetNameRef
from tradewind.sdk.runtime import set_process_runtime, use_runtime
from tradewind.sdk.secrets_masker import redact_known
from tradewind.sdk.serde import deserialize, serialize
from tradewind.sdk.shared_stream import filtering
from tradewind.sdk.state_store import AssetStateStoreAccessors
from tradewind.sdk.stats import Stats
from tradewind.sdk.triggers import BaseEventTrigger, TriggerEvent
from tradewind.triggerer.board import Board
from tradewind.triggerer.protocol import NOBODY, Ending, FrameKind, Kept, Outcome, Seen, Watch
from tradewind.triggerer.runner.classes import TriggerClasses
from tradewind.triggerer.runner.last_words import LastWord, is_stopped, took_back
from tradewind.triggerer.runner.line import runtime_of
from tradewind.triggerer.runner.link import Link, SupervisorGone
from tradewind.triggerer.runner.logs import Capture
from tradewind.triggerer.runner.shared_streams import SharedStreams, Subscriber
from tradewind.triggerer.runner.watched_loop import WatchedLoop
from tradewind.worker.child.metrics import TaskMetrics

log = logging.getLogger(__name__)

_LOOK_AT_FILES_S: Final = 5.0
_LAST_WORDS_S: Final = 2.0
_MOST_UNSTORED: Final = 256
"""How many events of one watcher of an acknowledged source may wait to be stored."""


class _Changed(Exception):
    """The files of the watcher are others now."""


@dataclass(slots=True)
class _Life:
    """One watcher, and how far it is."""

    watch: Watch
    told: int
    """The number of its last event."""
    made: Any = None
    """The class that it runs with."""
    unstored: dict[int, asyncio.Future[None]] = field(default_factory=dict)
    interruption: BaseException | None = None
    task: asyncio.Task[Any] | None = None

    def interrupt(self, error: BaseException) -> None:
        """End what it does just now with this error."""
        self.interruption = error
        if self.task is not None:
            self.task.cancel()


class WatcherLives:
    """Makes and runs watchers."""

    def __init__(self, link: Link, board: Board) -> None:
        """In the thread of the loop. `board` learns whose code runs."""
        install()
        self._capture = Capture(link)
        self._metrics = TaskMetrics(partial(link.send, FrameKind.METRICS), hide=redact_known)
        Stats.set_sink(self._metrics)
        self._link = link
        self._loop = WatchedLoop(link, board)
        set_process_runtime(runtime_of(link, NOBODY))
        self._classes = TriggerClasses()
        self._streams = SharedStreams(timed=self._loop.timed_for)
        self._lives: dict[int, _Life] = {}
        self._looking = asyncio.get_running_loop().create_task(self._look_at_files())

    def tell_metrics(self) -> None:
        """What was measured too fast to be told at once, and has been added up."""
        self._metrics.flush()

    def kept(self, kept: Sequence[Kept]) -> None:
        """These are stored: who waited for that goes on."""
        for each in kept:
            life = self._lives.get(each.watcher)
            for number in [] if life is None else [number for number in life.unstored if number <= each.number]:
                assert life is not None
                waiting = life.unstored.pop(number)
                if not waiting.done():
                    waiting.set_result(None)

    async def live(self, watch: Watch) -> LastWord:
        """Until it is stopped or fails. Returns how it ended; raises nothing."""
        life = self._lives[watch.watcher] = _Life(watch, watch.stored, task=asyncio.current_task())
        with self._capture.of(watch.watcher), use_runtime(runtime_of(self._link, watch.watcher)):
            try:
                while True:
                    await self._loop.timed(self._once(life), watch.watcher)
            except BaseException as error:  # also SystemExit: one watcher must not end the others
                if is_stopped(error):
                    return FrameKind.STOPPED, watch.watcher
                lines = [part.rstrip("\n") for part in traceback.format_exception(error)]
                return FrameKind.FIRED, Outcome(watch.watcher, Ending.ERROR, json.dumps(lines))
            finally:
                del self._lives[watch.watcher]

    async def _once(self, life: _Life) -> None:
        """From the making of the trigger to its end, or to a change of its files."""
        before = life.told
        trigger, kwargs = self._make(life)
        try:
            if trigger.shared_stream_key() is None:
                await self._run_alone(life, trigger)
            else:
                await self._run_shared(life, trigger, kwargs)
        except asyncio.CancelledError:
            interruption, life.interruption = life.interruption, None
            if interruption is None:
                raise
            assert life.task is not None
            if not took_back(life.task):
                raise
            if not isinstance(interruption, _Changed):
                raise interruption from None
            return
        finally:
            await _clean_up(trigger)
        if life.told == before:
            raise RuntimeError("the watcher ended without an event")

    async def _run_alone(self, life: _Life, trigger: BaseEventTrigger) -> None:
        events: Any = trigger.run()
        async with aclosing(events):
            async for event in events:
                await self._tell(life, event)

    async def _run_shared(self, life: _Life, trigger: BaseEventTrigger, kwargs: dict[str, Any]) -> None:
        subscriber: Subscriber

        def interrupt() -> None:
            if subscriber.error is not None:
                life.interrupt(subscriber.error)

        subscriber = self._streams.subscribe(trigger, kwargs, interrupt)
        room = asyncio.Semaphore(_MOST_UNSTORED)
        is_orderly = False
        try:
            events: Any = trigger.filter_shared_stream(subscriber)
            # For all of it, not with each message: a filter may wait for messages in tasks of its own.
            with filtering(subscriber.reject_current):
                async with aclosing(events):
                    async for event in events:
                        await room.acquire()
                        done = subscriber.hold_current()
                        self._tell(life, event).add_done_callback(partial(_when_stored, room, done))
            await asyncio.gather(*life.unstored.values())
        except asyncio.CancelledError:
            is_orderly = subscriber.error is None
            raise
        finally:
            if life.unstored:  # so that the source learns of what is stored, and does not deliver it again
                await asyncio.wait(life.unstored.values(), timeout=_LAST_WORDS_S)
            await self._streams.leave(subscriber, is_orderly=is_orderly)

    def _tell(self, life: _Life, event: TriggerEvent) -> asyncio.Future[None]:
        """Have it stored. What is returned is done when it is."""
        if not isinstance(event, TriggerEvent):
            raise TypeError(f"the watcher yielded {event!r}, which is no TriggerEvent")
        payload = json.dumps(serialize(event.payload))
        life.told += 1
        stored = life.unstored[life.told] = asyncio.get_running_loop().create_future()
        # An author's own subclass may not have called the one that knows of it.
        message_id = getattr(event, "message_id", None)
        name = None if message_id is None else str(message_id)
        self._link.send(FrameKind.SEEN, Seen(life.watch.watcher, life.told, payload, name))
        return stored

    def _make(self, life: _Life) -> tuple[BaseEventTrigger, dict[str, Any]]:
        watch = life.watch
        life.made = self._classes.find(watch.class_path, watch.code)
        kwargs = deserialize(json.loads(watch.kwargs))
        trigger: BaseEventTrigger = life.made(**kwargs)
        trigger.trigger_id = watch.watcher
        trigger.asset_state_store = AssetStateStoreAccessors([AssetNameRef(name) for name in watch.assets])
        return trigger, kwargs

    async def _look_at_files(self) -> None:
        """Watchers never end by themselves, so whose files changed is made anew: between two events."""
        while True:
            await asyncio.sleep(_LOOK_AT_FILES_S)
            for life in list(self._lives.values()):
                if life.watch.code is not None and not life.unstored and self._has_changed(life):
                    life.interrupt(_Changed())

    def _has_changed(self, life: _Life) -> bool:
        try:
            return self._classes.find(life.watch.class_path, life.watch.code) is not life.made
        except Exception:
            return False  # while somebody is busy with the files, the watcher goes on with what it has


def _when_stored(room: asyncio.Semaphore, done: Callable[[], None], stored: asyncio.Future[None]) -> None:
    room.release()
    if not stored.cancelled():
        done()


async def _clean_up(trigger: BaseEventTrigger) -> None:
    try:
        await trigger.cleanup()
    except SupervisorGone:
        pass  # so is everybody who could read of it
    except Exception:
        log.exception("cleanup of the watcher failed")
