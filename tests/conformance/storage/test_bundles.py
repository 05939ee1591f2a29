"""The store of bundles (D6, D7)."""

from tests.conformance.storage.worlds import NOW, World
from tradewind.model.dag import CallbackEvent
from tradewind.model.dag_file import Bundle, FileName
from tradewind.storage.database import Database


def test_syncing_adds_activates_and_tells_what_is_gone(store: Database) -> None:
    with store.begin() as tx:
        assert tx.bundles.sync(["b", "a"]) == []
        assert tx.bundles.all() == [Bundle("a", is_active=True), Bundle("b", is_active=True)]

        assert tx.bundles.sync(["b", "c"]) == ["a"]
        assert [(bundle.name, bundle.is_active) for bundle in tx.bundles.all()] == [
            ("a", False),
            ("b", True),
            ("c", True),
        ]

        assert tx.bundles.sync(["a", "b", "c"]) == []
        assert all(bundle.is_active for bundle in tx.bundles.all())


def test_a_refresh_and_its_failure_are_kept(store: Database) -> None:
    with store.begin() as tx:
        tx.bundles.sync(["a", "b"])
        tx.bundles.refreshed("a", NOW, "the repository does not answer")
        tx.bundles.refreshed("b", NOW, None)
        tx.bundles.set_version("b", "c0ffee")

    with store.begin() as tx:
        assert tx.bundles.all() == [
            Bundle("a", is_active=True, refreshed_at=NOW, error="the repository does not answer"),
            Bundle("b", is_active=True, version="c0ffee", refreshed_at=NOW),
        ]


def test_a_run_keeps_the_version_that_its_bundle_had_when_it_was_made(world: World, store: Database) -> None:
    """D6."""
    world.dag("sales")
    world.dag("without_file")
    with store.begin() as tx:
        tx.bundles.sync(["a"])
        tx.dags.assign({"sales": FileName("a", "sales.py")})
        tx.bundles.set_version("a", "first")
    world.run("r1")
    with store.begin() as tx:
        tx.bundles.set_version("a", "second")
    world.run("r2")
    world.run("r1", "without_file")

    assert [world.find(run_id).bundle_version for run_id in ("r1", "r2")] == ["first", "second"]
    assert world.find("r1", "without_file").bundle_version is None


def test_what_listeners_of_plugins_want_to_hear_is_known_of_all_active_bundles_together(store: Database) -> None:
    with store.begin() as tx:
        tx.bundles.sync(["a", "b", "c"])
        assert tx.bundles.heard() == frozenset()

        tx.bundles.set_heard("a", [CallbackEvent.SUCCESS, CallbackEvent.EXECUTE])
        tx.bundles.set_heard("b", {CallbackEvent.FAILURE})
        assert tx.bundles.heard() == {CallbackEvent.SUCCESS, CallbackEvent.EXECUTE, CallbackEvent.FAILURE}

        tx.bundles.set_heard("a", [])
        tx.bundles.sync(["a", "c"])
        assert tx.bundles.heard() == frozenset()
