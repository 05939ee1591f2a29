"""Where a request comes from, and where answers may send people."""

from typing import Final
from urllib.parse import urlsplit

from fastapi import Request

from tradewind.runtime import locality

_SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})


def is_from_own_pages(request: Request) -> bool:
    """Whether a browser sent it for a page of ours. Browsers say so, and pages cannot make them say otherwise.

    Without this, any page could let a browser change something here in the name of whoever is logged in.
    """
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    origin = request.headers.get("origin")
    return origin is not None and urlsplit(origin).netloc == request.headers.get("host")


def is_from_other_pages(request: Request) -> bool:
    """Whether a browser says that it sent it for a page of somebody else. Programs say nothing."""
    says_so = "sec-fetch-site" in request.headers or "origin" in request.headers
    is_typed = request.headers.get("sec-fetch-site") == "none"
    return says_so and not is_typed and not is_from_own_pages(request)


def changes_something(request: Request) -> bool:
    """Whether its method says so."""
    return request.method not in _SAFE_METHODS


def is_from_this_machine(request: Request) -> bool:
    """Whether nobody elsewhere can have sent it."""
    peer = request.client.host if request.client else ""
    return locality.is_from_this_machine(peer, request.url.hostname or "", request.headers)


def is_secure(request: Request, base_url: str) -> bool:
    """Whether it came by HTTPS, to us or to a proxy in front."""
    return request.url.scheme == "https" or base_url.startswith("https://")


def safe_path(target: str | None, request: Request) -> str | None:
    """A place of ours to go on to, as a path; None: it is none of ours."""
    if target is None or not target.isprintable() or "\\" in target:
        return None
    parts = urlsplit(target)
    if parts.scheme or parts.netloc:
        if parts.scheme not in ("http", "https") or parts.netloc != request.headers.get("host"):
            return None
        target = target.partition(parts.netloc)[2] or "/"
    # `//elsewhere` is another machine for a browser.
    return target if target.startswith("/") and not target.startswith("//") else None
