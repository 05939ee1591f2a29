"""Paths on object stores: used like those of pathlib, reached with connections (D3)."""

import copy
import json
import pickle
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec  # type: ignore[import-untyped]
import pytest
import upath.registry
from fsspec.implementations.memory import MemoryFileSystem  # type: ignore[import-untyped]
from upath.implementations.cloud import CloudPath

from tradewind.sdk import lineage
from tradewind.sdk.context import Context
from tradewind.sdk.exceptions import AirflowNotFoundException
from tradewind.sdk.lineage import HookLineageReader, get_hook_lineage_collector, register_lineage_reader, reset_lineage
from tradewind.sdk.object_storage import ObjectStoragePath, ObjectStore, attach, get_fs, has_fs, register_filesystem
from tradewind.sdk.object_storage.stat import StatResult
from tradewind.sdk.object_storage.store import detach_all
from tradewind.sdk.serde import deserialize, serialize
from tradewind.sdk.template import Templater


class BucketFileSystem(MemoryFileSystem):  # type: ignore[misc]
    """Buckets in memory, apart from those of other classes."""

    protocol = ("bucket", "pail")
    store: dict[str, Any] = {}  # noqa: RUF012 - shared by all instances, as in the class above
    pseudo_dirs: list[str] = [""]  # noqa: RUF012
    cachable = False
    root_marker = ""

    def __init__(self, **options: Any) -> None:
        super().__init__()
        self.options = options

    @classmethod
    def _strip_protocol(cls, path: Any) -> str:
        return (str(path).partition("://")[2] or str(path)).strip("/")

    def sign(self, path: str, expiration: int = 100, **kwargs: Any) -> str:
        return f"https://signed{path}?for={expiration}"


made: list[tuple[str | None, dict[str, Any]]] = []


def make_bucket(conn_id: str | None, storage_options: dict[str, Any]) -> BucketFileSystem:
    """What a provider does."""
    made.append((conn_id, storage_options))
    return BucketFileSystem(conn_id=conn_id, **storage_options)


for scheme in ("bucket", "pail"):
    fsspec.register_implementation(scheme, BucketFileSystem, clobber=True)
    upath.registry.register_implementation(scheme, CloudPath, clobber=True)


@pytest.fixture(autouse=True)
def stores() -> Iterator[None]:
    """Empty stores."""
    register_filesystem("bucket", make_bucket)
    for kind in (MemoryFileSystem, BucketFileSystem):
        kind.store.clear()
        kind.pseudo_dirs[:] = [""]
    made.clear()
    yield
    detach_all()


@pytest.fixture
def collected() -> Iterator[Any]:
    """What was read and written, as lineage."""
    reset_lineage()
    register_lineage_reader(HookLineageReader)
    yield lambda: (
        [entry.asset.uri for entry in get_hook_lineage_collector().collected_assets.inputs],
        [entry.asset.uri for entry in get_hook_lineage_collector().collected_assets.outputs],
    )
    lineage._process.readers.clear()
    reset_lineage()


def test_connection_is_part_of_the_address_or_an_argument() -> None:
    address = ObjectStoragePath("bucket://my_conn@data/a/b.csv")
    argument = ObjectStoragePath("bucket://data/a/b.csv", conn_id="my_conn")

    assert address == argument
    assert hash(address) == hash(argument)
    assert (address.conn_id, address.protocol) == ("my_conn", "bucket")
    assert (address.bucket, address.container) == ("data", "data")
    assert (address.key, address.namespace, address.name) == ("a/b.csv", "bucket://data", "b.csv")
    assert ObjectStoragePath("bucket://one@data/a", conn_id="other").conn_id == "other"
    assert ObjectStoragePath("bucket://data/a").conn_id is None


def test_paths_are_equal_only_on_the_same_store() -> None:
    assert ObjectStoragePath("bucket://data/a") != ObjectStoragePath("bucket://conn@data/a")
    assert ObjectStoragePath("bucket://data/a") != ObjectStoragePath("memory://data/a")
    assert ObjectStoragePath("bucket://data/a") != "bucket://data/a"


def test_making_a_path_looks_nothing_up() -> None:
    """A path may stand in a DAG file: connections must not be looked up there."""
    path = ObjectStoragePath("bucket://my_conn@data") / "a"
    assert made == []

    path.write_text("x")

    assert made == [("my_conn", {})]


def test_derived_paths_keep_the_connection() -> None:
    root = ObjectStoragePath("bucket://conn@data")
    (root / "folder" / "a.txt").write_text("a")
    (root / "folder" / "b.txt").write_bytes(b"b")

    found = sorted(root.joinpath("folder").iterdir(), key=str)

    assert [path.name for path in found] == ["a.txt", "b.txt"]
    assert {path.conn_id for path in found} == {"conn"}
    assert [path.read_text() for path in found] == ["a", "b"]
    assert {path.conn_id for path in root.rglob("*.txt")} == {"conn"}
    assert found[0].parent.conn_id == "conn"
    assert found[0].with_suffix(".md").conn_id == "conn"
    assert ObjectStoragePath(found[0]).conn_id == "conn"


def test_files_are_opened_read_and_written() -> None:
    path = ObjectStoragePath("bucket://data/lines.txt")

    with path.open("w") as file:
        file.write("one\ntwo\n")
    with path.open() as file:
        assert list(file) == ["one\n", "two\n"]
    with path.open("rb", buffering=5) as file:
        assert file.read(3) == b"one"

    assert (path.exists(), path.is_file(), path.size()) == (True, True, 8)
    path.unlink()
    assert not path.exists()


def test_reading_and_writing_is_lineage(collected: Any) -> None:
    path = ObjectStoragePath("bucket://data/a")

    with path.open("w") as file:
        assert file.writable()
        file.write("x")
    assert collected() == ([], ["bucket://data/a"])

    with path.open() as file:
        file.read()
    assert collected() == (["bucket://data/a"], ["bucket://data/a"])


def test_what_is_known_about_a_file() -> None:
    path = ObjectStoragePath("bucket://conn@data/a")
    path.write_text("abc")

    known = path.stat()

    assert (known.st_size, known.st_dev, known.st_uid, known.st_gid, known.st_nlink) == (3, 0, 0, 0, 0)
    assert stat.S_ISREG(known.st_mode)
    assert (known["conn_id"], known["protocol"]) == ("conn", "bucket")
    assert path.checksum() == path.checksum()
    assert path.ukey() == path.ukey()
    assert path.sign(expiration=5).startswith("https://signed")
    assert path.read_block(1, 1) == b"b"


def test_missing_facts_are_zero() -> None:
    assert (StatResult().st_mtime, StatResult().st_mode, StatResult(type="directory").st_mode) == (0, 0, stat.S_IFDIR)
    assert StatResult(islink=True).st_mode == stat.S_IFLNK
    assert (StatResult(mtime=5.0).st_mtime, StatResult(mode=0o644).st_mode, StatResult(ino=7).st_ino) == (5, 0o644, 7)


def test_same_file(tmp_path: Path) -> None:
    one = ObjectStoragePath("bucket://data/a")
    one.write_text("x")
    (tmp_path / "a").write_text("x")
    (tmp_path / "b").hardlink_to(tmp_path / "a")
    local = [ObjectStoragePath(f"file://{tmp_path}/{name}") for name in "ab"]

    assert one.samefile(ObjectStoragePath("bucket://data/a"))
    assert not one.samefile(ObjectStoragePath("memory://data/a"))
    assert not one.samefile("bucket://data/a")
    assert local[0].samefile(local[1])


def test_copy_and_move_on_one_store(collected: Any) -> None:
    source = ObjectStoragePath("bucket://data/a")
    source.write_text("x")

    source.copy("bucket://data/b")
    source.move(ObjectStoragePath("bucket://data/c"))

    assert not source.exists()
    assert [ObjectStoragePath(f"bucket://data/{name}").read_text() for name in "bc"] == ["x", "x"]
    assert collected() == (["bucket://data/a"], ["bucket://data/b", "bucket://data/c"])


def test_copy_between_local_files_and_a_store(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    local, remote = ObjectStoragePath(f"file://{tmp_path}/a"), ObjectStoragePath("bucket://data/a")

    local.copy(remote)
    remote.copy(f"file://{tmp_path}/b")

    assert (tmp_path / "b").read_text() == "x"


def test_copy_between_stores_keeps_keys_below_a_folder() -> None:
    source = ObjectStoragePath("bucket://data/folder")
    (source / "a.txt").write_text("a")
    (source / "deep" / "b.txt").write_text("b")

    source.copy("memory://target/", recursive=True)
    (source / "a.txt").copy("memory://single/name.txt")

    target = ObjectStoragePath("memory://target")
    assert (target / "folder" / "a.txt").read_text() == "a"
    assert (target / "folder" / "deep" / "b.txt").read_text() == "b"
    assert ObjectStoragePath("memory://single/name.txt").read_text() == "a"


def test_move_between_stores_removes_the_source() -> None:
    source = ObjectStoragePath("bucket://data/folder")
    (source / "a.txt").write_text("a")

    source.move("memory://target/", recursive=True)

    assert not source.exists()
    assert ObjectStoragePath("memory://target/folder/a.txt").read_text() == "a"


def test_copy_and_move_into_a_folder() -> None:
    source, folder = ObjectStoragePath("bucket://data/a"), ObjectStoragePath("bucket://data/folder")
    source.write_text("x")
    folder.mkdir()

    source.copy_into(folder)
    source.move_into("bucket://data/folder")

    assert (folder / "a").read_text() == "x"
    with pytest.raises(NotADirectoryError):
        source.copy_into("bucket://data/nowhere")


def test_copy_of_nothing_and_onto_a_file_is_refused() -> None:
    with pytest.raises(FileNotFoundError, match="bucket://data/nope"):
        ObjectStoragePath("bucket://data/nope").copy("memory://target/a")
    ObjectStoragePath("memory://target/file").write_text("x")
    ObjectStoragePath("bucket://data/folder/a").write_text("x")
    with pytest.raises(ValueError, match="cannot be copied to the file"):
        ObjectStoragePath("bucket://data/folder").copy("memory://target/file", recursive=True)


def test_rename_and_replace() -> None:
    path = ObjectStoragePath("bucket://conn@data/a")
    path.write_text("x")

    moved = path.replace("bucket://data/b")

    assert (moved.conn_id, moved.read_text(), path.exists()) == ("conn", "x", False)


def test_local_paths_work_without_a_protocol(tmp_path: Path) -> None:
    path = ObjectStoragePath(str(tmp_path / "a"))

    path.write_text("x")

    with path.open() as file:
        assert file.read() == "x"
    assert str(path) == str(tmp_path / "a")
    assert ObjectStoragePath.cwd() == ObjectStoragePath(str(Path.cwd()))
    assert str(ObjectStoragePath.home()) == str(Path.home())


@pytest.mark.parametrize("text", ["bucket://conn@data/a/b", "bucket://data/a", "memory://data/a"])
def test_path_survives_storing_pickling_and_copying(text: str) -> None:
    path = ObjectStoragePath(text, depth=3)

    for same in (deserialize(serialize(path)), pickle.loads(pickle.dumps(path)), copy.deepcopy(path)):  # noqa: S301
        assert same == path
        assert same.storage_options == path.storage_options
    with pytest.raises(ValueError, match="version 9"):
        ObjectStoragePath.deserialize({"path": text}, 9)


def test_path_in_a_template_field_is_rendered() -> None:
    class Thing(Templater):
        template_fields = ("path",)

        def __init__(self) -> None:
            self.path = ObjectStoragePath("bucket://conn@data/{{ ds }}/a")

    thing = Thing()
    thing.render_template_fields(Context(ds="2026-01-31"))

    assert thing.path == ObjectStoragePath("bucket://conn@data/2026-01-31/a")


def test_storage_options_reach_the_file_system() -> None:
    path = ObjectStoragePath("bucket://conn@data/a", endpoint="here")

    path.write_text("x")

    assert made == [("conn", {"endpoint": "here"})]
    assert path.fs.options == {"conn_id": "conn", "endpoint": "here"}


def test_stores_are_attached_once() -> None:
    store = attach("bucket", conn_id="conn")
    named = attach("bucket", alias="mine", fs=BucketFileSystem())

    assert attach("bucket", conn_id="conn") is store
    assert attach(alias="mine") is named
    assert str(store) == "bucket-conn"
    assert made == []
    assert store.fsid == "('bucket', 'pail')-conn"
    with pytest.raises(ValueError, match="needs a protocol"):
        attach()
    with pytest.raises(ValueError, match="under the alias 'nope'"):
        attach(alias="nope")


def test_store_survives_storing() -> None:
    store = attach("bucket", conn_id="conn")
    data = store.serialize()

    assert ObjectStore.deserialize(data, 1) is store
    with pytest.raises(ValueError, match="version 9"):
        ObjectStore.deserialize(data, 9)
    with pytest.raises(ValueError, match=r"call attach\(\) with it first"):
        ObjectStore.deserialize({**data, "protocol": "unheard"}, 1)


def test_own_file_system_may_be_attached() -> None:
    own = BucketFileSystem(mine=True)
    attach("pail", fs=own)

    assert ObjectStoragePath("pail://data/a").fs is own


def test_file_systems_are_found_by_scheme() -> None:
    register_filesystem("old", lambda conn_id: BucketFileSystem(conn_id=conn_id))

    assert all(has_fs(scheme) for scheme in ("file", "local", "bucket", "memory"))
    assert not has_fs("unheard")
    assert get_fs("old", "conn").options == {"conn_id": "conn"}
    with pytest.raises(ValueError, match="takes no storage options"):
        get_fs("old", "conn", {"a": "b"})
    with pytest.raises(ValueError, match="there is no file system for unheard://"):
        get_fs("unheard")


@pytest.mark.parametrize(
    ("connection", "options"),
    [
        (
            {"conn_type": "aws", "login": "me", "password": "hush", "extra": {"endpoint_url": "http://here", "x": 1}},
            {"key": "me", "secret": "hush", "endpoint_url": "http://here", "anon": False},
        ),
        (
            {"conn_type": "aws", "extra": {"aws_access_key_id": "me", "region_name": "moon"}},
            {"key": "me", "client_kwargs": {"region_name": "moon"}, "anon": False},
        ),
        ({"conn_type": "cloud", "login": "me", "extra": {"project": "p"}}, {"project": "p", "anon": False}),
    ],
)
def test_a_connection_reaches_a_store_without_a_provider_package(
    monkeypatch: pytest.MonkeyPatch, connection: dict[str, Any], options: dict[str, Any]
) -> None:
    """What is given beside it wins."""
    monkeypatch.setenv("AIRFLOW_CONN_STORE", json.dumps(connection))
    fsspec.register_implementation("cloud", BucketFileSystem, clobber=True)

    assert get_fs("cloud", "store", {"anon": False}).options == options
    with pytest.raises(AirflowNotFoundException, match="nowhere"):
        get_fs("cloud", "nowhere")
