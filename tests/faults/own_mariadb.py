"""A MariaDB server of a test's own, which it may stop and start."""

import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.pool import NullPool

from tests.acceptance.deployment import until

_PATIENCE_S = 60.0


class OwnMariaDB:
    """In a folder that nobody else uses, at a port that was free."""

    def __init__(self, folder: Path, program: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port: int = free.getsockname()[1]
        self._folder = folder
        self._program = program
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Of its database."""
        return f"mysql+pymysql://root@127.0.0.1:{self._port}/tradewind"

    def start(self) -> None:
        """With all that it had before."""
        options = {
            "datadir": self._folder / "data",
            "socket": self._folder / "socket",
            "pid-file": self._folder / "pid",
            "bind-address": "127.0.0.1",
            "port": self._port,
            "user": "root",
            "innodb-buffer-pool-size": "32M",
            "log-error": self._folder / "log",
        }
        words = ["--no-defaults", *(f"--{name}={value}" for name, value in options.items())]
        self._process = subprocess.Popen([self._program, *words])
        server = sa.create_engine(f"mysql+pymysql://root@127.0.0.1:{self._port}/", poolclass=NullPool)

        def answers() -> bool:
            try:
                with server.begin() as connection:
                    connection.execute(sa.text("create database if not exists tradewind"))
            except sa.exc.OperationalError:
                return False
            return True

        until(answers, "the server to answer", within_s=_PATIENCE_S)

    def stop(self) -> None:
        """Whoever is connected is thrown out."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait(_PATIENCE_S)
            self._process = None


@contextmanager
def own_mariadb() -> Iterator[OwnMariaDB]:
    """For as long as the block runs. Where it is not installed, the test is skipped."""
    program, installer = shutil.which("mariadbd"), shutil.which("mariadb-install-db")
    if program is None or installer is None:
        pytest.skip("no MariaDB of one's own: mariadbd and mariadb-install-db are not installed")
    with tempfile.TemporaryDirectory(prefix="tradewind-mariadb-") as name:
        folder = Path(name)
        words = [f"--datadir={folder / 'data'}", "--user=root", "--auth-root-authentication-method=normal"]
        made = subprocess.run(
            [installer, "--no-defaults", *words, "--skip-test-db"],
            check=False,
            capture_output=True,
            timeout=_PATIENCE_S,
        )
        if made.returncode != 0:
            pytest.skip(f"no MariaDB of one's own: {made.stderr.decode(errors='replace')[-300:]}")
        server = OwnMariaDB(folder, program)
        try:
            server.start()
            yield server
        finally:
            server.stop()
