"""Parts of the live changes by themselves: what is told, and how far a reader has come (A8)."""

from collections import deque
from datetime import UTC, datetime, timedelta

import pytest

from tradewind.api.auth.access import Action, Level, Principal
from tradewind.api.ui.live_events import LiveEvent, Wish, events_of, seen_by
from tradewind.api.ui.live_reader import Place
from tradewind.model.ids import RunKey, TaskKey
from tradewind.model.live import LiveEntry, LiveKind, LiveRow
from tradewind.model.states import RunState
from tradewind.storage.live_entries import entries_of
from tradewind.telemetry.events import (
    DagDeleted,
    DagFenced,
    DagsAwaitAssets,
    DagsPublished,
    DatabaseBack,
    Event,
    FileFailed,
    PoolChanged,
    RunDeleted,
    RunMoved,
    SlotOverdue,
    TasksDeleted,
)
from tradewind.telemetry.measurements import AssetsUpdated

NOW = datetime(2026, 1, 1, tzinfo=UTC)
KEY = RunKey(1)


def row(key: int, *entries: LiveEntry) -> LiveRow:
    return LiveRow(key, NOW, list(entries))


@pytest.mark.parametrize(
    ("event", "told"),
    [
        (RunMoved(KEY, "etl", "one", RunState.FAILED), [(LiveKind.DAG_RUN, "failed", "etl", "one")]),
        (RunDeleted("etl", "one"), [(LiveKind.DAG_RUN, "deleted", "etl", "one")]),
        (
            DagsPublished(("a",), ("b",)),
            [(LiveKind.DAG, "published", "a", None), (LiveKind.DAG, "stale", "b", None)],
        ),
        (DagDeleted("a"), [(LiveKind.DAG, "deleted", "a", None)]),
        (DagFenced("a", "broken"), [(LiveKind.DAG, "error", "a", None)]),
        (FileFailed("dags", "etl.py", "secret = 1"), [(LiveKind.IMPORT_ERROR, "error", "dags/etl.py", None)]),
        (DagsAwaitAssets(("a", "b")), [(LiveKind.DAG, "waiting", "a", None), (LiveKind.DAG, "waiting", "b", None)]),
        (AssetsUpdated(3), [(LiveKind.ASSET, "updated", None, None)]),
        (SlotOverdue("a", NOW, "orders", "skip"), [(LiveKind.DAG, "overdue", "a", None)]),
        (PoolChanged("p", is_deleted=True), [(LiveKind.POOL, "deleted", "p", None)]),
        (TasksDeleted((TaskKey(KEY, "load"),)), [(LiveKind.TASK_INSTANCE, "deleted", None, None)]),
        (DatabaseBack(1.0), []),
    ],
)
def test_what_is_told_of_an_event(event: Event, told: list[tuple[object, ...]]) -> None:
    assert [entry[:4] for entry in entries_of(event)] == told


def test_many_are_one_event_and_what_belongs_to_a_run_that_is_gone_is_none() -> None:
    many = LiveEntry(LiveKind.TASK_INSTANCE, "skipped", run_key=1, number=5_000)
    gone = LiveEntry(LiveKind.TASK_INSTANCE, "skipped", run_key=2, tasks=(("load", -1),))
    (event,) = events_of([row(1, many, gone)], {KEY: ("etl", "one")})

    assert (event.dag_id, event.run_id) == ("etl", "one")
    assert b'"count":5000,"state":"skipped","at":"2026-01-01T00:00:00Z"' in event.text


@pytest.mark.parametrize(
    ("kind", "dag_id", "of_guest"),
    [
        (LiveKind.DAG, "granted", True),
        (LiveKind.DAG, "foreign", False),
        (LiveKind.DAG, None, True),
        (LiveKind.TASK_INSTANCE, "foreign", False),
        (LiveKind.IMPORT_ERROR, None, False),
        (LiveKind.POOL, None, False),
        (LiveKind.JOB, None, False),
        (None, None, True),
    ],
)
def test_who_is_told(kind: LiveKind | None, dag_id: str | None, of_guest: bool) -> None:
    """D6: who may see no pools and jobs in lists is not told of them either."""
    event = LiveEvent(kind, b"", dag_id)

    assert seen_by(Principal("guest", Level.NOBODY, {"granted": frozenset({Action.READ})}))(event) is of_guest
    assert seen_by(Principal("viewer", Level.VIEWER))(event)


def test_ids_narrow_down_only_what_has_them() -> None:
    wish = Wish(dag_ids=frozenset({"etl"}), run_ids=frozenset({"one"}))

    assert wish.has(LiveEvent(LiveKind.POOL, b""))
    assert wish.has(LiveEvent(LiveKind.DAG, b"", "etl"))
    assert wish.has(LiveEvent(LiveKind.DAG_RUN, b"", "etl", "one"))
    assert not wish.has(LiveEvent(LiveKind.DAG_RUN, b"", "etl", "two"))
    assert not wish.has(LiveEvent(LiveKind.DAG, b"", "other"))


def test_keys_that_were_passed_over_are_asked_for_until_they_come_or_it_is_too_late() -> None:
    """Whoever took a key may commit after others that came later."""
    place = Place(deque([(4, NOW)]))
    place.advance([row(5), row(8)], 100.0)

    assert (place.key, place.mark, set(place.missing)) == (8, 5, {6, 7})

    place.advance([row(6), row(9)], 110.0)

    assert (place.key, place.mark, set(place.missing)) == (9, 6, {7})

    place.advance([], 131.0)

    assert (place.mark, place.missing) == (9, {})


def test_no_place_is_named_before_all_who_write_have_noticed() -> None:
    """Who came back to it could have missed what nobody wrote down."""
    place = Place(deque([(4, NOW)]), certain_at=1.5)

    assert place.mark == 0


def test_before_the_first_key_nothing_is_missing() -> None:
    place = Place()
    place.advance([row(5_001)], 0.0)

    assert (place.key, place.mark, place.missing) == (5_001, 5_001, {})


def test_what_is_old_is_thrown_away_but_for_the_newest() -> None:
    old = NOW - timedelta(minutes=6)

    assert Place(deque([(1, old), (2, old), (3, NOW)])).outdated(NOW) == 2
    assert Place(deque([(1, old), (2, old)])).outdated(NOW) == 1
    assert Place(deque([(1, NOW), (2, NOW)])).outdated(NOW) is None
    assert Place(deque((key, NOW) for key in range(20_002))).outdated(NOW) == 1


def test_who_may_see_assets_is_told_how_many_were_updated() -> None:
    """C2."""
    (event,) = events_of([row(1, LiveEntry(LiveKind.ASSET, "updated", number=3))], {})

    assert b'"kind":"asset","count":3,"state":"updated"' in event.text
