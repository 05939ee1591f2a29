"""Logs of tasks: page by page, whole, or while they are being written."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Any, Final

import msgspec
from fastapi import Header, HTTPException, Request, Response
from fastapi import Path as PathParameter
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict
from starlette.concurrency import run_in_threadpool

from tradewind.api.operation import Operations
from tradewind.api.public.task_instances import OF_TASK, READ
from tradewind.api.services import Given, Services
from tradewind.errors import NotFound
from tradewind.model.ids import UNMAPPED
from tradewind.model.states import UNFINISHED_STATES, TaskState
from tradewind.model.task import TaskInstance
from tradewind.operations.find_task import find_task
from tradewind.operations.last_word import last_word
from tradewind.storage.interface import Transaction
from tradewind.task_logs.lines import Message, engine_message
from tradewind.task_logs.places import Try
from tradewind.task_logs.reader import Page, is_token
from tradewind.task_logs.text import as_text

operations = Operations("Task Instance")

_JSON: Final = "application/json"
_LINES: Final = "application/x-ndjson"
_TEXT: Final = "text/plain"
_ANYTHING: Final = "*/*"

_MOST_MESSAGES: Final = 10_000
_MOST_BYTES: Final = 8_000_000
_CHUNK_MESSAGES: Final = 2_000
_CHUNK_BYTES: Final = 500_000
"""Of what is held at once for somebody who gets a whole log."""
_PAUSE_S: Final = 0.5

_TO_BE_CONTINUED: Final = UNFINISHED_STATES - {TaskState.NONE, TaskState.UP_FOR_RETRY}
_FOLLOWED: Final = frozenset({TaskState.RUNNING, TaskState.RESTARTING, TaskState.DEFERRED})
"""In which something is written any moment. Nobody is kept waiting for a task that waits for slots."""

_encode: Final = msgspec.json.Encoder().encode


def _lacks_time_sometimes(schema: dict[str, Any]) -> None:
    schema["required"].remove("timestamp")


class StructuredLogMessage(BaseModel):
    """One message, with whatever fields it was logged with. Only described: messages are passed on as they are."""

    model_config = ConfigDict(extra="allow", json_schema_extra=_lacks_time_sometimes)
    timestamp: datetime
    event: str


class TaskInstancesLogResponse(BaseModel):
    """A part of a log."""

    content: list[StructuredLogMessage] | list[str]
    continuation_token: str | None


class ExternalLogUrlResponse(BaseModel):
    """Where else a log can be seen."""

    url: str


@operations.add(
    "GET",
    f"{OF_TASK}/logs/{{try_number}}",
    operation_id="get_log",
    need=READ,
    responses={
        200: {
            "description": "The log, as it was asked for.",
            "model": TaskInstancesLogResponse,
            "content": {_LINES: {"schema": {"type": "string"}}},
        }
    },
)
def get_log(
    request: Request,
    dag_id: str,
    dag_run_id: str,
    task_id: str,
    try_number: Annotated[int, PathParameter(ge=0)],
    services: Given,
    full_content: bool = False,
    map_index: int = UNMAPPED,
    token: str | None = None,
    accept: Annotated[str, Header(json_schema_extra={"enum": [_JSON, _LINES, _ANYTHING]})] = _ANYTHING,
) -> Response:
    """The log of a try.

    As JSON: a page, and a token for the next one as long as there may be more; all of it with `full_content`. As
    lines of JSON (`application/x-ndjson`) or text (`text/plain`): all of it, and what a running task adds to it.
    """
    if not is_token(token or ""):
        raise HTTPException(400, "The token is none of this API")
    log = _Log(services, Try(dag_id, dag_run_id, task_id, map_index, try_number), token or "")
    form = _form(accept)
    if form == _JSON and not full_content:
        return log.page_as_json()
    # The first part is read before anything is answered: what is missing or refused has a status of its own.
    first = log.read(_CHUNK_MESSAGES, _CHUNK_BYTES)
    if form == _JSON:
        return StreamingResponse(_json_chunks(log, first), media_type=_JSON)
    encoded = _text_chunk if form == _TEXT else _lines_chunk
    return StreamingResponse(_followed(request, log, first, encoded), media_type=form)


@operations.add("GET", f"{OF_TASK}/externalLogUrl/{{try_number}}", operation_id="get_external_log_url", need=READ)
def get_external_log_url(
    dag_id: str,
    dag_run_id: str,
    task_id: str,
    try_number: Annotated[int, PathParameter(gt=0)],
    services: Given,
    map_index: int = UNMAPPED,
) -> ExternalLogUrlResponse:
    """Nowhere: there is no handler of logs here that has pages of its own."""
    _Log(services, Try(dag_id, dag_run_id, task_id, map_index, try_number), "").look()
    raise HTTPException(400, "Task log handler does not support external logs.")


@dataclass(frozen=True, slots=True)
class _Part:
    """What was read, and whether more may come."""

    messages: list[Message]
    token: str
    is_last: bool
    """Whether there was nothing more at the moment."""
    state: TaskState | None
    """Where the try is; None: it is over."""


@dataclass(frozen=True, slots=True)
class _Log:
    """The log of a try from some point on. Its methods wait for the disk and the database."""

    services: Services
    of: Try
    token: str

    def after(self, part: _Part) -> "_Log":
        return replace(self, token=part.token)

    def look(self) -> TaskState | None:
        """Where the try is; None: it is over.

        Raises:
            UnknownRun, UnknownTask: as the name says.
            NotFound: it has had no such try.
        """
        task = self.services.store.read(self._find)
        return task.state if _is_under_way(task, self.of.number) else None

    def _find(self, tx: Transaction) -> TaskInstance:
        of = self.of
        task = find_task(tx, of.dag_id, of.run_id, of.task_id, map_index=of.map_index)
        if of.number > task.try_number or (of.number == 0 and task.try_number > 0):
            raise NotFound(f"task {of.task_id!r} has no try {of.number}")
        return task

    def _last_words(self) -> list[Message]:
        """What nobody lived to write: at the end of what is over, so once."""
        word = self.services.store.read(lambda tx: last_word(tx, self._find(tx), self.of.number))
        return [] if word is None else [engine_message(word.at, f"The try ended: {word.reason}")]

    def read(self, limit: int, limit_bytes: int, *, looks_elsewhere: bool = True) -> _Part:
        # Asked before reading: what is written between the two must not be missed.
        state = self.look()
        try:
            page = self.services.logs.read(
                self.of, self.token, limit, limit_bytes=limit_bytes, looks_elsewhere=looks_elsewhere or state is None
            )
        except OSError as error:
            raise HTTPException(503, f"The log cannot be read: {error.strerror or error}") from error
        messages = page.messages if self.token else [*_sources(page), *page.messages]
        if page.is_last and state is None:
            messages = [*messages, *self._last_words()]
        return _Part(messages, page.token, page.is_last, state)

    def page_as_json(self) -> Response:
        part = self.read(_MOST_MESSAGES, _MOST_BYTES)
        is_end = part.is_last and part.state is None
        answer = {"content": part.messages, "continuation_token": None if is_end else part.token}
        return Response(_encode(answer), media_type=_JSON)


def _is_under_way(task: TaskInstance, number: int) -> bool:
    return task.try_number == number and task.state in _TO_BE_CONTINUED


def _sources(page: Page) -> list[Message]:
    """What Airflow begins its logs with: clients fold it away."""
    if not page.sources:
        return []
    return [
        {"event": "::group::Log message source details", "sources": list(page.sources)},
        {"event": "::endgroup::"},
    ]


async def _json_chunks(log: _Log, first: _Part) -> AsyncIterator[bytes]:
    """All that there is now, as one JSON document, of which never more than a chunk is held."""
    part, opening = first, b'{"content":['
    while True:
        if part.messages:
            yield opening + b",".join(map(_encode, part.messages))
            opening = b","
        if part.is_last:
            break
        log = log.after(part)
        part = await run_in_threadpool(log.read, _CHUNK_MESSAGES, _CHUNK_BYTES)
    is_end = part.state is None
    opening = b'{"content":[' if opening != b"," else b""
    yield opening + b'],"continuation_token":%b}' % _encode(None if is_end else part.token)


async def _followed(
    request: Request, log: _Log, first: _Part, encoded: Callable[[list[Message]], bytes]
) -> AsyncIterator[bytes]:
    """All that there is, and what is added while the task runs. No thread waits meanwhile."""
    part, looks_elsewhere = first, True
    while True:
        if part.messages:
            yield encoded(part.messages)
        if part.is_last:
            if part.state not in _FOLLOWED or await request.is_disconnected():
                return
            # Storage elsewhere gets a log when it is complete, and is slow to ask.
            looks_elsewhere = False
            await asyncio.sleep(_PAUSE_S)
        log = log.after(part)
        part = await run_in_threadpool(log.read, _CHUNK_MESSAGES, _CHUNK_BYTES, looks_elsewhere=looks_elsewhere)


def _lines_chunk(messages: list[Message]) -> bytes:
    return b"".join(_encode(message) + b"\n" for message in messages)


def _text_chunk(messages: list[Message]) -> bytes:
    return "".join(f"{as_text(message)}\n" for message in messages).encode(errors="backslashreplace")


def _form(accept: str) -> str:
    """The first that we have of what the client takes."""
    for name in (part.partition(";")[0].strip().lower() for part in accept.split(",")):
        if name in (_JSON, _LINES, _TEXT):
            return name
    return _JSON
