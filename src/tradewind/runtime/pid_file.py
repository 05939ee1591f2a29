"""A file that says which process a service is."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def pid_file(path: Path | None) -> Iterator[None]:
    """The file for as long as a block runs; none if no path is given.

    Raises:
        FileExistsError: it names a process that lives.
    """
    if path is None:
        yield
        return
    if is_process(path):
        raise FileExistsError(f"{path} names the process {path.read_text().strip()}, which is running")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{os.getpid()}\n", encoding="ascii")
    try:
        yield
    finally:
        if path.exists() and path.read_text(encoding="ascii", errors="replace").strip() == str(os.getpid()):
            path.unlink(missing_ok=True)


def is_process(path: Path) -> bool:
    """Whether a file names a process that lives, other than this one."""
    try:
        process = int(path.read_text(encoding="ascii"))
        os.kill(process, 0)
    except PermissionError:
        return True  # somebody else's
    except (OSError, ValueError):
        return False
    return process != os.getpid()
