"""A control group of the kernel, whose processes may use only so much memory."""

import os
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil
import pytest

from tests.acceptance.deployment import until

_TREES: Final = (
    (r"^\d+:memory:(.*)$", Path("/sys/fs/cgroup/memory"), "memory.limit_in_bytes", "memory.memsw.limit_in_bytes"),
    (r"^0::(.*)$", Path("/sys/fs/cgroup"), "memory.max", "memory.swap.max"),
)
"""How this process finds its own group, where groups lie, and what limits their memory and their swap."""


@dataclass(frozen=True, slots=True)
class ControlGroup:
    """A group below that of the tests: whatever limits these limits it too."""

    folder: Path

    def take(self, process: psutil.Process) -> None:
        """From now on, what a process and its descendants allocate counts here."""
        for each in [process, *process.children(recursive=True)]:
            with suppress(ProcessLookupError):
                (self.folder / "cgroup.procs").write_text(str(each.pid))


@contextmanager
def memory_group(limit_bytes: int) -> Iterator[ControlGroup]:
    """One that is removed afterwards, when all of its processes must have ended."""
    folder = _made(limit_bytes)
    try:
        yield ControlGroup(folder)
    finally:
        # The kernel lets go of a process a little after whoever waited for it has been told of its end.
        until(lambda: _is_removed(folder), "the processes of the control group to be gone")


def _is_removed(folder: Path) -> bool:
    with suppress(OSError):
        folder.rmdir()
    return not folder.exists()


def _made(limit_bytes: int) -> Path:
    own = Path("/proc/self/cgroup").read_text(encoding="utf-8")
    problems = []
    for pattern, tree, limit, swap_limit in _TREES:
        found = re.search(pattern, own, re.MULTILINE)
        if found is None:
            continue
        folder = tree / found[1].lstrip("/") / f"tradewind_{os.urandom(4).hex()}"
        try:
            folder.mkdir()
        except OSError as error:
            problems.append(str(error))
            continue
        try:
            (folder / limit).write_text(str(limit_bytes))
        except OSError as error:
            folder.rmdir()
            problems.append(str(error))
            continue
        with suppress(OSError):  # a kernel that does not count swap
            (folder / swap_limit).write_text(str(limit_bytes if "memsw" in swap_limit else 0))
        return folder
    reason = f"NO CONTROL GROUP: what the kernel does when memory runs out is not tested: {'; '.join(problems)}"
    warnings.warn(reason, stacklevel=2)
    pytest.skip(reason)
