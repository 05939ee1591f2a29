"""Ask a provider. Blocks: for threads that may."""

from collections.abc import Mapping
from threading import BoundedSemaphore
from typing import Any, Final
from urllib.parse import urlencode, urlsplit
from urllib.request import Request

from tradewind.api.oidc.refusal import ProviderAway, SignInRefused
from tradewind.runtime.locality import is_local_name
from tradewind.secrets.json_over_http import NoAnswer, ask

# Each waits in a thread of the server. A provider that hangs must not take all of them.
_AT_ONCE: Final = 8
_PATIENCE_S: Final = 2.0
_turns: Final = BoundedSemaphore(_AT_ONCE)


def is_trusted(url: str) -> bool:
    """Whether nobody can listen to what is asked there, or answer in its place."""
    parts = urlsplit(url)
    return parts.scheme == "https" or (parts.scheme == "http" and is_local_name(parts.hostname or ""))


def get(url: str, headers: Mapping[str, str] | None = None) -> dict[str, Any]:
    """A JSON object.

    Raises:
        ProviderAway: there is none.
    """
    status, answer = _ask(Request(url, headers={"Accept": "application/json", **(headers or {})}))
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
    if not _turns.acquire(timeout=_PATIENCE_S):
        raise SignInRefused("Too many people sign in at this moment. Try again.", status=503)
    try:
        return ask(request)
    except NoAnswer as error:
        raise ProviderAway(str(error)) from error
    finally:
        _turns.release()
