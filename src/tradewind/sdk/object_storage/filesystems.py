"""Which file system serves a scheme: those registered here, those of provider packages, and those of fsspec itself."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import fsspec  # type: ignore[import-untyped]
from fsspec.implementations.local import LocalFileSystem  # type: ignore[import-untyped]

from tradewind.model.file_system_options import file_system_options
from tradewind.sdk.connection import Connection
from tradewind.sdk.module_loading import import_string
from tradewind.sdk.provider_registry import provider_registry

Properties = dict[str, Any]
"""Storage options."""
Factory = Callable[..., fsspec.AbstractFileSystem]
"""Makes a file system of a connection id and, if it takes a second argument, storage options."""


def _local(_: str | None, storage_options: Properties) -> fsspec.AbstractFileSystem:
    return LocalFileSystem(**storage_options)


_registered: dict[str, Factory] = {"file": _local, "local": _local}


def register_filesystem(scheme: str, factory: Factory) -> None:
    """Serve a scheme with file systems that `factory` makes."""
    _registered[scheme] = factory


def get_fs(
    scheme: str, conn_id: str | None = None, storage_options: Properties | None = None
) -> fsspec.AbstractFileSystem:
    """The file system of a scheme, reached with a connection if one is named.

    Where no provider package makes it of a connection, fsspec's own one gets what the connection says.
    """
    options = dict(storage_options or {})
    factory = _factory_of(scheme)
    if factory is None:
        return _fsspec_class(scheme)(**{**_options_of(conn_id), **options})
    if len(inspect.signature(factory).parameters) > 1:
        return factory(conn_id, options)
    if options:
        raise ValueError(f"the file system for {scheme}:// takes no storage options, but {sorted(options)} are given")
    return factory(conn_id)


def _options_of(conn_id: str | None) -> Properties:
    if conn_id is None:
        return {}
    found: Connection = Connection.get(conn_id)
    return file_system_options(found.conn_type, found.login, found.password, found.extra_dejson)


def has_fs(scheme: str) -> bool:
    """Whether there is a file system for a scheme."""
    if _factory_of(scheme) is not None:
        return True
    try:
        _fsspec_class(scheme)
    except ValueError:
        return False
    return True


def _factory_of(scheme: str) -> Factory | None:
    if scheme in _registered:
        return _registered[scheme]
    for path in provider_registry().filesystem_modules:
        module: Any = import_string(path)
        if scheme in getattr(module, "schemes", ()):
            factory: Factory = module.get_fs
            return factory
    return None


def _fsspec_class(scheme: str) -> type[fsspec.AbstractFileSystem]:
    try:
        found: type[fsspec.AbstractFileSystem] = fsspec.get_filesystem_class(scheme)
    except (ImportError, ValueError) as error:
        raise ValueError(f"there is no file system for {scheme}://: {error}") from error
    return found
