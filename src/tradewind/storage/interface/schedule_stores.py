"""The stores of what starts runs besides the clock: updates of assets on their way to DAGs, and ticks that wait."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from tradewind.model.asset import AssetKey
from tradewind.model.ids import RunKey, VersionKey
from tradewind.model.listener_news import Hook
from tradewind.model.slot import NewSlot, Slot, SlotEnd, SlotKey
from tradewind.model.slot_policy import EventWindow


class Listener(NamedTuple):
    """A DAG waits for updates of an asset, of whatever has a name or a URI, or through an alias."""

    dag_id: str
    kind: str
    """`asset`, `name`, `uri` or `alias`; with `part_` before it, of updates of single partitions."""
    value: str
    """The key of the asset in digits, or the name, URI or alias itself."""


class Delivery(NamedTuple):
    """An update that a DAG shall hear of, or several that it hears of together."""

    dag_id: str
    event_key: int
    asset_key: AssetKey
    created_at: datetime
    partition_key: str | None = None
    target_key: str = ""
    """The partition of the DAG that it counts for; empty as long as nobody has asked the DAG's mappers."""
    batch_key: int | None = None
    """Of several: `event_key` is that of the first, `created_at` that of the last."""
    number: int = 1
    first_at: datetime | None = None
    """Of several: when the first came."""


class Arrival(NamedTuple):
    """A partition of an asset is there for a partition of a DAG."""

    target_key: str
    asset_key: AssetKey
    partition_key: str
    event: int
    """The first pending update of it."""


class Waiting(NamedTuple):
    """Updates of one asset that no run of a DAG has consumed."""

    dag_id: str
    asset_key: AssetKey
    first_at: datetime
    number: int


class Audience(NamedTuple):
    """Who wants to hear of updates."""

    has_dags: bool
    hooks: frozenset[Hook]
    """Of listeners of plugins."""


class DeliveryStore(Protocol):
    """Updates of assets, for each DAG that waits for them: pending until one run of it consumes them."""

    def heard_by(self, dag_ids: Collection[str]) -> set[Listener]:
        """What these DAGs wait for."""

    def listen(self, dag_ids: Collection[str], listeners: Collection[Listener]) -> None:
        """What these DAGs wait for from now on, and nothing else."""

    def listeners(self, values: Collection[str]) -> list[Listener]:
        """Who waits for anything of that value, of whatever kind."""

    def listening(self, dag_ids: Collection[str]) -> set[str]:
        """Which of these DAGs wait for assets."""

    def is_anybody_listening(self) -> bool:
        """Whether any DAG waits for assets."""

    def audience(self) -> Audience:
        """Who wants to hear of updates of assets, whichever."""

    def versions(self, dag_ids: Collection[str]) -> dict[str, VersionKey]:
        """Of DAGs, those that runs of them would have now."""

    def deliver(self, deliveries: Sequence[Delivery]) -> None:
        """Each is new."""

    def unmapped(self, dag_id: str, limit: int) -> list[Delivery]:
        """Pending updates of which nobody knows yet for which partitions of the DAG they count, oldest first."""

    def map(self, dag_id: str, event_keys: Collection[int], mapped: Sequence[Delivery]) -> None:
        """Let these stand in place of what is pending of the updates. What was consumed stays so. The DAG is locked."""

    def undo_mapping(self, dag_id: str) -> None:
        """Forget for which partitions of the DAG pending updates count: its mappers are other ones now."""

    def arrivals(self, dag_id: str, target_key: str | None = None) -> list[Arrival]:
        """Which partitions are there and pending, for each partition of the DAG, or for the one."""

    def oldest(self, wanted: Collection[tuple[str, AssetKey]]) -> dict[tuple[str, AssetKey], int]:
        """The first pending update for a DAG of an asset, as far as there is one."""

    def newest_at(self, dag_id: str, *, event: int | None = None, window: EventWindow | None = None) -> datetime | None:
        """When the last of the pending updates for the DAG, or the one, happened."""

    def take(self, dag_id: str, run_key: RunKey, *, event: int | None = None, window: EventWindow | None = None) -> int:
        """Let the run consume one pending update, or all (within the window). Returns how many. The DAG is locked."""

    def take_past(
        self, dag_id: str, run_key: RunKey, asset_keys: Collection[AssetKey], window: EventWindow, target_key: str
    ) -> None:
        """Let a run have all updates of these assets in the window, whoever consumed them: under a `target_key` of its
        own."""

    def newest_of_each(self, chosen: Collection[tuple[str, int | None]]) -> Mapping[str, datetime]:
        """`newest_at` for many DAGs, each with one update or with none: all that wait. By DAG."""

    def take_each(self, taken: Collection[tuple[str, RunKey, int | None]]) -> int:
        """`take` for many locked DAGs at once, each with one update or with none: all that wait."""

    def consumed(self, run_keys: Collection[RunKey], limit: int | None = None) -> list[tuple[RunKey, int]]:
        """Which updates runs have consumed, as pairs with the keys of the events, in their order."""

    def consumed_more(self, run_keys: Collection[RunKey], number: int) -> set[RunKey]:
        """Which of the runs have consumed more updates than that. Costs no more than so many of each."""

    def waiting(self, dag_id: str | None = None, asset_key: AssetKey | None = None) -> list[Waiting]:
        """What is pending, by DAG and asset."""

    def drop(self, dag_id: str | None = None, asset_key: AssetKey | None = None, before: datetime | None = None) -> int:
        """Forget pending ones. Returns how many there were."""

    def keep_only(self, dag_id: str, asset_keys: Collection[AssetKey]) -> None:
        """Forget pending ones of all other assets."""

    def dags_with_pending(self) -> list[str]:
        """DAGs for which something is pending, in order."""


class DagChangeStore(Protocol):
    """DAGs that a scheduler shall look at: something that they wait for has come."""

    def record(self, dag_ids: Iterable[str], now: datetime) -> None:
        """These. Schedulers are woken by the commit."""

    def tell(self) -> None:
        """Have the commit wake the schedulers: there are updates that were not handed out."""

    def pending(self, limit: int) -> list[str]:
        """Those that wait longest."""

    def take(self, dag_ids: Collection[str]) -> None:
        """Of locked DAGs: what happens from now on is new."""


class SlotStore(Protocol):
    """Ticks that wait for assets. All writes are for DAGs that are locked."""

    def add(self, slots: Sequence[NewSlot], now: datetime) -> int:
        """Ticks of one DAG that have come. Returns how many were not there already."""

    def waiting(self, dag_ids: Collection[str]) -> list[Slot]:
        """By DAG and time, the oldest first."""

    def first_waiting(self, dag_id: str, limit: int, since: datetime | None = None) -> list[Slot]:
        """The oldest of a DAG, from a tick on."""

    def overdue_of(self, dag_id: str, now: datetime, limit: int) -> list[Slot]:
        """Those of a DAG whose deadline is to be dealt with, by that."""

    def end(self, ends: Sequence[SlotEnd], now: datetime) -> set[SlotKey]:
        """Let those that still wait wait no more. Returns the keys of those that did."""

    def settle_date(self, dag_id: str, date: datetime, run_key: RunKey, reason: str, now: datetime) -> None:
        """Let the one of a logical date, if it waits, have a run that was made without it."""

    def supersede(self, keys: Collection[SlotKey], reason: str, now: datetime) -> int:
        """Let those that still wait give way to a later tick. Returns how many did wait."""

    def supersede_all(self, dag_ids: Collection[str], reason: str, now: datetime) -> int:
        """As `supersede`, all slots of these DAGs."""

    def note(self, slot: Slot, reason: str) -> None:
        """Its deadline was dealt with, and it goes on waiting."""

    def last(self, dag_id: str) -> Slot | None:
        """The one with the latest tick."""

    def at(self, dag_id: str, tick: datetime) -> Slot | None:
        """The one of that tick."""

    def overdue(self, now: datetime, limit: int) -> list[str]:
        """DAGs that are scheduled at all, with slots whose deadline is to be dealt with."""

    def next_deadline(self, now: datetime) -> datetime | None:
        """When `overdue` will next have another answer than now."""

    def updated_in(
        self, dag_id: str, asset_keys: Collection[AssetKey], windows: Sequence[EventWindow]
    ) -> list[set[AssetKey]]:
        """Which of these assets have pending updates for the DAG, within each of the windows. One question for all."""

    def counts(self) -> Mapping[str, int]:
        """How many slots of each DAG wait."""


class RunPartitionStore(Protocol):
    """The partitions that runs are about."""

    def choose(
        self, dag_id: str, *, key: str | None = None, start: datetime | None = None, end: datetime | None = None
    ) -> list[str]:
        """The ids of the runs of a partition, or of those whose dates lie between two (both included)."""

    def forget(self, run_keys: Collection[RunKey], now: datetime) -> int:
        """Let them be about none. Returns how many were about one. The DAG is locked."""


class ScheduleStores(Protocol):
    """What starts runs besides the clock."""

    @property
    def deliveries(self) -> DeliveryStore: ...
    @property
    def dag_changes(self) -> DagChangeStore: ...
    @property
    def slots(self) -> SlotStore: ...

    @property
    def run_partitions(self) -> RunPartitionStore: ...
