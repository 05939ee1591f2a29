"""One bundle as the processor knows it: its files, what each depends on, and which must be read again."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Final

from tradewind.bundles.interface import Bundle
from tradewind.dag_files.fingerprint import hash_bytes
from tradewind.dag_processor.folder import Folder
from tradewind.model.dag_file import DagFile, FileKey, FileName, FileParse

_MOST_DOUBLINGS: Final = 10
_MOST_DOUBTS: Final = 3
"""What changes whenever it is read is left alone for a while."""


@dataclass(slots=True)
class TrackedFile:
    """A file that may hold DAGs, or that cannot be looked at."""

    name: FileName
    stored: DagFile | None = None
    """What is stored of it, as far as this processor knows."""
    problem: str | None = None
    """Why it cannot even be read, if so."""
    is_forced: bool = False
    """Whether to read it although no file changed."""
    is_being_read: bool = False
    not_before: float = 0.0
    """When another look at who reads it is worth while, on the monotonic clock."""
    failures: int = 0
    doubts: int = 0
    """How often in a row something changed while it was read."""

    @property
    def key(self) -> FileKey | None:
        """Its number in the database, once it has one."""
        return None if self.stored is None else self.stored.key


@dataclass(slots=True)
class TrackedBundle:
    """The files of one bundle, by their path."""

    bundle: Bundle
    environment: str
    syntax: str = "glob"
    safe_mode: bool = True
    folder: Folder | None = None
    """None until there is a folder to look at."""
    version: str | None = None
    """Of what is in the folder."""
    stored_version: str | None = None
    """What new runs are pinned to."""
    error: str | None = None
    """Why it cannot be refreshed or looked at, if so."""
    files: dict[str, TrackedFile] = field(default_factory=dict)
    dirty: set[str] = field(default_factory=set)
    """Files that must be read again."""
    doubtful: set[str] = field(default_factory=set)
    """Files that were read while something changed: the next look decides."""
    gone: set[str] = field(default_factory=set)
    """Files that are stored but no longer there."""
    retries: dict[str, float] = field(default_factory=dict)
    """When to read a file again although nothing changed, on the monotonic clock."""
    dependents: dict[str, set[str]] = field(default_factory=dict)
    """By the path of what is depended on."""

    @property
    def name(self) -> str:
        """Of the bundle."""
        return self.bundle.name

    @property
    def is_settled(self) -> bool:
        """Whether everything that its files say is stored."""
        return self.folder is not None and not self.dirty and not self.doubtful and not self.gone

    def load(self, stored: Iterable[DagFile]) -> None:
        """What other lives of this processor, or other processors, have found out."""
        self.files = {file.name.path: TrackedFile(file.name, file) for file in stored}
        self.dirty, self.doubtful, self.gone, self.retries, self.dependents = set(), set(), set(), {}, {}
        for tracked in self.files.values():
            self._index(tracked, is_added=True)

    def enter(self, path: Path, version: str | None) -> None:
        """Begin to look at a folder, or go over to that of another version."""
        self.version = version
        if self.folder is None:
            self.folder = Folder(path, syntax=self.syntax, safe_mode=self.safe_mode)
        elif self.folder.root != path:
            self.folder.move(path)

    def look(self, now_ns: int) -> bool:
        """Find out what changed. Returns whether another look soon is worth while.

        Raises:
            OSError: the folder cannot be read. What is known stays.
        """
        assert self.folder is not None
        self.folder.forget_others(self.dependents)
        look = self.folder.look(now_ns)
        present, problems = self.folder.dag_files, self.folder.problems
        doubtful, self.doubtful = self.doubtful, set()
        touched = look.changed | doubtful | {path for each in look.changed for path in self.dependents.get(each, ())}
        for path in (*present, *problems):
            tracked = self.files.get(path)
            if tracked is None:
                self.files[path] = TrackedFile(FileName(self.name, path), problem=problems.get(path))
                self.dirty.add(path)
            elif path in touched or tracked.problem != problems.get(path):
                tracked.problem = problems.get(path)
                self._judge(tracked)
        self.gone = {path for path in self.files if path not in present and path not in problems}
        self.dirty -= self.gone
        self.doubtful -= self.gone
        return look.needs_another

    def verify(self, *, is_forced: bool = False) -> None:
        """Hold everything that is stored against the files, or have everything read again."""
        for path, tracked in self.files.items():
            if path not in self.gone:
                tracked.is_forced |= is_forced
                self._judge(tracked)

    def is_current(self, stored: DagFile) -> bool:
        """Whether what is stored of a file is what reading it now would bring."""
        tracked = self.files.get(stored.name.path)
        if tracked is not None and tracked.problem is not None:
            return stored.content_hash == problem_hash(tracked.problem)
        assert self.folder is not None
        return (
            stored.environment == self.environment
            and stored.content_hash == self.folder.content_hash(stored.name.path)
            and all(self.folder.content_hash(each.path) == each.content_hash for each in stored.dependencies)
        )

    def settle(self, tracked: TrackedFile, stored: DagFile) -> None:
        """Take over what is stored of a file, by whomever it was read."""
        self._index(tracked, is_added=False)
        tracked.stored = replace(stored, is_requested=False, claimed_by=None, claimed_until=None)
        self._index(tracked, is_added=True)
        tracked.is_being_read = tracked.is_forced = False
        self.dirty.discard(tracked.name.path)
        if self.is_current(tracked.stored):
            tracked.doubts = 0
        else:
            tracked.doubts += 1
            self.doubtful.add(tracked.name.path)

    def published(self, parse: FileParse, *, has_error: bool, now: datetime) -> TrackedFile | None:
        """Note what was stored of a file."""
        tracked = self.files.get(parse.name.path)
        if tracked is not None:
            stored = DagFile(
                parse.key,
                parse.name,
                content_hash=parse.content_hash,
                environment=parse.environment,
                dependencies=parse.dependencies,
                is_volatile=parse.is_volatile,
                parsed_at=now,
                duration_ms=parse.duration_ms,
                has_error=has_error,
            )
            self.settle(tracked, stored)
        return tracked

    def plan_retry(self, tracked: TrackedFile, now: float, interval_s: float, longest_s: float) -> None:
        """A file that failed, or that depends on the world outside, is read again after a while."""
        stored = tracked.stored
        is_broken = stored is not None and stored.has_error and tracked.problem is None
        tracked.failures = tracked.failures + 1 if is_broken else 0
        self.retries.pop(tracked.name.path, None)
        if tracked.doubts > _MOST_DOUBTS:
            self.doubtful.discard(tracked.name.path)
            self.retries[tracked.name.path] = now + interval_s
        elif is_broken:
            wait_s = interval_s * 2 ** min(tracked.failures - 1, _MOST_DOUBLINGS)
            self.retries[tracked.name.path] = now + min(wait_s, max(longest_s, interval_s))
        elif stored is not None and stored.is_volatile:
            self.retries[tracked.name.path] = now + interval_s

    def forget(self, paths: Iterable[str]) -> None:
        """Files that are gone from the database too."""
        for path in list(paths):
            tracked = self.files.pop(path, None)
            if tracked is not None:
                self._index(tracked, is_added=False)
            self.gone.discard(path)
            self.dirty.discard(path)
            self.doubtful.discard(path)
            self.retries.pop(path, None)

    def to_read(self, now: float) -> Iterator[TrackedFile]:
        """Files that must be read and that nobody is known to be reading."""
        for path in [path for path, at in self.retries.items() if now >= at]:
            del self.retries[path]
            self.files[path].is_forced = True
            self.dirty.add(path)
        for path in self.dirty:
            tracked = self.files[path]
            if not tracked.is_being_read and now >= tracked.not_before:
                yield tracked

    def next_due_at(self) -> float | None:
        """When `to_read` will have an answer that it does not have now, as things are."""
        waits = [self.files[path].not_before for path in self.dirty if not self.files[path].is_being_read]
        return min([*waits, *self.retries.values()], default=None)

    def _judge(self, tracked: TrackedFile) -> None:
        path = tracked.name.path
        is_clean = path in self.gone or (tracked.stored is not None and self.is_current(tracked.stored))
        if is_clean and not tracked.is_forced:
            self.dirty.discard(path)
        else:
            self.dirty.add(path)

    def _index(self, tracked: TrackedFile, *, is_added: bool) -> None:
        for each in tracked.stored.dependencies if tracked.stored is not None else ():
            paths = self.dependents.setdefault(each.path, set())
            if is_added:
                paths.add(tracked.name.path)
            else:
                paths.discard(tracked.name.path)
            if not paths:
                del self.dependents[each.path]


def problem_hash(problem: str) -> str:
    """What stands for the content of a file that cannot be read."""
    return f"problem:{hash_bytes(problem.encode())[:40]}"
