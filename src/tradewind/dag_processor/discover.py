"""Finds the files of a bundle that may hold DAGs, and looks again only into folders that have changed."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from tradewind.dag_files.fingerprint import Signature, is_recent, signature_of
from tradewind.dag_processor.ignore import IGNORE_FILE, IgnoreRules, InvalidPattern

LONGEST_PATH: Final = 500
_SUFFIXES: Final = (".py", ".zip")
_NEVER: Final = frozenset({"__pycache__", ".git"})


class _Identity(NamedTuple):
    device: int
    inode: int


@dataclass(slots=True)
class _Listing:
    """What was found in one folder."""

    signature: Signature
    outer_rules: IgnoreRules
    ignore_signature: Signature | None
    rules: IgnoreRules
    is_fresh: bool
    files: list[str] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    problems: dict[str, str] = field(default_factory=dict)


class Discovery:
    """The files of one folder and all below it, by paths relative to it."""

    def __init__(self, root: Path, *, syntax: str = "glob") -> None:
        self._root = str(root)
        self._rules = IgnoreRules(syntax)
        self._listings: dict[str, _Listing] = {}
        self.problems: dict[str, str] = {}
        """By path: what could not be looked at, and what to do."""
        self.is_fresh = False
        """Whether something changed so recently that a look soon is worth while."""
        self.linked_folders: set[str] = set()
        """Where symbolic links lead: folders outside of the bundle that belong to it."""

    def find(self, now_ns: int) -> Iterator[str]:
        """All files that may hold DAGs, by their name alone.

        Raises:
            OSError: the folder itself cannot be read.
        """
        os.stat(self._root)  # noqa: PTH116 - raises what a caller wants to know
        self.problems = {}
        self.is_fresh = False
        self.linked_folders = set()
        former, self._listings = self._listings, {}
        yield from self._walk("", self._rules, (), former, now_ns)

    def _walk(
        self,
        folder: str,
        outer: IgnoreRules,
        ancestors: tuple[_Identity, ...],
        former: dict[str, _Listing],
        now_ns: int,
    ) -> Iterator[str]:
        full = f"{self._root}/{folder}"
        try:
            status = os.stat(full)  # noqa: PTH116
            identity = _Identity(status.st_dev, status.st_ino)
            if identity in ancestors:
                self.problems[folder.rstrip("/")] = _loop_text(full)
                return
            known = former.get(folder)
            listing = known if known is not None and self._is_valid(known, full, outer, status) else None
            listing = listing or self._list(folder, outer, status, now_ns)
        except OSError as error:
            self.problems[folder.rstrip("/")] = f"this folder cannot be read: {error.strerror}"
            return
        self._listings[folder] = listing
        self.problems |= listing.problems
        self.is_fresh |= listing.is_fresh
        yield from listing.files
        for name in listing.folders:
            yield from self._walk(name, listing.rules, (*ancestors, identity), former, now_ns)

    def _is_valid(self, listing: _Listing, full: str, outer: IgnoreRules, status: os.stat_result) -> bool:
        if listing.is_fresh or listing.outer_rules is not outer or listing.signature != signature_of(status):
            return False
        if listing.ignore_signature is None:
            return True  # had such a file appeared, the folder would have changed
        try:
            return listing.ignore_signature == signature_of(os.stat(full + IGNORE_FILE))  # noqa: PTH116
        except OSError:
            return False

    def _list(self, folder: str, outer: IgnoreRules, status: os.stat_result, now_ns: int) -> _Listing:
        is_fresh = is_recent(status.st_mtime_ns, now_ns)
        listing = _Listing(signature_of(status), outer, None, outer, is_fresh)
        self._read_rules(folder, listing)
        with os.scandir(f"{self._root}/{folder}") as entries:
            for entry in sorted(entries, key=lambda each: each.name):
                self._take(entry, folder, listing)
        return listing

    def _read_rules(self, folder: str, listing: _Listing) -> None:
        path = Path(self._root, folder, IGNORE_FILE)
        try:
            with path.open(encoding="utf-8") as file:
                listing.ignore_signature = signature_of(os.fstat(file.fileno()))
                lines = file.read().splitlines()
            listing.rules = listing.outer_rules.within(folder, lines)
        except FileNotFoundError:
            return
        except (OSError, UnicodeDecodeError, InvalidPattern) as error:
            message = f"this file cannot be used, so nothing is ignored by it: {error}\nWhat to do: correct it"
            listing.problems[f"{folder}{IGNORE_FILE}"] = message

    def _take(self, entry: os.DirEntry[str], folder: str, listing: _Listing) -> None:
        name = entry.name
        if name in _NEVER or name.startswith(".."):
            return  # two dots: how Kubernetes names the real folders behind a mounted config map
        path = f"{folder}{name}"
        try:
            is_folder = entry.is_dir()
        except OSError:
            is_folder = False  # links that lead in a circle; told below if the name is that of a DAG file
        if is_folder and _is_text(path):
            if not listing.rules.ignores(f"{path}/"):
                listing.folders.append(f"{path}/")
                if entry.is_symlink():
                    self.linked_folders.add(os.path.realpath(entry.path))
            return
        if (not name.endswith(_SUFFIXES) and not is_folder) or listing.rules.ignores(path):
            return
        problem = _file_problem(entry, path)
        if problem is None:
            listing.files.append(path)
        else:
            listing.problems[_storable(path)] = problem


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _storable(path: str) -> str:
    """A name for a path that cannot be one in the database."""
    return path.encode("utf-8", "replace").decode()[:LONGEST_PATH]


def _file_problem(entry: os.DirEntry[str], path: str) -> str | None:
    if len(path) > LONGEST_PATH:
        return f"the path is longer than {LONGEST_PATH} characters\nWhat to do: shorten the names of file or folders"
    if not _is_text(path):
        return "the name is not UTF-8\nWhat to do: rename the file or folder"
    try:
        entry.stat()
    except FileNotFoundError:
        return "this is a symbolic link to nothing\nWhat to do: remove it, or put back what it points to"
    except OSError as error:
        return f"this file cannot be read: {error.strerror}\nWhat to do: if it is a symbolic link, see where it leads"
    return None


def _loop_text(full: str) -> str:
    return (
        f"this is a symbolic link to {os.path.realpath(full)}, a folder around it: following it would never end\n"
        f"What to do: remove the link, or name it in {IGNORE_FILE}"
    )
