"""The stores of what tasks leave behind: XComs, rendered fields, what they remember, and what they wait for.

Values are JSON in full: also what JSON itself has no word for, such as NaN, comes back as it was.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol

from tradewind.model.ids import AttemptKey, RunKey, TaskKey
from tradewind.model.json_value import JsonValue
from tradewind.model.run import Run
from tradewind.model.task_answers import XComElement, XComResult


class XComPlace(NamedTuple):
    """A key of a task in a run. Each instance of a mapped task may have a value there."""

    run_key: RunKey
    task_id: str
    key: str


class XComValue(NamedTuple):
    """One XCom."""

    task: TaskKey
    key: str
    value: JsonValue
    mapped_length: int | None = None
    """Of how many elements it is, where tasks are mapped over it."""
    is_dag_result: bool = False


class XComStore(Protocol):
    """Values that tasks leave for one another."""

    def put(self, values: Sequence[XComValue], now: datetime) -> None:
        """Create or replace. The task instances must exist."""

    def find(self, place: XComPlace, map_index: int | None = None) -> XComResult | None:
        """One value; without a map index, that of the lowest."""

    def latest_run(self, run: Run, task_id: str, key: str, map_index: int | None = None) -> RunKey | None:
        """This run if it has a value there, else the latest one before it that has."""

    def count(self, place: XComPlace) -> int:
        """How many instances have a value there."""

    def item(self, place: XComPlace, offset: int) -> XComResult | None:
        """The value at a place in the order of map indexes; a negative offset counts from the end."""

    def element(self, place: XComPlace, map_index: int, index: int) -> XComElement | None:
        """One element of the list that is the value of a map index, counted round and round.

        `None` if the value is no list, one that JSON proper cannot say, without elements, or not there.
        """

    def cut(self, place: XComPlace, part: slice) -> list[JsonValue]:
        """The values in the order of map indexes, cut as Python cuts a list. Only what is wanted is read."""

    def delete(self, place: XComPlace, map_index: int | None = None) -> None:
        """Remove one value, without a map index that of the lowest; nothing happens if there is none."""

    def keys_of(self, tasks: Collection[TaskKey]) -> dict[TaskKey, tuple[str, ...]]:
        """Under which keys these instances have values, in order. Those without any are left out."""

    def of_run(self, run_key: RunKey) -> list[XComValue]:
        """All of a run, by task, map index and key."""


class RenderedStore(Protocol):
    """The template fields of task instances, as they were rendered last."""

    def put(self, fields: Mapping[TaskKey, Mapping[str, JsonValue]]) -> None:
        """Create or replace. The task instances must exist."""

    def find(self, task: TaskKey) -> Mapping[str, JsonValue] | None:
        """Those of one task instance."""

    def of_run(self, run_key: RunKey) -> dict[TaskKey, Mapping[str, JsonValue]]:
        """Those of a whole run."""

    def name_instances(self, names: Mapping[TaskKey, str]) -> None:
        """What people see in place of the map index."""


class TaskStateStore(Protocol):
    """What task instances remember from attempt to attempt."""

    def find(self, task: TaskKey, key: str, now: datetime) -> JsonValue:
        """The value; None where there is none, or it has expired."""

    def put(self, task: TaskKey, key: str, value: JsonValue, *, expires_at: datetime | None, now: datetime) -> None:
        """Create or replace; what else the task instance has and has expired goes."""

    def delete(self, task: TaskKey, key: str) -> None:
        """Remove one value; nothing happens if there is none."""

    def clear(self, task: TaskKey, *, of_all_map_indexes: bool = False) -> None:
        """Remove all values of a task instance, or of all instances of its task in its run."""

    def count_expired(self, now: datetime) -> int:
        """How many values of all tasks have expired."""

    def delete_expired(self, now: datetime, limit: int) -> int:
        """Remove no more than so many of those. Returns how many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredDeferral:
    """What a task instance without a worker waits for, and how it goes on. Arguments are serialized."""

    attempt: AttemptKey
    next_method: str
    created_at: datetime
    next_kwargs: JsonValue = None
    resumed_by: int | None = None
    """The attempt that went on with it. None: none yet."""
    times_out_at: datetime | None = None


class DeferralStore(Protocol):
    """What task instances wait for."""

    def put(self, deferrals: Sequence[StoredDeferral]) -> None:
        """Create or replace: a task instance waits for one thing at a time."""

    def of_tasks(self, tasks: Collection[TaskKey]) -> dict[TaskKey, StoredDeferral]:
        """Those of these task instances, as far as they have one."""

    def drop(self, tasks: Collection[TaskKey]) -> None:
        """These go on, or will never."""
