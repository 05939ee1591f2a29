"""Triggers that fire when files appear. Looking at a file system blocks, so it is done in threads."""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Hashable
from glob import glob
from pathlib import Path
from typing import Any

from tradewind.sdk.triggers import BaseEventTrigger, BaseTrigger, TriggerEvent

log = logging.getLogger(__name__)


def find_file(pattern: str, *, recursive: bool) -> str | None:
    """The first path that matches and is a file, or a folder with a file anywhere below it."""
    for path in glob(pattern, recursive=recursive):  # noqa: PTH207 - the pattern may be absolute
        if Path(path).is_file() or any(files for _, _, files in os.walk(path)):
            return path
    return None


class FileTrigger(BaseTrigger):
    """Fires once when a file, or a folder with a file in it, matches `filepath`."""

    def __init__(self, filepath: str, recursive: bool = False, poke_interval: float = 5.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.filepath = filepath
        self.recursive = recursive
        self.poke_interval = poke_interval

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """What another process needs to make the same trigger."""
        arguments = {"filepath": self.filepath, "recursive": self.recursive, "poke_interval": self.poke_interval}
        return f"{__name__}.FileTrigger", arguments

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """Look until there is one."""
        while True:
            found = await asyncio.to_thread(find_file, self.filepath, recursive=self.recursive)
            if found is not None:
                break
            await asyncio.sleep(self.poke_interval)
        self.log.info("Found %s", found)
        yield TriggerEvent(True)


class FileDeleteTrigger(BaseEventTrigger):
    """Fires once when the file exists, and deletes it: for assets that a flag file announces."""

    def __init__(self, filepath: str, poke_interval: float = 5.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.filepath = filepath
        self.poke_interval = poke_interval

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """What another process needs to make the same trigger."""
        return f"{__name__}.FileDeleteTrigger", {"filepath": self.filepath, "poke_interval": self.poke_interval}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """Look until the file can be taken."""
        while not await asyncio.to_thread(_take_file, Path(self.filepath)):  # noqa: ASYNC110 - files send no events
            await asyncio.sleep(self.poke_interval)
        self.log.info("Found and deleted %s", self.filepath)
        yield TriggerEvent(True)


class DirectoryFileDeleteTrigger(BaseEventTrigger):
    """As `FileDeleteTrigger` for a file in a folder. All that watch the same folder share one look at it."""

    def __init__(self, *, directory: str, filename: str, poke_interval: float = 5.0) -> None:
        super().__init__()
        self.directory = directory
        self.filename = filename
        self.poke_interval = poke_interval

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """What another process needs to make the same trigger."""
        return (
            f"{__name__}.DirectoryFileDeleteTrigger",
            {"directory": self.directory, "filename": self.filename, "poke_interval": self.poke_interval},
        )

    def shared_stream_key(self) -> Hashable | None:
        """The same for every spelling of the folder's path."""
        return ("directory-scan", str(Path(self.directory).resolve()), self.poke_interval)

    @classmethod
    async def open_shared_stream(cls, kwargs: dict[str, Any]) -> AsyncIterator[Any]:
        """List the folder again and again.

        A folder that is missing is an empty one: it may still come. One that may not be read, or is no folder, is
        an error that only a person can mend. Other failures of the file system are waited out.
        """
        directory, poke_interval = Path(kwargs["directory"]), float(kwargs["poke_interval"])
        while True:
            try:
                names = await asyncio.to_thread(_names_in, directory)
            except (PermissionError, NotADirectoryError):
                raise
            except OSError:
                log.warning("Cannot list %s; looking again in %s s", directory, poke_interval, exc_info=True)
            else:
                yield {"directory": str(directory), "names": names}
            await asyncio.sleep(poke_interval)

    async def filter_shared_stream(self, shared_stream: AsyncIterator[Any]) -> AsyncIterator[TriggerEvent]:
        """Fire once for this trigger's own file."""
        async for listing in shared_stream:
            path = Path(listing["directory"]) / self.filename
            # Whoever deletes the file owns the event; somebody else may have been faster.
            if self.filename in listing["names"] and await asyncio.to_thread(_take_file, path):
                self.log.info("Found and deleted %s", path)
                yield TriggerEvent({"filepath": str(path)})
                return

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """The same without sharing."""
        async for event in self.filter_shared_stream(self.open_shared_stream(self.serialize()[1])):
            yield event


def _take_file(path: Path) -> bool:
    if not path.is_file():
        return False
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    return True


def _names_in(directory: Path) -> set[str]:
    try:
        return {entry.name for entry in directory.iterdir()}
    except FileNotFoundError:
        return set()
