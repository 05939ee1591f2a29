"""Stores: a file system together with the connection that reaches it, under a name."""

from __future__ import annotations

import json
from functools import cached_property
from typing import Any, ClassVar

import fsspec  # type: ignore[import-untyped]

from tradewind.sdk.module_loading import qualname
from tradewind.sdk.object_storage.filesystems import Properties, get_fs, has_fs


class ObjectStore:
    """A file system and how it is reached. Made with `attach`; the file system is made when it is first used."""

    __version__: ClassVar[int] = 1

    def __init__(
        self,
        protocol: str,
        conn_id: str | None,
        fs: fsspec.AbstractFileSystem | None = None,
        storage_options: Properties | None = None,
    ) -> None:
        self.protocol = protocol
        self.conn_id = conn_id
        self.storage_options = storage_options
        if fs is not None:
            self.fs = fs

    @cached_property
    def fs(self) -> fsspec.AbstractFileSystem:
        """The file system."""
        return get_fs(self.protocol, self.conn_id, self.storage_options)

    @property
    def fsid(self) -> str:
        """The same text for the same store, in every process."""
        try:
            return str(self.fs.fsid)
        except NotImplementedError:
            return f"{self.fs.protocol}-{self.conn_id or 'env'}"

    def __str__(self) -> str:
        return f"{self.protocol}-{self.conn_id}" if self.conn_id else self.protocol

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ObjectStore):
            return NotImplemented
        return self.conn_id == other.conn_id and self.fs == other.fs

    def __hash__(self) -> int:
        return hash((self.conn_id, self.fsid))

    def serialize(self) -> dict[str, Any]:
        """What makes the same store elsewhere."""
        return {
            "protocol": self.protocol,
            "conn_id": self.conn_id,
            "filesystem": qualname(type(self.fs)),
            "storage_options": self.storage_options,
        }

    @classmethod
    def deserialize(cls, data: dict[str, Any], version: int) -> ObjectStore:
        """The store that was serialized."""
        if version > cls.__version__:
            raise ValueError(f"a store of version {version} cannot be read; known are versions to {cls.__version__}")
        protocol, conn_id, options = data["protocol"], data["conn_id"], data.get("storage_options")
        if _alias_of(protocol, conn_id, options) not in _stores and not has_fs(protocol):
            raise ValueError(
                f"the store {protocol}:// was made with {data.get('filesystem')}, which is not known here:"
                " call attach() with it first"
            )
        return attach(protocol, conn_id, storage_options=options)


_stores: dict[str, ObjectStore] = {}


def attach(
    protocol: str | None = None,
    conn_id: str | None = None,
    alias: str | None = None,
    encryption_type: str | None = "",  # noqa: ARG001 - Airflow takes it, and does nothing with it either
    fs: fsspec.AbstractFileSystem | None = None,
    **kwargs: Any,
) -> ObjectStore:
    """The store of that alias, or of that protocol and connection; made if it does not exist yet.

    Args:
        fs: the file system to use, in place of the one for the protocol.
        kwargs: `storage_options` for the file system.
    """
    options = kwargs.get("storage_options")
    if alias is None and protocol is None:
        raise ValueError("attach() needs a protocol, or the alias of a store that is attached already")
    name = alias or _alias_of(protocol, conn_id, options)
    if name not in _stores:
        if protocol is None:
            raise ValueError(f"no store is attached under the alias {alias!r}: give its protocol")
        _stores[name] = ObjectStore(protocol, conn_id, fs, **kwargs)
    return _stores[name]


def _alias_of(protocol: str | None, conn_id: str | None, options: Properties | None) -> str:
    alias = f"{protocol}-{conn_id}" if conn_id else str(protocol)
    return f"{alias}-{json.dumps(options, sort_keys=True, default=repr)}" if options else alias


def detach_all() -> None:
    """Forget all stores."""
    _stores.clear()
