"""The connection of a worker to the Execution API (D1)."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from tests.web_server import web_server
from tradewind.errors import DatabaseUnavailable, SettingsError
from tradewind.worker.http_connection import HttpConnection

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


@contextmanager
def listening(serve: Callable[[socket.socket], None]) -> Iterator[str]:
    """A server that does as it is told with each connection."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def work() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                with connection:
                    serve(connection)

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)
    thread.join(10)


@pytest.mark.parametrize("suffix", ["", "/", "/execution", "/execution/", "/behind/a/proxy/"])
def test_a_server_is_found_by_its_url_or_by_that_of_the_api(suffix: str) -> None:
    with web_server() as web:
        connection = HttpConnection(f"{web.url}{suffix}", 5.0)

        assert connection.ask("POST", "/exchange", "secret", b"{}") == (200, b"ok")
        connection.close()

    (asked,) = web.asked
    assert asked.path == ("/behind/a/proxy" if "proxy" in suffix else "") + "/execution/exchange"
    assert (asked.headers["Authorization"], asked.body) == ("Bearer secret", "{}")


@pytest.mark.parametrize("url", ["", "server", "server:8080", "ftp://server", "http://"])
def test_what_is_no_url_of_a_server_is_refused(url: str) -> None:
    with pytest.raises(SettingsError, match="execution_api_server_url"):
        HttpConnection(url, 5.0)


def test_one_connection_serves_many_questions_and_is_opened_again_when_the_server_hung_up() -> None:
    connections: list[int] = []
    hung_up = threading.Semaphore(0)

    def serve(connection: socket.socket) -> None:
        connections.append(0)
        for _ in range(2):
            assert connection.recv(65_536)
            connections[-1] += 1
            connection.sendall(ANSWER)
        connection.close()
        hung_up.release()

    with listening(serve) as url:
        connection = HttpConnection(url, 5.0)
        answers = []
        for _ in range(2):
            answers += [connection.ask("POST", "/heartbeat", "t", b"") for _ in range(2)]
            assert hung_up.acquire(timeout=10)
        connection.close()

    assert answers == [(200, b"ok")] * 4
    assert connections == [2, 2]


def test_a_server_that_is_away_gives_no_answer_until_it_is_back() -> None:
    with web_server() as web:
        connection = HttpConnection(web.url, 5.0)
        assert connection.ask("POST", "/x", "t")[0] == 200
    with pytest.raises(DatabaseUnavailable, match="gives no answer"):
        connection.ask("POST", "/x", "t")


def test_so_does_one_that_says_nothing() -> None:
    release = threading.Event()
    with listening(lambda _: bool(release.wait(10))) as url:  # type: ignore[arg-type]
        connection = HttpConnection(url, 0.05)
        with pytest.raises(DatabaseUnavailable, match="gives no answer"):
            connection.ask("POST", "/x", "t")
        release.set()


def test_one_that_refuses_what_it_has_not_read_is_heard() -> None:
    def serve(connection: socket.socket) -> None:
        connection.recv(10)
        connection.sendall(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(1 << 20):
            pass

    with listening(serve) as url:
        connection = HttpConnection(url, 5.0)
        assert connection.ask("POST", "/exchange", "t", b"x" * 5_000_000)[0] == 413
        connection.close()
