"""Waiting until a web server answers as it should. Requests block, so triggers make them in threads."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from tradewind.sdk.configuration import conf
from tradewind.sdk.connection import Connection
from tradewind.sdk.context import Context
from tradewind.sdk.exceptions import AirflowException
from tradewind.sdk.sensor import BaseSensorOperator
from tradewind.sdk.triggers import BaseTrigger, TriggerEvent

_NOT_YET: Final = ("404",)
_LONGEST_ANSWER_S: Final = 60.0


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """What a web server said, with the names that checks of responses use."""

    status_code: int
    text: str

    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.text)


@dataclass(frozen=True, slots=True)
class HttpQuestion:
    """What it is asked, and which statuses mean that it is not there yet."""

    endpoint: str = ""
    http_conn_id: str = "http_default"
    method: str = "GET"
    data: dict[str, Any] | str | None = None
    headers: dict[str, str] | None = None
    not_yet: Sequence[str] = _NOT_YET

    def ask(self) -> HttpAnswer | None:
        """The answer, or nothing if it is not there yet.

        Raises:
            AirflowException: the server refuses, for a reason that waiting does not mend.
        """
        url = self.endpoint if "://" in self.endpoint else _joined(self.http_conn_id, self.endpoint)
        if not url.startswith(("http://", "https://")):
            raise AirflowException(f"{url!r} is no address of a web server")
        body = self.data if isinstance(self.data, str) else urlencode(self.data or {})
        if self.method == "GET" and body:
            url, body = f"{url}?{body}", ""
        request = Request(url, body.encode() or None, self.headers or {}, method=self.method)
        try:
            with urlopen(request, timeout=_LONGEST_ANSWER_S) as response:
                return HttpAnswer(response.status, response.read().decode("utf-8", "replace"))
        except HTTPError as error:
            error.close()
            if str(error.code) in self.not_yet:
                return None
            raise AirflowException(f"{self.method} {url} was answered with {error.code} {error.reason}") from None
        except URLError as error:
            raise AirflowException(f"{self.method} {url} has no answer: {error.reason}") from None


class HttpSensorTrigger(BaseTrigger):
    """Fires when a web server answers with success. 404, by default, means: not yet."""

    def __init__(
        self,
        endpoint: str | None = None,
        http_conn_id: str = "http_default",
        data: dict[str, Any] | str | None = None,
        headers: dict[str, str] | None = None,
        method: str = "GET",
        poke_interval: float = 5.0,
        response_error_codes_allowlist: Sequence[str] = _NOT_YET,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.poke_interval = poke_interval
        self.question = HttpQuestion(
            endpoint or "", http_conn_id, method, data, headers, tuple(response_error_codes_allowlist)
        )

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """What another process needs to make the same trigger."""
        asked = self.question
        return (
            f"{__name__}.HttpSensorTrigger",
            {
                "endpoint": asked.endpoint,
                "http_conn_id": asked.http_conn_id,
                "data": asked.data,
                "headers": asked.headers,
                "method": asked.method,
                "poke_interval": self.poke_interval,
                "response_error_codes_allowlist": list(asked.not_yet),
            },
        )

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """Ask until it is there."""
        while await asyncio.to_thread(self.question.ask) is None:  # noqa: ASYNC110 - servers send no events
            await asyncio.sleep(self.poke_interval)
        yield TriggerEvent(True)


class HttpSensor(BaseSensorOperator):
    """Wait until a web server answers with success, and `response_check`, if given, is content with the answer.

    With such a check it asks in a worker, also if it is `deferrable`: the check is code of the DAG.
    """

    template_fields: Sequence[str] = ("endpoint", "request_params", "headers")

    def __init__(
        self,
        *,
        endpoint: str,
        http_conn_id: str = "http_default",
        method: str = "GET",
        request_params: dict[str, Any] | str | None = None,
        headers: dict[str, str] | None = None,
        response_error_codes_allowlist: Sequence[str] | None = None,
        response_check: Callable[..., bool] | None = None,
        deferrable: bool = conf.getboolean("operators", "default_deferrable", fallback=False),
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.endpoint = endpoint
        self.http_conn_id = http_conn_id
        self.method = method
        self.request_params = request_params
        self.headers = headers
        self.response_error_codes_allowlist = tuple(response_error_codes_allowlist or _NOT_YET)
        self.response_check = response_check
        self.deferrable = deferrable

    def poke(self, context: Context) -> bool:
        """Ask once."""
        answer = self._trigger().question.ask()
        if answer is None or self.response_check is None:
            return answer is not None
        return bool(self.response_check(answer))

    def execute(self, context: Context) -> Any:
        """Wait, in this worker or for a trigger."""
        if not self.deferrable or self.response_check is not None:
            return super().execute(context)
        if not self.poke(context):
            self.defer(trigger=self._trigger(), method_name="execute_complete", timeout=timedelta(seconds=self.timeout))
        return None

    def execute_complete(self, context: Context, event: Any = None) -> None:
        """It is there."""

    def _trigger(self) -> HttpSensorTrigger:
        return HttpSensorTrigger(
            endpoint=self.endpoint,
            http_conn_id=self.http_conn_id,
            data=self.request_params,
            headers=self.headers,
            method=self.method,
            poke_interval=self.poke_interval,
            response_error_codes_allowlist=self.response_error_codes_allowlist,
        )


def _joined(conn_id: str, endpoint: str) -> str:
    found = Connection.get(conn_id)
    host = found.host or ""
    base = host if "://" in host else f"{found.schema or 'http'}://{host}"
    port = f":{found.port}" if found.port else ""
    return f"{base}{port}/{endpoint.lstrip('/')}"
