"""`GET /metrics`: who may ask, and what they get."""

import hmac
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from tradewind.telemetry.exposition import content_type, render
from tradewind.telemetry.prometheus import Family, Registry, merged, summed

_BEARER: Final = "bearer "


@dataclass(frozen=True, slots=True)
class ScrapeAnswer:
    """What a web server answers."""

    status: int
    content_type: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsPage:
    """The page of one process.

    With a token, for whoever has it. Without one, for this machine only, unless the configuration says that all may.
    """

    registry: Registry
    token: str = field(default="", repr=False)
    is_public: bool = False
    deployment: Callable[[], Registry | None] = lambda: None
    """What can be said of the whole deployment."""
    siblings: Callable[[], Sequence[Sequence[Family]]] = lambda: ()
    """What other processes have counted that serve the same page."""

    def answer(self, *, accept: str, authorization: str, is_local: bool) -> ScrapeAnswer:
        """To one request, by its headers and where it comes from."""
        if self.token:
            given = authorization[len(_BEARER) :] if authorization.lower().startswith(_BEARER) else ""
            if not hmac.compare_digest(given.strip().encode(), self.token.encode()):
                return _refusal(401, "the token of [metrics] prometheus_token is needed")
        elif not (is_local or self.is_public):
            return _refusal(403, "from this machine only: set [metrics] prometheus_token or prometheus_public")
        whole = self.deployment()
        kind = content_type(accept)
        own = summed([self.registry.families(), *self.siblings()])
        return ScrapeAnswer(200, kind, render(merged([own, [] if whole is None else whole.families()]), kind))


def _refusal(status: int, why: str) -> ScrapeAnswer:
    return ScrapeAnswer(status, "text/plain; charset=utf-8", f"{why}\n")
