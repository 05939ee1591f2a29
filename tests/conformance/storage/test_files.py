"""The store of DAG files (A5, D7)."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from tests.conformance.storage.worlds import JOB, NOW, OTHER_JOB, minutes
from tradewind.model.dag_file import (
    DagFile,
    Dependency,
    FileKey,
    FileName,
    FileParse,
    FileWarning,
    ImportProblem,
    StoredWarning,
)
from tradewind.storage.database import Database
from tradewind.storage.transaction import SqlTransaction

LONG_PATH = "/".join(["süß" * 10] * 16)[:500]
DEPENDENCIES = (Dependency("lib/helpers.py", "ab" * 32), Dependency("/opt/plugins/x.py", ""))


def add(store: Database, *paths: str, bundle: str = "dags") -> list[FileKey]:
    with store.begin() as tx:
        tx.files.add([FileName(bundle, path) for path in paths])
        keys = {file.name.path: file.key for file in tx.files.of_bundle(bundle)}
    return [keys[path] for path in paths]


def parse_of(key: FileKey, **values: Any) -> FileParse:
    plain: dict[str, Any] = {"content_hash": "c0", "source": "", "environment": "e0"}
    return FileParse(key, FileName("dags", "any.py"), **{**plain, **values})


def only(tx: SqlTransaction, bundle: str = "dags") -> DagFile:
    (file,) = tx.files.of_bundle(bundle)
    return file


def test_files_are_added_once_and_come_by_path(store: Database) -> None:
    add(store, "b.py", "a.py")
    add(store, "c.py", "a.py", LONG_PATH)
    add(store, "a.py", bundle="other")

    with store.begin() as tx:
        found = tx.files.of_bundle("dags")
        assert [file.name.path for file in found] == sorted(["a.py", "b.py", "c.py", LONG_PATH])
        assert found[0] == DagFile(found[0].key, FileName("dags", "a.py"))
        assert [file.name for file in tx.files.of_bundle("other")] == [FileName("other", "a.py")]
        assert tx.files.of_bundle("nothing") == []
        tx.files.add([])


def test_names_differ_by_the_case_of_their_letters(store: Database) -> None:
    assert len(set(add(store, "Sales.py", "sales.py"))) == 2


def test_two_processors_add_the_same_files_at_once(store: Database) -> None:
    """A5: neither fails, and there is one of each."""
    names = [FileName("dags", f"{number}.py") for number in range(50)]

    with ThreadPoolExecutor(2) as threads:
        for done in [threads.submit(store.transact, lambda tx: tx.files.add(names)) for _ in range(4)]:
            done.result(timeout=30)

    with store.begin() as tx:
        assert len(tx.files.of_bundle("dags")) == 50


def test_claims_are_kept_renewed_and_given_up_only_by_whom_they_belong_to(store: Database) -> None:
    (key,) = add(store, "a.py")
    with store.begin() as tx:
        assert [file.key for file in tx.files.lock([key, FileKey(999_999)])] == [key]
        tx.files.claim([key], JOB, NOW)
        assert (only(tx).claimed_by, only(tx).claimed_until) == (JOB, NOW)

        tx.files.renew([key], OTHER_JOB, NOW + minutes(9))
        tx.files.release([key], OTHER_JOB)
        assert (only(tx).claimed_by, only(tx).claimed_until) == (JOB, NOW)

        tx.files.renew([key], JOB, NOW + minutes(1))
        assert only(tx).claimed_until == NOW + minutes(1)

        tx.files.release([key], JOB)
        assert (only(tx).claimed_by, only(tx).claimed_until) == (None, None)


def test_files_that_another_processor_works_on_are_waited_for(store: Database) -> None:
    (key,) = add(store, "a.py")

    with ThreadPoolExecutor(1) as thread:
        with store.begin() as tx:
            tx.files.lock([key])
            seen = thread.submit(store.transact, lambda other: other.files.lock([key])[0].claimed_by)
            tx.files.claim([key], JOB, NOW)

        assert seen.result(timeout=30) == JOB


def test_what_parsing_brought_is_stored_and_ends_claim_and_request(store: Database) -> None:
    keys = add(store, "a.py", "b.py")
    with store.begin() as tx:
        tx.files.claim(keys, JOB, NOW)
        tx.files.request(keys)
        parses = [
            parse_of(keys[0], dependencies=DEPENDENCIES, is_volatile=True, duration_ms=12),
            parse_of(keys[1], content_hash="c1"),
        ]
        tx.files.save(parses, {keys[1]: "Traceback\n" * 10_000}, NOW)
        tx.files.save([], {}, NOW)

    with store.begin() as tx:
        a, b = tx.files.of_bundle("dags")
        assert a == DagFile(
            keys[0],
            FileName("dags", "a.py"),
            content_hash="c0",
            environment="e0",
            dependencies=DEPENDENCIES,
            is_volatile=True,
            parsed_at=NOW,
            duration_ms=12,
        )
        assert b == replace(
            a,
            key=keys[1],
            name=FileName("dags", "b.py"),
            content_hash="c1",
            dependencies=(),
            is_volatile=False,
            duration_ms=0,
            has_error=True,
        )


def test_an_error_is_kept_until_the_file_is_parsed_without_one(store: Database) -> None:
    (key,) = add(store, "a.py")
    (other,) = add(store, "z.py", bundle="other")
    with store.begin() as tx:
        tx.files.save([parse_of(key)], {key: "it does not parse"}, NOW)
        tx.files.save([parse_of(other)], {other: "nor this"}, NOW)

        first = ImportProblem(key, FileName("dags", "a.py"), "it does not parse", NOW)
        second = ImportProblem(other, FileName("other", "z.py"), "nor this", NOW)
        assert tx.files.errors() == [first, second]
        assert tx.files.has_error(first.name)
        assert not tx.files.has_error(FileName("dags", "fine.py"))
        assert tx.files.errors(["other"]) == [second]
        assert tx.files.errors([]) == []

        tx.files.save([parse_of(key)], {}, NOW + minutes(1))
        assert tx.files.errors() == [second]


def test_requested_files_are_found_until_they_are_parsed(store: Database) -> None:
    keys = add(store, "a.py", "b.py")
    with store.begin() as tx:
        tx.files.request([])
        assert tx.files.requested(["dags"]) == []
        tx.files.request(keys[1:])
        assert [file.key for file in tx.files.requested(["dags", "other"])] == keys[1:]
        assert tx.files.requested(["other"]) == []

        tx.files.save([parse_of(keys[1])], {}, NOW)
        assert tx.files.requested(["dags"]) == []


def test_declarations_replace_each_other_and_tell_who_has_what(store: Database) -> None:
    a, b = add(store, "a.py", "b.py")
    with store.begin() as tx:
        tx.files.declare({a: ["sales", "stock"], b: ["sales"]})
        assert tx.files.declared([a, b]) == {a: {"sales", "stock"}, b: {"sales"}}
        assert tx.files.declarers(["sales", "nothing"]) == {
            "sales": {a: FileName("dags", "a.py"), b: FileName("dags", "b.py")}
        }

        tx.files.declare({a: ["stock"], b: []})
        assert tx.files.declared([a, b]) == {a: {"stock"}, b: set()}
        assert tx.files.declared([]) == {}
        assert tx.files.declarers(["sales"]) == tx.files.declarers([]) == {}


def test_warnings_replace_each_other(store: Database) -> None:
    a, b = add(store, "a.py", "b.py")
    slow = FileWarning("slow_import", "takes 3 s", line=7)
    other = FileWarning("deprecated", "use the new path", dag_id="sales")
    with store.begin() as tx:
        tx.files.warn({a: [FileWarning("old", "old")], b: [other]}, NOW)
        tx.files.warn({a: [slow]}, NOW + minutes(1))

        assert tx.files.warnings() == [
            StoredWarning(FileName("dags", "a.py"), slow, NOW + minutes(1)),
            StoredWarning(FileName("dags", "b.py"), other, NOW),
        ]
        assert tx.files.warnings(["nothing"]) == []

        tx.files.warn({a: [], b: []}, NOW)
        assert tx.files.warnings(["dags"]) == []


def test_deleting_a_file_deletes_all_that_belongs_to_it_and_nothing_else(store: Database) -> None:
    a, b = add(store, "a.py", "b.py")
    with store.begin() as tx:
        tx.files.declare({a: ["sales"], b: ["stock"]})
        tx.files.warn({a: [FileWarning("k", "m")], b: [FileWarning("k", "m")]}, NOW)
        tx.files.save([parse_of(a), parse_of(b)], {a: "x", b: "y"}, NOW)
        tx.files.delete([a])

        assert [file.key for file in tx.files.of_bundle("dags")] == [b]
        assert tx.files.declared([a, b]) == {a: set(), b: {"stock"}}
        assert [warning.name.path for warning in tx.files.warnings()] == ["b.py"]
        assert [error.key for error in tx.files.errors()] == [b]
        tx.files.delete([])


def test_a_file_key_is_never_used_twice(store: Database) -> None:
    """A late result of a file that is gone must not reach a newer one."""
    (first,) = add(store, "a.py")
    with store.begin() as tx:
        tx.files.delete([first])

    (second,) = add(store, "a.py")

    assert second > first
