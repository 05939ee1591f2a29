"""`WebhookNotifier`: tells by a request to a web address."""

from __future__ import annotations

import asyncio
import base64
import json as json_format
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.error import HTTPError
from urllib.parse import quote, urljoin, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from tradewind.sdk.connection import Connection
from tradewind.sdk.context import Context
from tradewind.sdk.exceptions import AirflowException
from tradewind.sdk.notifier import BaseNotifier

_LONGEST_ANSWER: Final = 10_000
_FACTS: Final = ("dag_id", "run_id", "task_id", "map_index", "try_number")


class WebhookNotifier(BaseNotifier):
    """Sends a request with `json` (any value; its texts are templates) or with the text `data` as its body.

    Without either, the body says which task of which run is in which state, and why. The address is `url`, or that of
    a connection as for Airflow's HTTP hook: host, schema (the protocol), port, login and password; its extras are
    headers. Whatever is no success (a status from 200 to 299) is an error, and goes to the log of the task.
    """

    template_fields: Sequence[str] = ("url", "endpoint", "json", "data", "headers")

    def __init__(
        self,
        url: str | None = None,
        *,
        http_conn_id: str | None = None,
        endpoint: str | None = None,
        method: str = "POST",
        json: Any = None,
        data: str | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float = 30,
        context: Context | None = None,
    ) -> None:
        super().__init__(context)
        if (url is None) == (http_conn_id is None):
            raise ValueError("a WebhookNotifier needs either a url or a http_conn_id")
        if json is not None and data is not None:
            raise ValueError("a WebhookNotifier sends either json or data, not both")
        self.url = url
        self.http_conn_id = http_conn_id
        self.endpoint = endpoint
        self.method = method
        self.json = json
        self.data = data
        self.headers = dict(headers or {})
        self.timeout = timeout

    def notify(self, context: Context) -> None:
        url, headers = self._target()
        if self.data is not None:
            body, kind = self.data.encode(), "text/plain; charset=utf-8"
        else:
            body, kind = json_format.dumps(self._content(context), default=str).encode(), "application/json"
        send(url, body, {"Content-Type": kind, **headers, **self.headers}, method=self.method, timeout_s=self.timeout)

    async def async_notify(self, context: Context) -> None:
        await asyncio.to_thread(self.notify, context)

    def _content(self, context: Context) -> Any:
        return facts(context) if self.json is None else self.json

    def _target(self) -> tuple[str, dict[str, str]]:
        if self.http_conn_id is None:
            base, headers = str(self.url), dict[str, str]()
        else:
            base, headers = _described_by(Connection.get(self.http_conn_id))
        if not self.endpoint:
            return base, headers
        return urljoin(base.rstrip("/") + "/", self.endpoint.lstrip("/")), headers


def _described_by(connection: Connection) -> tuple[str, dict[str, str]]:
    headers = {str(name): str(value) for name, value in connection.extra_dejson.items() if isinstance(value, str)}
    if connection.login:
        pair = f"{connection.login}:{connection.password or ''}"
        headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
    return base_address(connection, host="localhost", protocol="http"), headers


def base_address(connection: Connection, *, host: str, protocol: str) -> str:
    """Where a connection leads; `host` and `protocol` are for those that do not say. A host may have a path."""
    address = connection.host or host
    if "://" not in address:
        address = f"{connection.schema or protocol}://{address}"
    parts = urlsplit(address)
    if connection.port and not parts.port:
        parts = parts._replace(netloc=f"{parts.netloc}:{connection.port}")
    return parts.geturl()


def facts(context: Context) -> dict[str, Any]:
    """What there is to say about the task, or about the run where no task is meant."""
    known: Mapping[str, Any] = context
    ti, run = known.get("ti"), known.get("dag_run")
    said = {name: getattr(ti, name) for name in _FACTS} if ti is not None else {"run_id": known.get("run_id")}
    if ti is None and known.get("dag") is not None:
        said["dag_id"] = known["dag"].dag_id
    state = getattr(ti if ti is not None else run, "state", None)
    said["state"] = None if state is None else str(getattr(state, "value", state))
    if ti is not None:
        said["log_url"] = ti.log_url
    for name in ("exception", "reason"):
        if known.get(name):
            said[name] = str(known[name])
    return said


class _Stays(HTTPRedirectHandler):
    """Follows no redirection: the request would become another one, and its secrets would go elsewhere."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def send(url: str, body: bytes, headers: Mapping[str, str], *, method: str = "POST", timeout_s: float = 30) -> str:
    """The answer to a request. Raises where it is no success; the address may be a secret, so only its host is told."""
    address = urlsplit(url)
    if address.scheme not in ("http", "https") or not address.hostname:
        raise ValueError("the address of a webhook has to begin with http:// or https://, and name a host")
    safe = address._replace(path=quote(address.path, safe="/%:@!$&'()*+,;=~"), query=quote(address.query, safe="=&%+"))
    request = Request(safe.geturl(), data=body, headers=dict(headers), method=method)
    try:
        with build_opener(_Stays).open(request, timeout=timeout_s) as response:
            return str(response.read(_LONGEST_ANSWER).decode(errors="replace"))
    except HTTPError as error:
        with error:
            said = error.read(_LONGEST_ANSWER).decode(errors="replace").strip()
        raise AirflowException(f"{address.hostname} answered {error.code} {error.reason}: {said[:500]}") from None
