"""What a store knows of one of its objects."""

from __future__ import annotations

from typing import Any, Self

import fsspec  # type: ignore[import-untyped]
from upath import UPath
from upath.extensions import ProxyUPath


class StoredObject(ProxyUPath):
    """The part of `ObjectStoragePath` that asks the store."""

    __slots__ = ()

    @property
    def fs(self) -> fsspec.AbstractFileSystem:
        """The store."""
        raise NotImplementedError

    @classmethod
    def cwd(cls) -> Self:
        """The current folder of this machine."""
        return cls(str(UPath.cwd()))

    @classmethod
    def home(cls) -> Self:
        """The home folder of this machine."""
        return cls(str(UPath.home()))

    def ukey(self) -> str:
        """A text that changes when the file does."""
        return str(self.fs.ukey(self.path))

    def checksum(self) -> Any:
        """The checksum of the file."""
        return self.fs.checksum(self.path)

    def size(self) -> int:
        """The size of the file in bytes."""
        return int(self.fs.size(self.path))

    def read_block(self, offset: int, length: int | None, delimiter: bytes | None = None) -> bytes:
        """Some bytes of the file; with a delimiter, from the one after `offset` to the one after the end."""
        block: bytes = self.fs.read_block(self.path, offset=offset, length=length, delimiter=delimiter)
        return block

    def sign(self, expiration: int = 100, **kwargs: Any) -> str:
        """An address under which anybody reaches the file for that many seconds."""
        return str(self.fs.sign(self.path, expiration=expiration, **kwargs))
