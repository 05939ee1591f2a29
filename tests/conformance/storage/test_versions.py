"""The store of versions and of the source texts that they come from (D6, D7)."""

from tests.conformance.storage.worlds import NOW, World, minutes
from tradewind.model.dag_file import FileName, NewVersion, VersionOrigin
from tradewind.model.ids import VersionKey
from tradewind.storage.database import Database

FILE = FileName("dags-folder", "etl/sales.py")


def _new(dag_id: str, structure_hash: str, source_hash: str | None = None) -> NewVersion:
    return NewVersion(dag_id, structure_hash, f'{{"of": "{structure_hash}"}}', FILE, "c0ffee", source_hash)


def test_many_versions_become_the_current_ones_of_their_dags(world: World, store: Database) -> None:
    old = world.dag("sales")
    world.dag("stock")
    with store.begin() as tx:
        keys = tx.versions.add([_new("stock", "b"), _new("sales", "a", "5a1e")], NOW + minutes(1))
        assert tx.versions.add([], NOW) == {}

    with store.begin() as tx:
        assert {dag.dag_id: dag.version_key for dag in tx.dags.all()} == keys
        assert keys["sales"] > old
        assert tx.dags.version_data([keys["sales"]]) == {keys["sales"]: ("sales", '{"of": "a"}')}
        assert tx.versions.origins([old, keys["sales"], VersionKey(999_999)]) == {
            old: VersionOrigin(old, "abc"),
            keys["sales"]: VersionOrigin(keys["sales"], "a", FILE, "c0ffee", "5a1e"),
        }
        assert tx.versions.origins([]) == {}


def test_versions_of_a_dag_are_numbered_without_a_gap(world: World, store: Database) -> None:
    world.dag("sales")
    for structure_hash in ("b", "c"):
        with store.begin() as tx:
            tx.versions.add([_new("sales", structure_hash)], NOW)

    with store.engine.connect() as connection:
        query = "SELECT version_number FROM dag_version ORDER BY version_key"
        assert connection.exec_driver_sql(query).scalars().all() == [1, 2, 3]


def test_a_source_text_is_stored_once_and_whole(store: Database) -> None:
    text = "# größe\n" * 50_000
    with store.begin() as tx:
        tx.versions.add_texts({"aa": text, "bb": "two"})
        tx.versions.add_texts({"aa": "another text must not come under a known hash"})
        tx.versions.add_texts({})

    with store.begin() as tx:
        assert (tx.versions.text("aa"), tx.versions.text("bb"), tx.versions.text("cc")) == (text, "two", None)


def test_a_version_may_get_another_source(world: World, store: Database) -> None:
    world.dag("sales")
    with store.begin() as tx:
        key = tx.versions.add([_new("sales", "a", "old")], NOW)["sales"]
        tx.versions.set_sources({key: "new"})
        tx.versions.set_sources({})

        assert tx.versions.origins([key])[key].source_hash == "new"


def test_texts_that_no_version_comes_from_are_pruned(world: World, store: Database) -> None:
    world.dag("sales")
    with store.begin() as tx:
        tx.versions.add_texts({"used": "1", "unused": "2"})
        tx.versions.add([_new("sales", "a", "used")], NOW)

        assert tx.versions.prune_texts() == 1
        assert (tx.versions.text("used"), tx.versions.text("unused")) == ("1", None)
