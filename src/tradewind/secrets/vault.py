"""A secrets backend over HTTP: HashiCorp Vault, OpenBao, and whatever speaks their protocol (key-value, 1 and 2).

`[secrets] backend = tradewind.secrets.vault.VaultBackend`. Its arguments are called as those of Airflow's backend for
Vault, and secrets lie where that looks for them, so that either finds what was written for the other.
"""

import json
import ssl
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote
from urllib.request import Request

from tradewind.errors import SecretRefused
from tradewind.model.connection_text import from_fields, parse_connection
from tradewind.model.task_answers import ConnectionResult
from tradewind.secrets.json_over_http import NoAnswer, ask

_URI: Final = "conn_uri"
_VALUE: Final = "value"


class VaultBackend:
    """Asks for one secret at a time, and keeps none."""

    def __init__(
        self,
        url: str,
        *,
        auth_type: str = "token",
        token: str | None = None,
        token_path: str | None = None,
        role_id: str | None = None,
        secret_id: str | None = None,
        auth_mount_point: str = "approle",
        mount_point: str = "secret",
        kv_engine_version: int = 2,
        namespace: str | None = None,
        ca_path: str | None = None,
        connections_path: str | None = "connections",
        variables_path: str | None = "variables",
        config_path: str | None = "config",
    ) -> None:
        """`token_path` is a file, which an agent may write anew; a path that is None is not asked for.

        Raises:
            ValueError: it does not say how to log in, or something that there is not.
        """
        logins = {"token": token or token_path, "approle": role_id and secret_id}
        if not logins.get(auth_type):
            raise ValueError("auth_type has to be token, with token or token_path, or approle, with role_id, secret_id")
        if not url.startswith(("https://", "http://")) or kv_engine_version not in (1, 2):
            raise ValueError("url has to be one of HTTP, and kv_engine_version 1 or 2")
        self._url = url.rstrip("/")
        self._login = {"role_id": role_id, "secret_id": secret_id} if auth_type == "approle" else None
        self._login_path = f"auth/{auth_mount_point}/login"
        self._token, self._token_path = token, token_path
        self._engine = f"{mount_point}/data" if kv_engine_version == 2 else mount_point
        self._is_wrapped = kv_engine_version == 2
        self._headers = {"X-Vault-Namespace": namespace} if namespace else {}
        self._context = ssl.create_default_context(cafile=ca_path) if ca_path else None
        self._connections, self._variables, self._config = connections_path, variables_path, config_path

    def get_connection(self, conn_id: str) -> ConnectionResult | None:
        """A secret with a `conn_uri`, or with the fields of a connection."""
        found = self._read(self._connections, conn_id)
        if found is None:
            return None
        uri = found.get(_URI)
        return parse_connection(uri, conn_id) if isinstance(uri, str) else from_fields(found, conn_id)

    def get_variable(self, key: str) -> str | None:
        """A secret with a `value`."""
        return _value(self._read(self._variables, key))

    def get_config(self, key: str) -> str | None:
        """The same, for an option of the configuration."""
        return _value(self._read(self._config, key))

    def _read(self, path: str | None, name: str) -> Mapping[str, Any] | None:
        """The fields of a secret; None: there is none.

        Raises:
            SecretRefused: it must not be read.
            NoAnswer: nobody can tell.
        """
        # Names come from DAG files: none may lead out of the path.
        if path is None or not set(name.split("/")).isdisjoint({"", ".", ".."}):
            return None
        place = f"{self._engine}/{path}/{quote(name)}"
        status, answer = self._get(place)
        if status == HTTPStatus.FORBIDDEN and self._login is not None and self._token is not None:
            self._token = None  # it has expired, perhaps
            status, answer = self._get(place)
        match status:
            case HTTPStatus.OK:
                return _fields(answer, is_wrapped=self._is_wrapped, place=place)
            case HTTPStatus.NOT_FOUND:
                return None
            case HTTPStatus.FORBIDDEN:
                raise SecretRefused(f"VaultBackend does not let {name!r} be read")
            case _:
                raise NoAnswer(f"{self._url}/v1/{place} answers with status {status}")

    def _get(self, place: str) -> tuple[int, dict[str, Any]]:
        headers = {**self._headers, "X-Vault-Token": self._current_token(), "X-Vault-Request": "true"}
        return ask(Request(f"{self._url}/v1/{place}", headers=headers), self._context)

    def _current_token(self) -> str:
        if self._token_path is not None:
            return Path(self._token_path).read_text(encoding="utf-8").strip()
        if self._token is None:
            self._token = self._log_in()
        return self._token

    def _log_in(self) -> str:
        body = json.dumps(self._login).encode()
        headers = {**self._headers, "Content-Type": "application/json", "X-Vault-Request": "true"}
        status, answer = ask(Request(f"{self._url}/v1/{self._login_path}", body, headers), self._context)
        token = (answer.get("auth") or {}).get("client_token") if status == HTTPStatus.OK else None
        if not isinstance(token, str):
            raise NoAnswer(f"{self._url}/v1/{self._login_path} does not let us in: status {status}")
        return token


def _fields(answer: Mapping[str, Any], *, is_wrapped: bool, place: str) -> Mapping[str, Any]:
    found = answer.get("data")
    if is_wrapped and isinstance(found, dict):
        found = found.get("data")
    if not isinstance(found, dict):
        raise NoAnswer(f"{place} is no key-value secret of this version")
    return found


def _value(found: Mapping[str, Any] | None) -> str | None:
    value = None if found is None else found.get(_VALUE)
    return value if value is None or isinstance(value, str) else json.dumps(value)
