"""How often the kernel has killed a process of this worker because memory ran out."""

import os
import re
from pathlib import Path
from typing import Final

_COUNTERS: Final = ("memory.events", "memory.oom_control")
"""Of a control group, as its second and as its first version call them."""
_KILLS: Final = re.compile(rb"^oom_kill (\d+)$", re.MULTILINE)
_LARGEST_COUNTER: Final = 4096


class MemoryKills:
    """Counts them in the control group of this process, in which its descendants are as well.

    The kernel says how many it killed, not whom. So a process that died by SIGKILL is taken for one of them only if
    there was a kill since it began that explains no other end yet.
    """

    def __init__(self, process: Path = Path("/proc/self")) -> None:
        self._process = process
        self._counter: int | None = None
        self._explained = 0

    def count(self) -> int:
        """Since the group exists. 0 where the system does not tell."""
        if self._counter is None:
            self._counter = _open_counter(self._process)
        if self._counter < 0:
            return 0
        found = _KILLS.search(os.pread(self._counter, _LARGEST_COUNTER, 0))
        return 0 if found is None else int(found[1])

    def explain(self, count_before: int) -> bool:
        """Whether a process that died by SIGKILL, and began at that count, was killed for want of memory."""
        explained = max(count_before, self._explained)
        if self.count() <= explained:
            return False
        self._explained = explained + 1
        return True

    def close(self) -> None:
        """Nobody asks any more."""
        if self._counter is not None and self._counter >= 0:
            os.close(self._counter)
        self._counter = -1


def _open_counter(process: Path) -> int:
    try:
        groups = (process / "cgroup").read_text(encoding="utf-8").splitlines()
        mounts = (process / "mountinfo").read_text(encoding="utf-8").splitlines()
    except OSError:  # a system without control groups
        return -1
    for folder in _folders(groups, mounts):
        for name in _COUNTERS:
            try:
                return os.open(folder / name, os.O_RDONLY)
            except OSError:
                continue
    return -1


def _folders(groups: list[str], mounts: list[str]) -> list[Path]:
    """Where the group of the process may be seen. In a container only a part of the tree is mounted."""
    paths = {kinds: path for _, kinds, path in (line.split(":", 2) for line in groups)}
    found = []
    for mount in mounts:
        place, _, source = mount.partition(" - ")
        kind, _, options = source.split(" ", 2)
        root, mounted_at = place.split(" ")[3:5]
        is_first_version = kind == "cgroup" and "memory" in options.split(",")
        path = paths.get("memory") if is_first_version else paths.get("") if kind == "cgroup2" else None
        if path is None:
            continue
        inside = root == "/" or path == root or path.startswith(f"{root}/")
        found.append(Path(mounted_at, (path.removeprefix(root) if inside else "").lstrip("/")))
    return found
