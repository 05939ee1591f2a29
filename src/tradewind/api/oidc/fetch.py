"""Ask a provider, with limits to what is waited for and read. Blocks: for threads that may."""

import json
from collections.abc import Mapping
from http.client import HTTPException, HTTPMessage
from typing import IO, Any, Final
from urllib.error import HTTPError
from urllib.parse import urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from tradewind.api.oidc.refusal import ProviderAway
from tradewind.runtime.locality import is_local_name

_TIMEOUT_S: Final = 10.0
_LONGEST: Final = 1024 * 1024


class _StayHere(HTTPRedirectHandler):
    """Where a provider answers is what it said before; whoever sends us elsewhere is somebody else."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> None:
        return None


_opener: Final = build_opener(_StayHere)


def is_trusted(url: str) -> bool:
    """Whether nobody can listen to what is asked there, or answer in its place."""
    parts = urlsplit(url)
    return parts.scheme == "https" or (parts.scheme == "http" and is_local_name(parts.hostname or ""))


def get(url: str) -> dict[str, Any]:
    """A JSON object.

    Raises:
        ProviderAway: there is none.
    """
    status, answer = _ask(Request(url, headers={"Accept": "application/json"}))
    if status != 200:
        raise ProviderAway(f"{url} answers with status {status}")
    return answer


def post(url: str, form: Mapping[str, str], headers: Mapping[str, str]) -> tuple[int, dict[str, Any]]:
    """The status, and a JSON object, which is empty if there is none and the status says that something is wrong.

    Raises:
        ProviderAway: there is no answer.
    """
    return _ask(Request(url, urlencode(form).encode(), {"Accept": "application/json", **headers}))


def _ask(request: Request) -> tuple[int, dict[str, Any]]:
    url = request.full_url
    if not is_trusted(url):
        raise ProviderAway(f"{url} is not asked: it does not begin with https://")
    try:
        with _opener.open(request, timeout=_TIMEOUT_S) as answer:
            return int(answer.status), _object(url, answer.read(_LONGEST + 1))
    except HTTPError as refused:
        with refused:
            return refused.code, _error(refused)
    except (OSError, HTTPException) as error:
        raise ProviderAway(f"{url} does not answer: {error}") from error


def _object(url: str, body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body) if len(body) <= _LONGEST else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise ProviderAway(f"{url} answers with something that is no JSON object, or too long")
    return found


def _error(refused: HTTPError) -> dict[str, Any]:
    try:
        return _object(refused.url, refused.read(_LONGEST + 1))
    except (ProviderAway, OSError, HTTPException):
        return {}
