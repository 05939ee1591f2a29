"""The store of requests to call back (D4, D7)."""

from dataclasses import replace

import pytest

from tests.conformance.storage.worlds import JOB, NOW, OTHER_JOB, World, minutes
from tests.databases import DatabaseKind
from tradewind.model.callback_request import CallbackRequest, StoredCallback
from tradewind.model.dag import CallbackEvent
from tradewind.model.dag_file import FileName, NewVersion
from tradewind.model.ids import RunKey, VersionKey
from tradewind.storage.database import Database
from tradewind.storage.transaction import SqlTransaction

FILE = FileName("dags", "etl/sales.py")
LATER = NOW + minutes(1)


def version_with_file(store: Database, dag_id: str = "sales") -> VersionKey:
    with store.begin() as tx:
        tx.dags.create(dag_id, is_paused=False, now=NOW)
        return tx.versions.add([NewVersion(dag_id, "x", "{}", FILE)], NOW)[dag_id]


def request_of(version: VersionKey, number: int = 1) -> CallbackRequest:
    return CallbackRequest("sales", RunKey(number), version, CallbackEvent.FAILURE, "it failed", task_id="load")


def claim(tx: SqlTransaction, limit: int = 10, **values: object) -> list[StoredCallback]:
    plain: dict[str, object] = {"now": NOW, "until": LATER}
    return tx.callbacks.claim(["dags"], limit, JOB, **{**plain, **values})  # type: ignore[arg-type]


def test_requests_are_taken_once_oldest_first_and_whole(store: Database) -> None:
    version = version_with_file(store)
    task = CallbackRequest(
        "sales", RunKey(3), version, CallbackEvent.RETRY, "lost\n" * 1000, True, "load", map_index=2, try_number=4
    )
    with store.begin() as tx:
        tx.callbacks.add([request_of(version, 1), request_of(version, 2), task], NOW)
        tx.callbacks.add([], NOW)

        first, second = claim(tx, 2)
        (third,) = claim(tx)
        assert claim(tx) == []

    assert [each.request for each in (first, second, third)] == [request_of(version, 1), request_of(version, 2), task]
    assert (first.file, first.attempts, first.created_at) == (FILE, 1, NOW)


def test_requests_of_a_run_itself_are_taken_one_after_the_other(store: Database) -> None:
    """Who hears that it has begun hears of its end afterwards; tasks of it, and other runs, keep nobody waiting."""
    version = version_with_file(store)
    begin = replace(request_of(version), event=CallbackEvent.EXECUTE)
    task, end = replace(request_of(version), is_of_task=True), request_of(version)
    with store.begin() as tx:
        tx.callbacks.add([begin, task, end, request_of(version, 2)], NOW)

        taken = claim(tx)
        assert [each.request for each in taken] == [begin, task, request_of(version, 2)]
        assert claim(tx) == []
        assert [each.request for each in claim(tx, now=LATER, until=LATER + minutes(1))] == [
            each.request for each in taken
        ]

        tx.callbacks.delete([taken[0].key])
        assert [each.request for each in claim(tx)] == [end]


def test_a_version_without_a_file_has_nothing_to_call(world: World, store: Database) -> None:
    version = world.dag("sales")
    with store.begin() as tx:
        tx.callbacks.add([request_of(version)], NOW)

        assert claim(tx) == []


def test_only_requests_of_ones_own_bundles_are_taken(store: Database) -> None:
    version = version_with_file(store)
    with store.begin() as tx:
        tx.callbacks.add([request_of(version)], NOW)

        assert tx.callbacks.claim(["other"], 10, JOB, now=NOW, until=LATER) == []
        assert len(claim(tx)) == 1


def test_what_its_taker_left_lying_is_taken_again(store: Database) -> None:
    version = version_with_file(store)
    with store.begin() as tx:
        tx.callbacks.add([request_of(version)], NOW)
        (taken,) = claim(tx)
        tx.callbacks.renew([taken.key], OTHER_JOB, NOW + minutes(9))
        tx.callbacks.renew([taken.key], JOB, NOW + minutes(2))

        assert claim(tx, now=LATER) == []
        (again,) = claim(tx, now=NOW + minutes(2))
        assert (again.key, again.attempts) == (taken.key, 2)

        tx.callbacks.delete([taken.key])
        tx.callbacks.delete([])
        assert claim(tx, now=NOW + minutes(99)) == []


@pytest.mark.parametrize("database_kind", ["postgres", "mysql"], indirect=True)
def test_two_processors_take_different_requests(database_kind: DatabaseKind, store: Database) -> None:
    version = version_with_file(store)
    with store.begin() as tx:
        tx.callbacks.add([request_of(version, 1), request_of(version, 2)], NOW)

    with store.begin() as first, store.begin() as second:
        mine, theirs = claim(first, 1), claim(second, 1)

    assert [each.request.run_key for each in (*mine, *theirs)] == [1, 2]
