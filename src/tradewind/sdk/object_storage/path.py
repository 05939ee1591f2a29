"""`ObjectStoragePath`: paths on object stores that are used like those of `pathlib`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import fsspec  # type: ignore[import-untyped]
from fsspec.utils import stringify_path  # type: ignore[import-untyped]
from upath import UPath

from tradewind.sdk.lineage import get_hook_lineage_collector
from tradewind.sdk.object_storage.stat import StatResult
from tradewind.sdk.object_storage.store import attach
from tradewind.sdk.object_storage.stored_object import StoredObject
from tradewind.sdk.object_storage.transfer import copy_file, copy_folder, note_copy


class _LateFileSystem:
    """The file system of a store, reached when it is first used.

    A path may be written in a DAG file, where a connection must not be looked up.
    """

    def __init__(self, protocol: str, conn_id: str | None, storage_options: dict[str, Any]) -> None:
        self._store = (protocol, conn_id, storage_options)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        protocol, conn_id, options = self._store
        return getattr(attach(protocol, conn_id, storage_options=options or None).fs, name)


class _TrackedFile:
    """An open file that says in the lineage whether it was read or written."""

    def __init__(self, path: ObjectStoragePath, file: Any) -> None:
        self._path = path
        self._file = file

    def __getattr__(self, name: str) -> Any:
        if name.startswith("read"):
            get_hook_lineage_collector().add_input_asset(self._path, uri=str(self._path))
        elif name.startswith("write") and name != "writable":
            get_hook_lineage_collector().add_output_asset(self._path, uri=str(self._path))
        return getattr(self._file, name)

    def __iter__(self) -> Iterator[Any]:
        get_hook_lineage_collector().add_input_asset(self._path, uri=str(self._path))
        return iter(self._file)

    def __next__(self) -> Any:
        return next(self._file)

    def __enter__(self) -> _TrackedFile:
        self._file.__enter__()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._file.__exit__(*exc_info)


class ObjectStoragePath(StoredObject):
    """A path such as `s3://my_conn@bucket/key`. The connection may also be given as `conn_id`.

    Nothing is looked up before the path is used.
    """

    __version__: ClassVar[int] = 1
    __slots__ = ("_conn_id",)

    sep: ClassVar[str] = "/"
    root_marker: ClassVar[str] = "/"

    def __init__(
        self, *args: Any, protocol: str | None = None, conn_id: str | None = None, **storage_options: Any
    ) -> None:
        inherited: str | None = None
        if args and isinstance(args[0], ObjectStoragePath):
            inherited = args[0].conn_id
            args = (args[0].__wrapped__, *args[1:])
        elif args:
            text, inherited = _without_conn_id(str(stringify_path(args[0])))
            args = (text, *args[1:])
        self._conn_id = conn_id if conn_id is not None else inherited
        super().__init__(*args, protocol=protocol, **storage_options)
        self._reach_late(self.__wrapped__)

    def _from_upath(self, upath: UPath, /) -> ObjectStoragePath:  # type: ignore[override]
        """A path on the same store."""
        path = object.__new__(type(self))
        path.__wrapped__ = upath
        path._conn_id = self._conn_id
        path._reach_late(upath)
        return path

    def _reach_late(self, upath: UPath) -> None:
        # A plain local path without a connection needs no store.
        if not upath.protocol and self._conn_id is None:
            return
        # What `UPath` uses for everything that it does. Paths that it derives from this one inherit it.
        late = _LateFileSystem(upath.protocol or "file", self._conn_id, dict(upath.storage_options))
        upath._fs_cached = late  # noqa: SLF001 - there is no other way to give it one

    @property
    def conn_id(self) -> str | None:
        """The connection that reaches the store."""
        return self._conn_id

    @property
    def fs(self) -> fsspec.AbstractFileSystem:
        """The file system."""
        return attach(self.protocol or "file", self.conn_id, storage_options=dict(self.storage_options) or None).fs

    @property
    def bucket(self) -> str:
        """The first part of the path on stores that have buckets."""
        return str(self._url.netloc)

    @property
    def container(self) -> str:
        """Another word for the bucket."""
        return self.bucket

    @property
    def key(self) -> str:
        """The path inside the bucket."""
        return str(self._url.path).lstrip(self.sep)

    @property
    def namespace(self) -> str:
        """The store: protocol and bucket."""
        return f"{self.protocol}://{self.bucket}" if self.bucket else str(self.protocol)

    def __str__(self) -> str:
        if self.protocol and self.conn_id:
            return f"{self.protocol}://{self.conn_id}@{self.path}"
        return super().__str__()

    def __eq__(self, other: object) -> bool:
        return self.samestore(other) and str(self) == str(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(str(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.serialize())

    def samestore(self, other: object) -> bool:
        """Whether the other path is reached in the same way."""
        return (
            isinstance(other, ObjectStoragePath) and self.protocol == other.protocol and self.conn_id == other.conn_id
        )

    def open(self, mode: str = "r", **kwargs: Any) -> Any:  # type: ignore[override]
        """Open the file. What is read and written is noted as lineage."""
        if "buffering" in kwargs:
            kwargs.setdefault("block_size", kwargs.pop("buffering"))
        return _TrackedFile(self, self.fs.open(self.path, mode=mode, **kwargs))

    def stat(self) -> StatResult:  # type: ignore[override]
        """What is known about the file."""
        return StatResult(self.fs.stat(self.path), protocol=self.protocol, conn_id=self.conn_id)

    def samefile(self, other_path: Any) -> bool:
        """Whether both paths are of one file."""
        if not isinstance(other_path, ObjectStoragePath) or not self.samestore(other_path):
            return False
        inode = self.stat().st_ino
        return self.path == other_path.path or (inode != 0 and inode == other_path.stat().st_ino)

    def replace(self, target: Any) -> ObjectStoragePath:
        """Rename, and overwrite what is there."""
        return self.rename(target)

    def copy(self, dst: Any, recursive: bool = False, **kwargs: Any) -> None:  # type: ignore[override]
        """Copy a file or, with `recursive`, a folder. From one store to another, keys stay the same below `dst`."""
        target = _as_path(dst)
        if self.samestore(target):
            note_copy(self, target)
            self.fs.copy(self.path, target.path, recursive=recursive, **kwargs)
        elif self.protocol in _LOCAL:
            note_copy(self, target)
            target.fs.put(self.path, target.path, recursive=recursive, **kwargs)
        elif target.protocol in _LOCAL:
            note_copy(self, target)
            self.fs.get(self.path, target.path, recursive=recursive, **kwargs)
        elif self.is_dir():
            copy_folder(self, target)
        elif self.exists():
            copy_file(self, target)
        else:
            raise FileNotFoundError(f"{self} does not exist")

    def copy_into(self, target_dir: Any, recursive: bool = False, **kwargs: Any) -> None:  # type: ignore[override]
        """Copy into a folder, under the same name."""
        self.copy(_in_folder(target_dir, self.name), recursive=recursive, **kwargs)

    def move(self, path: Any, recursive: bool = False, **kwargs: Any) -> None:  # type: ignore[override]
        """Move a file or, with `recursive`, a folder."""
        target = _as_path(path)
        if self.samestore(target):
            note_copy(self, target)
            self.fs.move(self.path, target.path, recursive=recursive, **kwargs)
            return
        self.copy(target, recursive=recursive, **kwargs)
        self.fs.rm(self.path, recursive=recursive)

    def move_into(self, target_dir: Any, recursive: bool = False, **kwargs: Any) -> None:  # type: ignore[override]
        """Move into a folder, under the same name."""
        self.move(_in_folder(target_dir, self.name), recursive=recursive, **kwargs)

    def serialize(self) -> dict[str, Any]:
        """What makes the same path elsewhere."""
        return {"path": str(self), "conn_id": self.conn_id, "kwargs": dict(self.storage_options)}

    @classmethod
    def deserialize(cls, data: dict[str, Any], version: int) -> ObjectStoragePath:
        """The path that was serialized."""
        if version > cls.__version__:
            raise ValueError(f"a path of version {version} cannot be read; known are versions to {cls.__version__}")
        return cls(data["path"], conn_id=data.get("conn_id"), **data.get("kwargs", {}))


_LOCAL = frozenset({"", "file", "local"})


def _without_conn_id(text: str) -> tuple[str, str | None]:
    """`s3://conn@bucket/key` without `conn@`, and the connection id."""
    scheme, mark, rest = text.partition("://")
    place, slash, key = rest.partition("/")
    user, at, host = place.rpartition("@")
    return (f"{scheme}://{host}{slash}{key}", user or None) if mark and at else (text, None)


def _as_path(path: Any) -> ObjectStoragePath:
    return path if isinstance(path, ObjectStoragePath) else ObjectStoragePath(path)


def _in_folder(folder: Any, name: str) -> ObjectStoragePath:
    path = _as_path(folder)
    if not path.is_dir():
        raise NotADirectoryError(f"{path} is not a folder")
    return path / name


def _restored(cls: type[ObjectStoragePath], data: dict[str, Any]) -> ObjectStoragePath:
    return cls.deserialize(data, cls.__version__)
