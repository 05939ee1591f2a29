"""Triggers: conditions that a task waits for without a worker. They run, thousands at once, in one event loop."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Hashable
from contextlib import AbstractAsyncContextManager, aclosing, nullcontext
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, ClassVar

from tradewind.sdk.log import LoggingMixin
from tradewind.sdk.serde import serialize
from tradewind.sdk.states import TaskInstanceState
from tradewind.sdk.template import Templater

if TYPE_CHECKING:
    from tradewind.sdk.shared_stream import SharedStreamProducer
    from tradewind.sdk.state_store import AssetStateStoreAccessors


@dataclass
class StartTriggerArgs:
    """How a task begins to wait before it had a worker: which trigger, and what is called when it fired."""

    trigger_cls: str
    next_method: str
    trigger_kwargs: dict[str, Any] | None = None
    next_kwargs: dict[str, Any] | None = None
    timeout: timedelta | None = None


class TriggerEvent:
    """What a trigger fires. The payload reaches the task as the argument `event`.

    The same condition must give the same payload wherever the trigger runs: an event fired twice is taken once. Of a
    watcher of assets, `message_id` says which message of its source it is: of two with the same id, the first counts.
    """

    def __init__(self, payload: Any, *, message_id: str | None = None) -> None:
        self.payload = payload
        self.message_id = message_id

    def __repr__(self) -> str:
        return f"TriggerEvent<{self.payload!r}>"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    # A payload may be a dict.
    __hash__ = None  # type: ignore[assignment]


class BaseTaskEndEvent(TriggerEvent):
    """Ends the task: it needs no worker any more."""

    task_instance_state: ClassVar[TaskInstanceState]

    def __init__(self, *, xcoms: dict[str, Any] | None = None) -> None:
        super().__init__(str(self.task_instance_state.value))
        self.xcoms = xcoms


class TaskSuccessEvent(BaseTaskEndEvent):
    """The task ends with success, and pushes `xcoms`."""

    task_instance_state = TaskInstanceState.SUCCESS


class TaskFailedEvent(BaseTaskEndEvent):
    """The task fails: it is retried if it has tries left, and pushes `xcoms` otherwise."""

    task_instance_state = TaskInstanceState.FAILED


class TaskSkippedEvent(BaseTaskEndEvent):
    """The task is skipped, and pushes `xcoms`."""

    task_instance_state = TaskInstanceState.SKIPPED


class BaseTrigger(ABC, Templater, LoggingMixin):
    """A condition. Only what `serialize` returns goes with it from the task to the triggerer."""

    supports_triggerer_queue: bool = True
    """Whether it is run by a triggerer that serves the queue of its task."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__()
        self.trigger_id: int | None = None
        self.task_id: str | None = None
        self.template_fields = ()
        self.template_ext = ()
        self._task_instance: Any = None

    @property
    def task(self) -> Any:
        """The task that waits, where the triggerer knows it."""
        return getattr(self.task_instance, "task", None)

    @property
    def task_instance(self) -> Any:
        """The task instance that waits, where the triggerer knows it."""
        return getattr(self, "_task_instance", None)

    @task_instance.setter
    def task_instance(self, value: Any) -> None:
        self._task_instance = value
        if value is not None:
            self.task_id = value.task_id
        task = self.task
        if task is None:
            return
        # A task that began to wait before it had a worker has not rendered its templates: those that its trigger was
        # given are rendered here. All other triggers were made out of rendered fields.
        start = getattr(task, "start_trigger_args", None)
        given = (start.trigger_kwargs if start is not None else None) or {}
        self.template_ext = task.template_ext
        self.template_fields = tuple(name for name in task.template_fields if name in given and hasattr(self, name))

    @abstractmethod
    def serialize(self) -> tuple[str, dict[str, Any]]:
        """The import path of the class, and the arguments with which it makes the same trigger again."""

    @abstractmethod
    def run(self) -> AsyncIterator[TriggerEvent]:
        """Wait, and yield an event. An `async def` with `yield`; a task takes the first event only."""

    async def cleanup(self) -> None:
        """Let go of what `run` held. Called whenever the trigger stops here, even if it goes on elsewhere."""

    async def on_kill(self) -> None:
        """End the work outside that the trigger waits for. Called when its task is stopped, or its run is."""

    @staticmethod
    def repr(classpath: str, kwargs: dict[str, Any]) -> str:
        """How a trigger is shown."""
        shown = ", ".join(f"{key}={value}" for key, value in kwargs.items())
        return f"<{classpath} {shown}>"

    def __repr__(self) -> str:
        return self.repr(*self.serialize())


class BaseEventTrigger(BaseTrigger):
    """A trigger for asset watchers: it yields an event whenever there is something new, and never ends by itself.

    Triggers with equal `shared_stream_key` share one poll: `open_shared_stream` runs once for all of them, and each
    makes its own events of what comes in with `filter_shared_stream`. With `create_shared_stream_producer` the source
    is told when all of them are done with a message.
    """

    supports_triggerer_queue: bool = False

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.asset_state_store: AssetStateStoreAccessors | None = None

    @staticmethod
    def hash(classpath: str, kwargs: dict[str, Any]) -> int:
        """A number that is the same for the same trigger, in every process."""
        text = json.dumps([classpath, serialize(kwargs)], sort_keys=True)
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big", signed=True)

    def shared_stream_key(self) -> Hashable | None:
        """What names the source that may be shared; `None` for a poll of its own. Made of arguments, never of time."""
        return None

    @classmethod
    def open_shared_stream(cls, kwargs: dict[str, Any]) -> AsyncIterator[Any]:
        """Poll for all, for ever, and yield what comes in. `kwargs` are those of one of the triggers."""
        raise NotImplementedError(f"{cls.__name__} has a shared_stream_key, so it needs open_shared_stream")

    @classmethod
    def create_shared_stream_producer(cls, kwargs: dict[str, Any]) -> SharedStreamProducer:
        """What polls and tells the source what is done; for sources that keep a message until then."""
        raise NotImplementedError(f"{cls.__name__} has no create_shared_stream_producer")

    def filter_shared_stream(self, shared_stream: AsyncIterator[Any]) -> AsyncIterator[TriggerEvent]:
        """Make the events of this trigger out of what came in for all."""
        raise NotImplementedError(f"{type(self).__name__} has a shared_stream_key, so it needs filter_shared_stream")


def events_of(trigger: BaseTrigger) -> AbstractAsyncContextManager[AsyncIterator[TriggerEvent]]:
    """What `run` gives, closed in the end if that can be done.

    Raises:
        TypeError: no events can come of it. Authors forget the `yield`.
    """
    events: Any = trigger.run()
    if not hasattr(events, "__aiter__"):
        if hasattr(events, "close"):
            events.close()  # or Python would tell of a coroutine that nobody awaited
        kind = type(events).__name__
        raise TypeError(f"run() has to yield events (`async def` with `yield`), but it returned a {kind}")
    return aclosing(events) if hasattr(events, "aclose") else nullcontext(events)


__all__ = [
    "BaseEventTrigger",
    "BaseTaskEndEvent",
    "BaseTrigger",
    "StartTriggerArgs",
    "TaskFailedEvent",
    "TaskSkippedEvent",
    "TaskSuccessEvent",
    "TriggerEvent",
]
