"""Copies of logs in storage that outlives the machine: whatever fsspec has a file system for."""

import heapq
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import fsspec  # type: ignore[import-untyped]
from fsspec.implementations.local import LocalFileSystem  # type: ignore[import-untyped]

from tradewind.errors import SettingsError
from tradewind.model.file_system_options import file_system_options
from tradewind.model.task_answers import ConnectionResult
from tradewind.settings import LoggingSettings
from tradewind.task_logs.lines import lines_of


class RemoteLogs:
    """A folder of logs elsewhere, with the same names as here. Every method may block, and may raise `OSError`."""

    def __init__(self, url: str, options: Mapping[str, object] | None = None) -> None:
        """Nothing is asked of the storage yet.

        Args:
            url: of the folder.
            options: of fsspec's file system: keys, an end point.

        Raises:
            SettingsError: no file system is known for the URL, or it does not take the options.
        """
        try:
            self._files, root = fsspec.core.url_to_fs(url, **(options or {}))
        except (ImportError, TypeError, ValueError) as error:
            message = f"[logging] remote_base_log_folder is {url!r}, for which there is no file system: {error}"
            raise SettingsError(message) from error
        self._root: str = root.rstrip("/")

    def store(self, folder: Path, name: str, *, deletes_local: bool = False) -> None:
        """Copy a log from the folder of logs here. What other machines have added to it there is kept.

        Storing it again is safe. `deletes_local` deletes it here once it is there.
        """
        path = folder / name
        try:
            local = path.read_bytes()
        except FileNotFoundError:
            return  # nothing was logged, or it is stored already
        stored = self.read(name) or b""
        if not stored.startswith(local):
            self._write(name, local if local.startswith(stored) else _united(stored, local))
        # What was appended meanwhile belongs to the next attempt, which will store it.
        if deletes_local and path.stat().st_size == len(local):
            path.unlink()

    def size(self, name: str) -> int | None:
        """How many bytes a log has; nothing if there is none."""
        try:
            # File systems remember what they listed, and others write there too.
            self._files.invalidate_cache()
            size: int = self._files.size(f"{self._root}/{name}")
        except FileNotFoundError:
            return None
        return size

    def read(self, name: str) -> bytes | None:
        """A whole log; nothing if there is none."""
        try:
            self._files.invalidate_cache()
            content: bytes = self._files.cat_file(f"{self._root}/{name}")
        except FileNotFoundError:
            return None
        return content

    def open(self, name: str) -> BinaryIO | None:
        """A log, to be read piece by piece; nothing if there is none."""
        try:
            self._files.invalidate_cache()
            file: BinaryIO = self._files.open(f"{self._root}/{name}", "rb")
        except FileNotFoundError:
            return None
        return file

    def names_like(self, name: str) -> list[str]:
        """The names of all logs that begin like this one, in the same folder."""
        folder = name.rpartition("/")[0]
        try:
            self._files.invalidate_cache()
            paths: list[str] = self._files.ls(f"{self._root}/{folder}", detail=False)
        except FileNotFoundError:
            return []
        found = [f"{folder}/{path.rstrip('/').rpartition('/')[2]}" for path in paths]
        return sorted(each for each in found if each.startswith(name))

    def _write(self, name: str, content: bytes) -> None:
        path = f"{self._root}/{name}"
        try:
            self._files.pipe_file(path, content)
        except FileNotFoundError:
            # The folder is missing. A bucket is not made, for it would belong to nobody: a wrong name is an error.
            if not isinstance(self._files, LocalFileSystem) and not self._files.exists(self._root):
                raise
            self._files.makedirs(path.rpartition("/")[0], exist_ok=True)
            self._files.pipe_file(path, content)


def _united(stored: bytes, local: bytes) -> bytes:
    """The lines of both, each once, by their time."""
    both = (lines_of(io.BytesIO(content), keeps_unfinished=True) for content in (stored, local))
    lines = dict.fromkeys(line.raw for line in heapq.merge(*both, key=lambda line: line.at))
    return b"".join(line + b"\n" for line in lines)


def make_remote_logs(settings: LoggingSettings, connection: ConnectionResult | None = None) -> RemoteLogs | None:
    """The remote logs of a deployment, if it has any.

    Args:
        settings: of the deployment.
        connection: the one that `remote_log_conn_id` names.

    Raises:
        SettingsError: they are wrongly described.
    """
    if not settings.remote_logging:
        return None
    if not settings.remote_base_log_folder:
        raise SettingsError("[logging] remote_logging is on, but remote_base_log_folder does not say where")
    return RemoteLogs(settings.remote_base_log_folder, {} if connection is None else _options(connection))


def _options(connection: ConnectionResult) -> dict[str, Any]:
    extra: Any = json.loads(connection.extra) if connection.extra else {}
    return file_system_options(connection.conn_type, connection.login, connection.password, extra)
