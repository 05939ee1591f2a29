"""Files wherever they are: paths on object stores and other file systems, through fsspec and universal-pathlib.

Start with `path.py`. Names are loaded when they are first used: only `path` needs universal-pathlib.
"""

from importlib import import_module
from typing import Any

_HOME = {
    "ObjectStoragePath": "path",
    "ObjectStore": "store",
    "Properties": "filesystems",
    "attach": "store",
    "get_fs": "filesystems",
    "has_fs": "filesystems",
    "register_filesystem": "filesystems",
}

__all__ = sorted(_HOME)  # noqa: PLE0605 - the table above is the list


def __getattr__(name: str) -> Any:
    """Load a name from its module."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value
