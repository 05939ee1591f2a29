"""The stores of partitions: for which of a DAG updates count, and which runs are about them (C2, C3)."""

from datetime import datetime

from tests.conformance.storage.test_assets import add
from tests.conformance.storage.test_schedules import RUN, delivered
from tests.conformance.storage.worlds import NOW, World, minutes
from tests.instants import utc
from tradewind.model.ids import RunKey
from tradewind.model.slot_policy import EventWindow
from tradewind.storage.database import Database
from tradewind.storage.interface.schedule_stores import Arrival, Delivery
from tradewind.storage.interface.shared_stores import NewAssetEvent
from tradewind.storage.transaction import SqlTransaction


def mapped(tx: SqlTransaction, event: int, *targets: str, dag_id: str = "d") -> None:
    """An update of a DAG that nobody has asked about counts for these partitions of it."""
    (update,) = (each for each in tx.deliveries.unmapped(dag_id, 99) if each.event_key == event)
    tx.deliveries.map(dag_id, [event], [update._replace(target_key=target) for target in targets])


def test_updates_are_unmapped_until_somebody_says_what_they_count_for(store: Database) -> None:
    """C3: oldest first, and neither of other DAGs nor of what was consumed."""
    with store.begin() as tx:
        a, b = add(tx, "a"), add(tx, "b")
        consumed = delivered(tx, "d", a, NOW, "p")
        tx.deliveries.take("d", RUN, event=consumed)
        first = delivered(tx, "d", b, NOW + minutes(2), "Straße")
        second = delivered(tx, "d", a, NOW + minutes(1))
        other = delivered(tx, "other", a, NOW, "p")

        one = Delivery("d", first, b, NOW + minutes(2), "Straße")
        two = Delivery("d", second, a, NOW + minutes(1), None)
        assert tx.deliveries.unmapped("d", 9) == [one, two]
        assert tx.deliveries.unmapped("d", 1) == [one]
        assert [each.event_key for each in tx.deliveries.unmapped("other", 9)] == [other]
        assert tx.deliveries.unmapped("nobody", 9) == []
        assert tx.deliveries.arrivals("d") == []


def test_an_update_counts_for_as_many_partitions_as_is_said(store: Database) -> None:
    """C3: several for a fan-out, none for one that is refused."""
    with store.begin() as tx:
        a = add(tx, "a")
        wide, refused, untouched = (delivered(tx, "d", a, NOW, key) for key in ("w", "r", "u"))
        other = delivered(tx, "other", a, NOW, "w")
        fan_out = [Delivery("d", wide, a, NOW, "w", target) for target in ("w-1", "w-2")]

        tx.deliveries.map("d", [wide, refused], fan_out)

        assert sorted(tx.deliveries.arrivals("d")) == [Arrival("w-1", a, "w", wide), Arrival("w-2", a, "w", wide)]
        assert [each.event_key for each in tx.deliveries.unmapped("d", 9)] == [untouched]
        assert [each.event_key for each in tx.deliveries.unmapped("other", 9)] == [other]
        assert [(each.dag_id, each.number) for each in tx.deliveries.waiting(asset_key=a)] == [("d", 3), ("other", 1)]


def test_a_partition_arrives_once_with_its_first_pending_update(store: Database) -> None:
    """C3: by asset and key, for all partitions of the DAG or for one, as exactly as they are written."""
    with store.begin() as tx:
        a, b = add(tx, "a"), add(tx, "b")
        early, late = (delivered(tx, "d", a, NOW + minutes(at), "05:00") for at in (0, 1))
        six, of_b = delivered(tx, "d", a, NOW, "06:00"), delivered(tx, "d", b, NOW, "day")
        upper = delivered(tx, "d", b, NOW, "DAY")
        elsewhere = delivered(tx, "other", a, NOW, "05:00")
        for event in (late, early, six, of_b):
            mapped(tx, event, "day")
        mapped(tx, upper, "DAY")
        mapped(tx, elsewhere, "day", dag_id="other")
        of_day = [Arrival("day", a, "05:00", early), Arrival("day", a, "06:00", six), Arrival("day", b, "day", of_b)]

        assert sorted(tx.deliveries.arrivals("d")) == [Arrival("DAY", b, "DAY", upper), *of_day]
        assert sorted(tx.deliveries.arrivals("d", "day")) == of_day
        assert tx.deliveries.arrivals("d", "night") == []
        tx.deliveries.take("d", RUN, event=early)
        assert Arrival("day", a, "05:00", late) in tx.deliveries.arrivals("d", "day")


def test_a_run_consumes_what_counts_for_its_partition_only(store: Database) -> None:
    """C2, C3: of one update that counts for two, the other partition keeps its own."""
    with store.begin() as tx:
        a = add(tx, "a")
        event = delivered(tx, "d", a, NOW, "p")
        mapped(tx, event, "north", "south")

        assert tx.deliveries.take("d", RUN, window=EventWindow(target_key="north")) == 1

        assert tx.deliveries.arrivals("d") == [Arrival("south", a, "p", event)]
        assert tx.deliveries.newest_at("d", window=EventWindow(target_key="north")) is None
        assert tx.deliveries.take("d", RunKey(2), event=event, window=EventWindow(target_key="south")) == 1
        assert sorted(tx.deliveries.consumed([RUN, RunKey(2)])) == [(RUN, event), (RunKey(2), event)]
        assert tx.deliveries.arrivals("d") == []


def test_other_mappers_are_asked_about_all_that_is_pending(store: Database) -> None:
    """C2, C3: once for each update, and no run is repeated for what was consumed."""
    with store.begin() as tx:
        a = add(tx, "a")
        event, whole, new = (delivered(tx, "d", a, NOW + minutes(at), "p") for at in range(3))
        other = delivered(tx, "other", a, NOW, "p")
        mapped(tx, event, "north", "south", "west")
        mapped(tx, whole, "north")
        mapped(tx, other, "north", dag_id="other")
        tx.deliveries.take("d", RUN, event=event, window=EventWindow(target_key="north"))
        tx.deliveries.take("d", RUN, event=whole)

        tx.deliveries.undo_mapping("d")
        tx.deliveries.undo_mapping("nobody")

        pending = [Delivery("d", event, a, NOW, "p"), Delivery("d", new, a, NOW + minutes(2), "p")]
        assert tx.deliveries.unmapped("d", 9) == pending
        assert tx.deliveries.arrivals("d") == []
        assert tx.deliveries.arrivals("other") == [Arrival("north", a, "p", other)]
        mapped(tx, event, "north", "east")
        assert tx.deliveries.arrivals("d") == [Arrival("east", a, "p", event)]
        assert tx.deliveries.consumed([RUN]) == [(RUN, event), (RUN, whole)]


def test_the_run_that_made_an_update_is_known(store: Database) -> None:
    """C3: a partition takes its date from there. Updates from elsewhere have none."""
    with store.begin() as tx:
        a = add(tx, "a")
        sources: tuple[dict[str, str], ...] = (
            {"source_dag_id": "sales", "source_run_id": "r1", "source_task_id": "load"},
            {"source_dag_id": "sales"},
            {},
        )
        keys = tx.asset_events.add([NewAssetEvent(asset_key=a, **source) for source in sources], NOW)  # type: ignore[arg-type]

        assert [tx.asset_events.source(key) for key in keys] == [("sales", "r1"), None, None]
        assert tx.asset_events.source(max(keys) + 1) is None


def dated_runs(world: World) -> dict[str, RunKey]:
    """Runs about days, about a key without a date, about none, and of another DAG."""
    days: dict[str, datetime] = {f"day-{day}": utc(f"2026-01-0{day} 00:00") for day in (1, 2, 3)}
    keys = {name: world.run(name, partition_key=name, partition_date=date) for name, date in days.items()}
    keys["again"] = world.run("again", partition_key="day-1", partition_date=days["day-1"])
    keys["undated"] = world.run("undated", partition_key="north")
    keys["plain"] = world.run("plain")
    keys["other"] = world.run("day-1", "stock", partition_key="day-1", partition_date=days["day-1"])
    return keys


def test_runs_are_chosen_by_the_key_or_the_dates_of_their_partitions(world: World) -> None:
    """C3: both dates are included, and runs about none are never chosen."""
    dated_runs(world)
    first, second, third = (utc(f"2026-01-0{day} 00:00") for day in (1, 2, 3))

    with world.store.begin() as tx:
        assert tx.run_partitions.choose("sales") == ["day-1", "day-2", "day-3", "again", "undated"]
        assert tx.run_partitions.choose("sales", key="day-1") == ["day-1", "again"]
        assert tx.run_partitions.choose("sales", key="north") == ["undated"]
        assert tx.run_partitions.choose("sales", key="North") == []
        assert tx.run_partitions.choose("sales", start=second, end=third) == ["day-2", "day-3"]
        assert tx.run_partitions.choose("sales", start=second + minutes(1)) == ["day-3"]
        assert tx.run_partitions.choose("sales", end=first) == ["day-1", "again"]
        assert tx.run_partitions.choose("stock", key="day-1") == ["day-1"]
        assert tx.run_partitions.choose("nobody") == []


def test_runs_forget_their_partitions_and_are_else_as_they_were(world: World) -> None:
    """C3: those that are about none do not count."""
    keys = dated_runs(world)
    before = world.find("day-1")

    with world.store.begin() as tx:
        wanted = [keys[name] for name in ("day-1", "undated", "plain")]
        assert tx.run_partitions.forget(wanted, NOW + minutes(1)) == 2
        assert tx.run_partitions.forget(wanted, NOW + minutes(2)) == 0
        assert tx.run_partitions.forget([], NOW) == 0

    after = world.find("day-1")
    assert (after.partition_key, after.partition_date) == (None, None)
    assert (after.key, after.state, after.run_after) == (before.key, before.state, before.run_after)
    assert (before.updated_at, after.updated_at) == (NOW, NOW + minutes(1))
    assert world.find("undated").partition_key is None
    assert world.find("again").partition_key == "day-1"
    assert world.find("day-1", "stock").partition_key == "day-1"
    with world.store.begin() as tx:
        assert tx.run_partitions.choose("sales") == ["day-2", "day-3", "again"]
