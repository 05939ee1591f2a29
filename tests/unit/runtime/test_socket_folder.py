"""Homes may have long paths, which no socket may have (A8)."""

import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tradewind.runtime.socket_folder import make_socket_folder, make_worker_folder, socket_folder, worker_folder
from tradewind.runtime.wakeup import SocketWakeup

LONG = "a home with a name that is much too long for a socket to lie anywhere in it, says the kernel of every system"


@pytest.fixture
def short() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="tw-", dir="/tmp") as folder:
        yield Path(folder)


@pytest.fixture
def temporary(short: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where files for a short time go."""
    monkeypatch.setattr(tempfile, "tempdir", str(short))
    return short


def test_a_short_path_stays_as_it_is(short: Path) -> None:
    assert make_worker_folder(short, "LocalExecutor") == short / "worker" / "LocalExecutor"
    assert worker_folder(short, "LocalExecutor").stat().st_mode & 0o077 == 0


def test_services_of_a_home_with_a_long_path_wake_one_another(tmp_path: Path, temporary: Path) -> None:
    home = tmp_path / LONG
    with (
        closing(SocketWakeup(home / "wakeup", "4194304-0a1b2c3d")) as waiting,
        closing(SocketWakeup(home / "wakeup")) as waking,
    ):
        waiting.listen()

        waking.wake()

        assert waiting.wait(10.0)


def test_where_temporary_files_have_long_paths_too_sockets_lie_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / LONG))
    folder = make_worker_folder(tmp_path / LONG, "LocalExecutor")

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / f"socket.{os.getpid()}"))

    assert folder != worker_folder(tmp_path / LONG, "OtherExecutor")
    (folder / f"socket.{os.getpid()}").unlink()
    folder.rmdir()


def test_a_folder_that_others_may_enter_is_not_used(tmp_path: Path, temporary: Path) -> None:
    socket_folder(tmp_path / LONG).mkdir(mode=0o755)

    with pytest.raises(PermissionError, match="only its owner"):
        make_socket_folder(tmp_path / LONG)
