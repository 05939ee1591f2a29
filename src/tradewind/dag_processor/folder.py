"""What the files of a bundle contain, and which of them have changed since the last look.

A look costs one system call for each file and folder. Contents are read only where that showed a difference, and only a
new content counts as a change: a file that was merely touched has not changed.
"""

import io
import os
import zipfile
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from tradewind.dag_files.fingerprint import Signature, hash_bytes, hash_path, is_recent, signature_of
from tradewind.dag_processor.discover import Discovery
from tradewind.dag_processor.heuristic import might_contain_dag


@dataclass(slots=True)
class KnownFile:
    """A file, or something else that a DAG file depends on, as it was at the last look."""

    signature: Signature | None
    content_hash: str
    is_fresh: bool = False
    may_have_dags: bool = False


@dataclass(slots=True)
class Look:
    """What one look showed."""

    changed: set[str] = field(default_factory=set)
    """Paths whose content is new, or that came or went."""
    needs_another: bool = False
    """Something changed so recently that it may have changed again unseen."""


class Folder:
    """The files of one bundle, by paths relative to it, and whatever else its DAG files depend on."""

    def __init__(self, root: Path, *, syntax: str = "glob", safe_mode: bool = True) -> None:
        self.root = root
        self._syntax = syntax
        self._safe_mode = safe_mode
        self._discovery = Discovery(root, syntax=syntax)
        self._files: dict[str, KnownFile] = {}
        self._others: dict[str, KnownFile] = {}

    @property
    def problems(self) -> dict[str, str]:
        """By path: what could not be looked at, and what to do."""
        return self._discovery.problems

    @property
    def linked_folders(self) -> set[str]:
        """Folders outside of the bundle that belong to it by symbolic links."""
        return self._discovery.linked_folders

    @property
    def dag_files(self) -> dict[str, KnownFile]:
        """Those that may hold DAGs."""
        return {path: file for path, file in self._files.items() if file.may_have_dags}

    def move(self, root: Path) -> None:
        """The same files are elsewhere now, such as in the folder of a newer version."""
        self.root = root
        self._discovery = Discovery(root, syntax=self._syntax)
        for known in (*self._files.values(), *self._others.values()):
            known.signature = None

    def look(self, now_ns: int) -> Look:
        """Look at everything.

        Raises:
            OSError: the folder itself cannot be read. What is known stays.
        """
        look = Look()
        found = list(self._discovery.find(now_ns))
        former, self._files = self._files, {}
        for path in found:
            self._look_at(path, former.pop(path, None), look, now_ns)
        look.changed.update(former)
        for path, known in list(self._others.items()):
            if path in self._files:
                del self._others[path]
            else:
                self._look_at_other(path, known, look, now_ns)
        look.needs_another |= self._discovery.is_fresh
        return look

    def content_hash(self, path: str) -> str:
        """Of a file of the bundle or of anything else; from now on, `look` tells when it changes."""
        known = self._files.get(path) or self._others.get(path)
        if known is None:
            full = self._full(path)
            known = self._others[path] = KnownFile(_signature(full), hash_path(full))
        return known.content_hash

    def mtime_ns(self, path: str) -> int:
        """When a file of the bundle was written last; 0 if that is not known."""
        known = self._files.get(path)
        return 0 if known is None or known.signature is None else known.signature.mtime_ns

    def forget_others(self, needed: Collection[str]) -> None:
        """Look no longer at what no DAG file depends on."""
        self._others = {path: known for path, known in self._others.items() if path in needed}

    def _look_at(self, path: str, known: KnownFile | None, look: Look, now_ns: int) -> None:
        full = self._full(path)
        signature = _signature(full)
        if signature is None:
            if known is not None:
                look.changed.add(path)
            return
        if known is not None and known.signature == signature and not known.is_fresh:
            self._files[path] = known
            return
        try:
            data = Path(full).read_bytes()
            content_hash = hash_bytes(data)
            has_dags = _zip_has_dags if path.endswith(".zip") else might_contain_dag
            may_have_dags = not self._safe_mode or has_dags(data)
        except OSError as error:
            # Parsing it tells people the reason; whether there is one is part of what it contains.
            content_hash, may_have_dags = f"unreadable:{error.errno}", True
        is_fresh = is_recent(signature.mtime_ns, now_ns)
        look.needs_another |= is_fresh
        if known is None or known.content_hash != content_hash:
            look.changed.add(path)
        self._files[path] = KnownFile(signature, content_hash, is_fresh, may_have_dags)

    def _look_at_other(self, path: str, known: KnownFile, look: Look, now_ns: int) -> None:
        full = self._full(path)
        signature = _signature(full)
        if signature == known.signature and not known.is_fresh:
            return
        content_hash = hash_path(full)
        if content_hash != known.content_hash:
            look.changed.add(path)
        is_fresh = signature is not None and is_recent(signature.mtime_ns, now_ns)
        look.needs_another |= is_fresh
        self._others[path] = KnownFile(signature, content_hash, is_fresh)

    def _full(self, path: str) -> str:
        return path if path.startswith("/") else f"{self.root}/{path}"


def _signature(full: str) -> Signature | None:
    try:
        return signature_of(os.stat(full))  # noqa: PTH116 - once for each file in each look
    except OSError:
        return None


def _zip_has_dags(data: bytes) -> bool:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [name for name in archive.namelist() if name.endswith(".py") and "/" not in name]
            return any(might_contain_dag(archive.read(name)) for name in members)
    except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError, EOFError, ValueError):
        return True  # parsing it tells what is wrong
