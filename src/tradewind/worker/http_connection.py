"""A connection to the Execution API that stays open from one request to the next."""

import http.client
import select
import ssl
from contextlib import suppress
from urllib.parse import urlsplit

from tradewind.errors import DatabaseUnavailable, SettingsError

_FOLDER = "/execution"


class HttpConnection:
    """Asks one server, one question at a time."""

    def __init__(self, url: str, timeout_s: float) -> None:
        """`url` is that of the web server, or of its `/execution`.

        Raises:
            SettingsError: it is no URL of a web server.
        """
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise SettingsError(f"[core] execution_api_server_url is {url!r}; expected one such as http://host:8080")
        self._url = url
        path = parts.path.rstrip("/")
        self._path = path if path.endswith(_FOLDER) else path + _FOLDER
        self._connection = _connection(parts.scheme, parts.hostname, parts.port, timeout_s)

    def ask(self, method: str, path: str, token: str, body: bytes = b"") -> tuple[int, bytes]:
        """The status and the body of an answer.

        Raises:
            DatabaseUnavailable: there is none. Whether the server has done what it was asked for is unknown.
        """
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._close_if_over()
        try:
            # A server that does not want all of it may say so, and hang up, before it has read it.
            with suppress(BrokenPipeError, ConnectionResetError):
                self._connection.request(method, self._path + path, body, headers)
            with self._connection.getresponse() as response:
                return response.status, response.read()
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()
            reason = str(error) or type(error).__name__
            raise DatabaseUnavailable(f"the Execution API at {self._url} gives no answer: {reason}") from error

    def close(self) -> None:
        """Hang up."""
        self._connection.close()

    def _close_if_over(self) -> None:
        """A server hangs up when it was not asked for a while: better to know before something is sent."""
        connection = self._connection.sock
        if connection is not None and select.select([connection], [], [], 0)[0]:
            self._connection.close()


def _connection(scheme: str, host: str, port: int | None, timeout_s: float) -> http.client.HTTPConnection:
    if scheme == "http":
        return http.client.HTTPConnection(host, port, timeout=timeout_s)
    return http.client.HTTPSConnection(host, port, timeout=timeout_s, context=ssl.create_default_context())
