"""Indexes of Python packages, by connection."""

from base64 import b64encode
from importlib import import_module
from typing import Any
from urllib.parse import quote, urlparse

from tradewind.sdk.hook import BaseHook

_TEST_TIMEOUT_S = 30


class PackageIndexHook(BaseHook):
    """The address of an index: host, user and password of a connection of type `package_index`."""

    conn_name_attr = "pi_conn_id"
    default_conn_name = "package_index_default"
    conn_type = "package_index"
    hook_name = "Package Index (Python)"

    def __init__(self, pi_conn_id: str = default_conn_name, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.pi_conn_id = pi_conn_id
        self.conn = None

    @classmethod
    def get_ui_field_behaviour(cls) -> dict[str, Any]:
        """The form has an address, a user and a password."""
        return {
            "hidden_fields": ["schema", "port", "extra"],
            "relabeling": {"host": "Package Index URL"},
            "placeholders": {
                "host": "https://packages.example.com/simple",
                "login": "user of the package index",
                "password": "password of that user, masked in logs",
            },
        }

    def get_conn(self) -> str:
        """The address with user and password in it."""
        return self.get_connection_url()

    def get_connection_url(self) -> str:
        """The address with user and password in it."""
        connection = self.get_connection(self.pi_conn_id)
        if not connection.host:
            raise ValueError(f"connection {self.pi_conn_id!r} has no host: put the address of the package index there")
        url = urlparse(connection.host)
        place = url.netloc.rpartition("@")[2]
        if connection.login:
            password = f":{quote(connection.password, safe='')}" if connection.password else ""
            place = f"{quote(connection.login, safe='')}{password}@{place}"
        return url._replace(netloc=place).geturl()

    def test_connection(self) -> tuple[bool, str]:
        """Whether the index answers."""
        connection = self.get_connection(self.pi_conn_id)
        if not connection.host:
            return False, f"connection {self.pi_conn_id!r} has no host: put the address of the package index there"
        # Not at the top: virtual environments need the address only, and this brings much.
        web = import_module("urllib.request")
        request = web.Request(connection.host, method="GET")
        if connection.login:
            credentials = f"{connection.login}:{connection.password or ''}"
            request.add_header("Authorization", f"Basic {b64encode(credentials.encode()).decode()}")
        try:
            with web.urlopen(request, timeout=_TEST_TIMEOUT_S):
                return True, f"{connection.host} answers"
        except (OSError, ValueError) as failure:
            return False, f"{connection.host} does not answer as a package index should: {failure}"
