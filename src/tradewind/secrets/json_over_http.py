"""Ask a server for JSON, with limits to what is waited for and read. Blocks: for threads that may.

Redirects are not followed: they would carry our secrets to whoever is named there.
"""

import json
from http.client import HTTPException, HTTPMessage
from ssl import SSLContext
from typing import IO, Any, Final
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, HTTPSHandler, Request, build_opener

TIMEOUT_S: Final = 10.0
_LONGEST: Final = 1024 * 1024


class NoAnswer(Exception):
    """Nobody answers, or not with JSON. The text names the address, and nothing secret."""


class _StayHere(HTTPRedirectHandler):
    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> None:
        return None


def ask(request: Request, context: SSLContext | None = None) -> tuple[int, dict[str, Any]]:
    """The status, and a JSON object, which is empty if there is none and the status is that of a refusal.

    Raises:
        NoAnswer: there is none.
    """
    url = request.full_url
    try:
        with build_opener(_StayHere, HTTPSHandler(context=context)).open(request, timeout=TIMEOUT_S) as answer:
            return int(answer.status), _object(url, answer.read(_LONGEST + 1))
    except HTTPError as refused:
        with refused:
            return refused.code, _object_or_nothing(refused)
    except (OSError, HTTPException) as error:
        raise NoAnswer(f"{url} does not answer: {error}") from error


def _object(url: str, body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body) if len(body) <= _LONGEST else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise NoAnswer(f"{url} answers with something that is no JSON object, or too long")
    return found


def _object_or_nothing(refused: HTTPError) -> dict[str, Any]:
    try:
        return _object(refused.url, refused.read(_LONGEST + 1))
    except (NoAnswer, OSError, HTTPException):
        return {}
