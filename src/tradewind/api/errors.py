"""What is refused, as an answer: a status and `{"detail": ...}`, as in Airflow."""

import logging
import math
from collections.abc import Mapping
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse

from tradewind.errors import (
    Busy,
    Conflict,
    DagStale,
    DagUnusable,
    DatabaseUnavailable,
    InvalidRequest,
    NotFound,
    TradewindError,
    ValueRefused,
)

log = logging.getLogger(__name__)

_MOST_PROBLEMS: Final = 50
_LONGEST_INPUT: Final = 200
_LONGEST_DETAIL: Final = 4_000

_STATUS: Final[Mapping[type[TradewindError], int]] = {
    NotFound: 404,
    Conflict: 409,
    InvalidRequest: 400,
    ValueRefused: 400,
    DagStale: 404,
    DagUnusable: 400,
    DatabaseUnavailable: 503,
    Busy: 503,
}


class NotBuilt(TradewindError):
    """What this server is not made for. The text says what."""


def status_of(error: TradewindError) -> int:
    """The status of the answer to what raised this."""
    return next((status for kind, status in _STATUS.items() if isinstance(error, kind)), 500)


def add_error_answers(app: FastAPI) -> None:
    """Let the app answer what `operations` raise."""

    @app.exception_handler(RequestValidationError)
    def invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        return JSONResponse({"detail": [_problem(each) for each in error.errors()[:_MOST_PROBLEMS]]}, 422)

    @app.exception_handler(NotBuilt)
    def not_built(_: Request, error: NotBuilt) -> JSONResponse:
        return JSONResponse({"detail": str(error)}, 501)

    @app.exception_handler(TradewindError)
    def refused(request: Request, error: TradewindError) -> JSONResponse:
        status = status_of(error)
        if status >= 500:
            log.error("%s %s: %s", request.method, request.url.path, error)
        return JSONResponse({"detail": _short(str(error))}, status)


def _short(detail: str) -> str:
    """Without the middle of what was sent, if that was very long."""
    if len(detail) <= _LONGEST_DETAIL:
        return detail
    half = _LONGEST_DETAIL // 2
    return f"{detail[:half]} ... {detail[-half:]}"


def _problem(error: Mapping[str, Any]) -> dict[str, Any]:
    """What FastAPI says, but for what it would say back in full: a long body as often as there is something wrong with
    it, and numbers that JSON has no word for."""
    found = {"type": error["type"], "loc": list(error["loc"]), "msg": error["msg"]}
    value = error.get("input")
    if isinstance(value, bool | int | None) or (isinstance(value, float) and math.isfinite(value)):
        found["input"] = value
    elif isinstance(value, str):
        found["input"] = value[:_LONGEST_INPUT].encode("utf-8", "replace").decode()
    if error.get("ctx"):
        found["ctx"] = {name: str(each) for name, each in error["ctx"].items()}
    return found
