"""The store of what waiting tasks wait for, and of who runs it."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from tradewind.model.ids import JobKey, TaskKey, TriggerKey
from tradewind.model.trigger import ClaimedTrigger, NewTrigger


class SealedKwargs(NamedTuple):
    """The arguments of a trigger as they are stored."""

    key: TriggerKey
    kwargs: str
    is_encrypted: bool


class TriggerRecord(NamedTuple):
    """A trigger as people see it. What it was given is nobody's business."""

    key: TriggerKey
    class_path: str
    queue: str | None
    triggerer: JobKey | None
    created_at: datetime


class TriggerStore(Protocol):
    """A trigger is wanted while its task is deferred at the attempt that left it."""

    def add(self, triggers: Sequence[NewTrigger]) -> None:
        """New ones, free. Triggerers are woken by the commit."""

    def claim(self, job: JobKey, limit: int, queues: Collection[str] | None = None) -> list[ClaimedTrigger]:
        """Take free ones that are wanted, those of tasks with the highest priority first. Never waits for others who
        claim. Without queues, those that have none; else only those of these queues."""

    def called_off(self, job: JobKey) -> set[TriggerKey]:
        """Those of this triggerer whose tasks a person stopped."""

    def wanted(self, job: JobKey) -> set[TriggerKey]:
        """Those of this triggerer that are wanted."""

    def call_off(self, tasks: Collection[TaskKey]) -> None:
        """A person stopped these tasks. Triggerers are woken by the commit; what none of them runs just goes."""

    def delete(self, keys: Collection[TriggerKey], job: JobKey | None = None) -> None:
        """They are done; of these, if a triggerer is given, only its own."""

    def delete_unwanted(self, job: JobKey) -> int:
        """Of this triggerer and of none: what no task waits for, unless it was called off. Returns how many."""

    def release(self, job: JobKey) -> None:
        """All of this triggerer are free."""

    def release_all_but(self, jobs: Collection[JobKey]) -> int:
        """What belongs to other triggerers than these is free. Returns how many."""

    def of_tasks(self, tasks: Collection[TaskKey]) -> dict[TaskKey, TriggerRecord]:
        """The newest of each of these task instances, as far as they have one."""

    def sealed(self) -> list[SealedKwargs]:
        """The arguments of all."""

    def reseal(self, kwargs: Sequence[SealedKwargs]) -> None:
        """Store them anew."""
