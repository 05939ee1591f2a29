"""What stands around a service: systemd, a PID file, questions about its health."""

import http.client
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tradewind.runtime.health_server import Answered, Asked, health_server
from tradewind.runtime.pid_file import is_process, pid_file
from tradewind.runtime.systemd import READY, notify_systemd


def test_systemd_is_told_where_it_listens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(tmp_path / "notify"))
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))

        notify_systemd(READY)

        assert listener.recv(64) == b"READY=1"


@pytest.mark.parametrize("address", ["", "/no/such/socket", "@no such name"])
def test_where_nobody_listens_nothing_happens(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", address)

    notify_systemd(READY)


def test_a_pid_file_is_there_while_the_process_is(tmp_path: Path) -> None:
    path = tmp_path / "run" / "service.pid"

    with pid_file(path):
        assert path.read_text() == f"{os.getpid()}\n"
        assert not is_process(path), "it is this process"

    assert not path.exists()


@pytest.mark.parametrize("content", ["", "no number", "999999999", "-5"])
def test_a_pid_file_that_names_nobody_is_written_anew(tmp_path: Path, content: str) -> None:
    path = tmp_path / "service.pid"
    path.write_text(content)

    with pid_file(path):
        assert path.read_text() == f"{os.getpid()}\n"


def test_a_process_that_lives_keeps_its_pid_file(tmp_path: Path) -> None:
    path = tmp_path / "service.pid"
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as living:
        path.write_text(str(living.pid))

        with pytest.raises(FileExistsError, match="which is running"), pid_file(path):
            pass

        living.communicate(b"\n")
    assert path.read_text() == str(living.pid)


def test_a_question_about_health_is_answered(tmp_path: Path) -> None:
    wells = iter([True, False])
    with health_server(("127.0.0.1", 0), lambda: next(wells)) as port:
        answers = [_get(port, path) for path in ("/health", "/health", "/", "/health?x=1")]

    assert answers == [200, 503, 404, 404]
    with pytest.raises(ConnectionError):
        _get(port, "/health")


def test_nonsense_is_answered_too(tmp_path: Path) -> None:
    with health_server(("127.0.0.1", 0), lambda: True) as port:
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(b"\x00\xff\r\n")
            assert connection.recv(64).startswith(b"HTTP/1.1 404")
        assert _get(port, "/health") == 200


def test_other_pages_are_served_by_their_path() -> None:
    """They are told the headers, and whether the question can only come from this machine; one that fails is a 500."""

    def page(asked: Asked) -> Answered:
        return Answered(200, "text/x-own", f"{asked.headers['accept']} {asked.is_local}")

    def broken(_: Asked) -> Answered:
        raise RuntimeError("no")

    pages = {"/own": page, "/broken": broken}
    with health_server(("127.0.0.1", 0), lambda: True, pages) as port:
        near = _ask(port, "/own", {"Accept": "a/b"})
        through_a_proxy = _ask(port, "/own", {"Accept": "a/b", "X-Forwarded-For": "10.0.0.1"})
        for_another_name = _ask(port, "/own", {"Accept": "a/b", "Host": "evil.example"})
        failing = _ask(port, "/broken", {})

    assert near == (200, "text/x-own", "a/b True")
    assert (through_a_proxy[2], for_another_name[2]) == ("a/b False", "a/b False")
    assert failing[0] == 500


def _get(port: int, path: str) -> int:
    return _ask(port, path, {})[0]


def _ask(port: int, path: str, headers: dict[str, str]) -> tuple[int, str | None, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.getheader("content-type"), answer.read().decode()
    finally:
        connection.close()
