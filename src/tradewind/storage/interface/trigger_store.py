"""The store of what waiting tasks wait for, and of who runs it."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from tradewind.model.ids import JobKey, RunKey, TaskKey, TriggerKey, VersionKey
from tradewind.model.trigger import ClaimedTrigger, NewTrigger
from tradewind.model.trouble import Trouble


class SealedKwargs(NamedTuple):
    """The arguments of a trigger as they are stored."""

    key: TriggerKey
    kwargs: str
    is_encrypted: bool


class PreparedTrigger(NamedTuple):
    """What a task that began with a trigger turned out to wait for."""

    key: TriggerKey
    class_path: str
    kwargs: str
    is_encrypted: bool


class UnknownTrigger(NamedTuple):
    """A trigger that its task began with, and of which only the DAG may know what it is."""

    key: TriggerKey
    task_id: str
    version_key: VersionKey


class TriggerRecord(NamedTuple):
    """A trigger as people see it. What it was given is nobody's business."""

    key: TriggerKey
    class_path: str
    queue: str | None
    triggerer: JobKey | None
    created_at: datetime


class OrphanTriggerStore(Protocol):
    """Triggers that outlive their tasks, until a triggerer has ended what they wait for, whoever dies meanwhile."""

    def outlive_run(self, run_key: RunKey) -> None:
        """The run is about to be deleted. Triggerers are woken by the commit."""

    def outlive_dag(self, dag_id: str) -> None:
        """The same of all runs of a DAG."""

    def outlive_tasks(self, keys: Sequence[TaskKey]) -> None:
        """The same of some task instances."""

    def held_and_free(
        self, job: JobKey, queues: Collection[str] | None = None
    ) -> tuple[set[TriggerKey], list[ClaimedTrigger]]:
        """Those that this triggerer has, and those that were free: it has them from now on. Some at a time."""

    def held(self, job: JobKey) -> set[TriggerKey]:
        """Those that this triggerer has."""

    def delete(self, keys: Collection[TriggerKey]) -> None:
        """What they waited for was ended."""

    def release(self, job: JobKey, keys: Collection[TriggerKey] | None = None) -> None:
        """All of this triggerer are free, or those of these."""

    def release_all_but(self, jobs: Collection[JobKey]) -> None:
        """What belongs to other triggerers than these is free."""

    def sealed(self) -> list[SealedKwargs]:
        """The arguments of all."""

    def reseal(self, kwargs: Sequence[SealedKwargs]) -> None:
        """Store them anew."""


class TriggerStore(Protocol):
    """A trigger is wanted while its task is deferred at the attempt that left it."""

    @property
    def orphans(self) -> OrphanTriggerStore:
        """Those of tasks that were deleted."""

    def add(self, triggers: Sequence[NewTrigger]) -> None:
        """New ones, free. Triggerers are woken by the commit."""

    def claim(
        self, job: JobKey, limit: int, now: datetime, queues: Collection[str] | None = None
    ) -> list[ClaimedTrigger]:
        """Take free ones that are wanted or were called off by a person, those of tasks with the highest priority
        first. Never waits for others who claim. Without queues, those that have none; else only those of these."""

    def held(self, keys: Collection[TriggerKey], job: JobKey, *, locks: bool = False) -> set[TriggerKey]:
        """Those of these that this triggerer has. With `locks` they stay so until the commit; task instances have to be
        locked before."""

    def prepare(self, triggers: Sequence[PreparedTrigger]) -> None:
        """Note which class they are and what it gets."""

    def unknown_of_dag(self, dag_id: str) -> list[UnknownTrigger]:
        """Those that some triggerer had, and of which is not stored what they are."""

    def called_off(self, job: JobKey) -> dict[TriggerKey, bool]:
        """Those of this triggerer whose tasks wait no longer, and whether a person stopped them."""

    def wanted(self, job: JobKey) -> set[TriggerKey]:
        """Those of this triggerer that are wanted."""

    def call_off(self, tasks: Collection[TaskKey], *, kills: bool) -> None:
        """These tasks wait no longer. Triggerers are woken by the commit.

        With `kills` a person stopped them: their triggers stay until a triggerer has ended what they wait for, whoever
        dies meanwhile. Else what no triggerer runs just goes.
        """

    def delete(self, keys: Collection[TriggerKey], job: JobKey | None = None) -> None:
        """They are done; of these, if a triggerer is given, only its own."""

    def delete_unwanted(self, job: JobKey) -> int:
        """What no task waits for, and is not to be ended yet: of this triggerer and of none. Returns how many."""

    def note_troubles(self, troubles: Mapping[TriggerKey, Trouble], job: JobKey) -> None:
        """What triggers of this triggerer did to others. A moment and a stack that are not told stay as they are."""

    def release(self, job: JobKey, keys: Collection[TriggerKey] | None = None) -> None:
        """All of this triggerer are free, or those of these."""

    def release_all_but(self, jobs: Collection[JobKey]) -> int:
        """What belongs to other triggerers than these is free. Returns how many."""

    def of_tasks(self, tasks: Collection[TaskKey]) -> dict[TaskKey, TriggerRecord]:
        """The newest of each of these task instances, as far as they have one."""

    def sealed(self) -> list[SealedKwargs]:
        """The arguments of all."""

    def reseal(self, kwargs: Sequence[SealedKwargs]) -> None:
        """Store them anew."""
