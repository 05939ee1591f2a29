"""A git repository: a mirror of it, and a folder for each version that somebody uses.

A version is never changed once it is there, so whoever reads it reads one state of the repository, and a run that is
pinned to it finds its code for as long as it is used.
"""

import fcntl
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Final

from tradewind.errors import BundleError

_LONGEST_COMMAND_S: Final = 600.0
_COMMIT: Final = re.compile(r"[0-9a-f]{40,64}")
_QUIET: Final = {"GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "", "GIT_LFS_SKIP_SMUDGE": "0"}
_HEADS_AND_TAGS: Final = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
_CREDENTIALS: Final = re.compile(r"(\w+://)[^/@\s]+@")


class GitBundle:
    """Implements `interface.Bundle` and `interface.Versioned` with the command `git`."""

    supports_versioning = True

    def __init__(
        self,
        name: str,
        *,
        storage: Path,
        repo_url: str,
        tracking_ref: str,
        subdir: str | None = None,
        sparse_dirs: Sequence[str] = (),
        refresh_interval: float = 300.0,
        environ: Mapping[str, str],
    ) -> None:
        """`tracking_ref` is a branch, a tag or a commit; `subdir` the folder of the repository that has the DAG files;
        `sparse_dirs` are the folders to check out, if not all."""
        self._name = name
        self._folder = storage / name
        self._repo_url = repo_url
        self._tracking_ref = tracking_ref
        self._subdir = subdir or ""
        self._sparse_dirs = tuple(sparse_dirs)
        self.refresh_interval = refresh_interval
        self._environ = {**environ, **_QUIET}
        self._version: str | None = None

    @property
    def name(self) -> str:
        return self._name

    @property
    def path(self) -> Path:
        """See `Bundle.path`."""
        if self._version is None:
            raise BundleError(f"bundle {self._name!r} was not fetched yet")
        return self._checked_out(self._version) / self._subdir

    def initialize(self) -> None:
        """See `Bundle.initialize`."""
        self.refresh()

    def refresh(self) -> None:
        """See `Bundle.refresh`."""
        with self._locked():
            self._fetch()
            version = self._resolve(self._tracking_ref)
            self._check_out(version)
        self._version = version

    def get_current_version(self) -> str | None:
        """See `Bundle.get_current_version`."""
        return self._version

    def path_of(self, version: str) -> Path:
        """See `Versioned.path_of`."""
        if _COMMIT.fullmatch(version) is None:
            raise BundleError(f"bundle {self._name!r}: {version!r} is not the id of a commit")
        with self._locked():
            if not self._checked_out(version).is_dir() and not self._has(version):
                self._fetch()
                self._resolve(version)
            self._check_out(version)
        return self._checked_out(version) / self._subdir

    def prune(self, unused_since: datetime, keep: int) -> list[str]:
        """See `Versioned.prune`."""
        with self._locked():
            versions = [path.name for path in self._versions.glob("*") if _COMMIT.fullmatch(path.name)]
            by_use = sorted(versions, key=self._used_at, reverse=True)
            old = [each for each in by_use[keep:] if self._used_at(each) < unused_since.timestamp()]
            gone = [each for each in old if each != self._version]
            for version in gone:
                shutil.rmtree(self._checked_out(version), ignore_errors=True)
                self._marker(version).unlink(missing_ok=True)
        return gone

    @property
    def _mirror(self) -> Path:
        return self._folder / "bare"

    @property
    def _versions(self) -> Path:
        return self._folder / "versions"

    def _checked_out(self, version: str) -> Path:
        return self._versions / version

    def _marker(self, version: str) -> Path:
        """A file whose date says when the version was last used."""
        return self._folder / "used" / version

    def _used_at(self, version: str) -> float:
        marker = self._marker(version)
        return marker.stat().st_mtime if marker.exists() else 0.0

    def _fetch(self) -> None:
        if not self._mirror.is_dir():
            half = self._folder / "bare.half"
            shutil.rmtree(half, ignore_errors=True)
            self._git("clone", "--quiet", "--bare", "--", self._repo_url, str(half))
            half.rename(self._mirror)
            return
        # The address may have changed in the configuration, so it is not taken from the mirror.
        self._in_mirror("fetch", "--quiet", "--prune", "--force", "--", self._repo_url, *_HEADS_AND_TAGS)

    def _resolve(self, ref: str) -> str:
        for candidate in (f"refs/heads/{ref}", f"refs/tags/{ref}", ref):
            if self._has(candidate):
                name = f"{candidate}^{{commit}}"
                return self._in_mirror("rev-parse", "--verify", "--quiet", "--end-of-options", name).strip()
        raise BundleError(
            f"bundle {self._name!r}: the repository has no branch, tag or commit {ref!r}; correct tracking_ref"
        )

    def _has(self, name: str) -> bool:
        try:
            self._in_mirror("cat-file", "-e", f"{name}^{{commit}}")
        except BundleError:
            return False
        return not name.startswith("-")

    def _check_out(self, version: str) -> None:
        """Make the version's folder, whole or not at all, and note that it is used."""
        self._marker(version).parent.mkdir(exist_ok=True)
        self._marker(version).touch()
        target = self._checked_out(version)
        if target.is_dir():
            return
        half = target.with_name(f"{version}.half")
        shutil.rmtree(half, ignore_errors=True)
        half.mkdir(parents=True)
        index = self._folder / f"{version}.index"
        folders = self._sparse_dirs or (".",)
        try:
            self._in_mirror(
                f"--work-tree={half}", "checkout", "--force", version, "--", *folders, index=str(index), folder=half
            )
        finally:
            index.unlink(missing_ok=True)
        if not (half / self._subdir).is_dir():
            shutil.rmtree(half, ignore_errors=True)
            raise BundleError(
                f"bundle {self._name!r}: version {version} of the repository has no folder {self._subdir!r};"
                " correct subdir"
            )
        half.rename(target)

    def _in_mirror(self, *arguments: str, index: str | None = None, folder: Path | None = None) -> str:
        more = {} if index is None else {"GIT_INDEX_FILE": index}
        return self._git(f"--git-dir={self._mirror}", *arguments, environ=more, folder=folder)

    def _git(self, *arguments: str, environ: Mapping[str, str] | None = None, folder: Path | None = None) -> str:
        command = ["git", *arguments]
        try:
            done = subprocess.run(
                command,
                env={**self._environ, **(environ or {})},
                cwd=folder,
                capture_output=True,
                timeout=_LONGEST_COMMAND_S,
                check=False,
                stdin=subprocess.DEVNULL,
                text=True,
                errors="replace",
            )
        except FileNotFoundError as error:
            raise BundleError(f"bundle {self._name!r} needs the program git, which is not installed") from error
        except subprocess.TimeoutExpired as error:
            raise BundleError(f"bundle {self._name!r}: git gave no answer in {_LONGEST_COMMAND_S:g} s") from error
        if done.returncode:
            said = _CREDENTIALS.sub(r"\1", done.stderr.strip())
            raise BundleError(f"bundle {self._name!r}: git {_word(arguments)} failed: {said}")
        return done.stdout

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """One process at a time: the storage may be shared by processors and workers."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self._folder / "lock", os.O_CREAT | os.O_RDWR, 0o644)
        except OSError as error:
            raise BundleError(f"bundle {self._name!r} cannot be kept in {self._folder}: {error.strerror}") from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        except OSError as error:
            raise BundleError(f"bundle {self._name!r}: {error}") from error
        finally:
            os.close(descriptor)


def _word(arguments: Sequence[str]) -> str:
    return next((word for word in arguments if not word.startswith("-")), "")
