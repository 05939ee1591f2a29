"""Updates of assets reach the DAGs that wait for them."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Final

from tradewind.model.asset import AssetKey
from tradewind.model.slot_policy import EVERYTHING, EventWindow
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.schedule_stores import Delivery, Listener
from tradewind.storage.interface.shared_stores import UnseenEvent
from tradewind.telemetry.events import DagsAwaitAssets

ASSET: Final = "asset"
NAME: Final = "name"
URI: Final = "uri"
ALIAS: Final = "alias"
OF_PARTITIONS: Final = "part_"
"""Before each of these: who hears of updates of single partitions. Others hear of the asset as a whole only."""
MOST_EVENTS: Final = 2_000
"""That are handed out in one transaction. What is left is handed out by the next."""
_ALONE: Final = 0

_Named = tuple[str, str]
"""Kind and value of a listener."""
TakesAll = Callable[[Collection[str]], Collection[str]]
"""Which of these DAGs consume all that waits for them at once."""


def nobody(_dag_ids: Collection[str]) -> Collection[str]:
    """For who does not know which DAGs take all: each update comes by itself, which suits everybody."""
    return ()


def hand_out_events(tx: Transaction, take_all: TakesAll = nobody) -> int:
    """Note for each DAG that waits for updates which nobody has handed out, paused or not, that they are there.

    Those of one asset that are there at once are one row for a DAG that consumes all of them at once anyway: so what a
    stream of updates costs does not grow with how many wait for it. Returns how many were handed out.
    """
    events = tx.asset_events.new(MOST_EVENTS)
    if not events:
        return 0
    listening = _Listening(tx, events)
    deliveries: list[Delivery] = []
    alone: list[int] = []
    for group in _groups(events):
        dag_ids = listening.to(group[0])
        together = set(take_all(dag_ids)) if len(group) > 1 and dag_ids else set()
        keys = [event.event_key for event in group]
        if together:
            tx.asset_events.hand_out(keys, batch_key=keys[0])
        else:
            alone += keys
        deliveries += [_together(dag_id, group) for dag_id in dag_ids if dag_id in together]
        deliveries += [_alone(dag_id, event) for event in group for dag_id in dag_ids if dag_id not in together]
    if alone:
        tx.asset_events.hand_out(alone, _ALONE)
    tx.deliveries.deliver(deliveries)
    heard = sorted({delivery.dag_id for delivery in deliveries})
    tx.dag_changes.record(heard, max(event.at for event in events))
    if heard:
        tx.emit(DagsAwaitAssets(tuple(heard)))
    return len(events)


def on_their_way(
    tx: Transaction, dag_id: str, asset_keys: Collection[AssetKey], window: EventWindow = EVERYTHING
) -> set[AssetKey]:
    """Those of the assets that have updates which the DAG will hear of when a scheduler hands them out. None does while
    none runs; what is there is there all the same."""
    events = tx.asset_events.unseen(asset_keys, window)
    listening = _Listening(tx, events)
    return {event.asset_key for event in events if dag_id in listening.to(event)}


class _Listening:
    """Who hears of which of these updates."""

    def __init__(self, tx: Transaction, events: Iterable[UnseenEvent]) -> None:
        self._assets = {record.key: record for record in tx.assets.read({event.asset_key for event in events})}
        values = {value for event in events for _, value in self._names(event)}
        self._found: dict[_Named, list[str]] = {}
        for listener in tx.deliveries.listeners(values):
            self._found.setdefault((listener.kind, listener.value), []).append(listener.dag_id)

    def to(self, event: UnseenEvent) -> list[str]:
        """The DAGs, each once, in order."""
        return sorted({dag_id for name in self._names(event) for dag_id in self._found.get(name, ())})

    def _names(self, event: UnseenEvent) -> Iterator[_Named]:
        asset = self._assets[event.asset_key]
        kind = "" if event.partition_key is None else OF_PARTITIONS
        yield (kind + ASSET, str(asset.key))
        yield (kind + NAME, asset.name)
        yield (kind + URI, asset.uri)
        for alias in event.aliases:
            yield (kind + ALIAS, alias)


def change_listeners(tx: Transaction, dag_ids: Collection[str], listeners: Collection[Listener]) -> None:
    """What locked DAGs wait for from now on: what has come so far still goes to who waited for it."""
    if tx.deliveries.heard_by(dag_ids) == set(listeners):
        return
    while hand_out_events(tx) == MOST_EVENTS:
        pass
    tx.deliveries.listen(dag_ids, listeners)


def _groups(events: Iterable[UnseenEvent]) -> Iterable[Sequence[UnseenEvent]]:
    """Those that the same DAGs hear of. One of a partition is a group by itself: its DAGs ask what it counts for."""
    groups: dict[tuple[object, ...], list[UnseenEvent]] = {}
    for event in events:
        partition = None if event.partition_key is None else event.event_key
        groups.setdefault((event.asset_key, event.aliases, partition), []).append(event)
    return groups.values()


def _together(dag_id: str, events: Sequence[UnseenEvent]) -> Delivery:
    first = events[0]
    instants = [event.at for event in events]
    return Delivery(
        dag_id,
        first.event_key,
        first.asset_key,
        max(instants),
        batch_key=first.event_key,
        number=len(events),
        first_at=min(instants),
    )


def _alone(dag_id: str, event: UnseenEvent) -> Delivery:
    return Delivery(dag_id, event.event_key, event.asset_key, event.at, event.partition_key)
