"""Copying from one store to another."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from tradewind.sdk.lineage import get_hook_lineage_collector

if TYPE_CHECKING:
    from tradewind.sdk.object_storage.path import ObjectStoragePath


def note_copy(source: ObjectStoragePath, target: ObjectStoragePath) -> None:
    """Tell the lineage collector."""
    collector = get_hook_lineage_collector()
    collector.add_input_asset(source, uri=str(source))
    collector.add_output_asset(target, uri=str(target))


def copy_folder(source: ObjectStoragePath, target: ObjectStoragePath) -> None:
    """Copy all files below `source`; their keys stay the same below `target`."""
    if target.is_file():
        raise ValueError(f"the folder {source} cannot be copied to the file {target}")
    target.mkdir(exist_ok=True, parents=True)
    for path in source.fs.find(source.path):
        one = type(source)(path, protocol=source.protocol, conn_id=source.conn_id, **source.storage_options)
        copy_file(one, target)


def copy_file(source: ObjectStoragePath, target: ObjectStoragePath) -> None:
    """Copy one file through this machine."""
    if not target.key or target.key.endswith(source.sep):
        target.mkdir(exist_ok=True, parents=True)
        target /= source.key
    elif target.is_dir():
        target /= source.key
    with source.open("rb") as read, target.open("wb") as written:
        shutil.copyfileobj(read, written)
