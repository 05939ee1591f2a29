"""Addresses that somebody writes down for the pages to show, link to or load: which of them are let through.

Browsers are lenient: they drop line breaks, take `\\` for `/`, and run what begins with `javascript:`. So nothing is
let through but what is known to be harmless.
"""

import re
from typing import Final
from urllib.parse import urlsplit

_ODD: Final = re.compile(r"[\x00-\x20\x7f\\<>\"'`]")
_HOST: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\]")
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_PICTURE: Final = re.compile(r"data:image/(?:svg\+xml|png|jpeg|gif|webp);[A-Za-z0-9+/=;,%.:_-]*")


def origin_of(address: str) -> str | None:
    """Scheme, host and port, as a policy of a page names it; None: the address stays on the server that has the page.

    Raises:
        ValueError: it is neither of http or https nor a path, or hides what it is. The message completes "the
            address ...".
    """
    if _ODD.search(address):
        raise ValueError("has a space, a quote, a backslash or a control character in it")
    if address.startswith("//"):
        raise ValueError("begins with //: write https:// or http:// before it")
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError as error:
        raise ValueError("makes no sense") from error
    if not parts.scheme and ":" not in address.split("/", 1)[0]:
        if not address:
            raise ValueError("is empty")
        return None
    if parts.scheme not in _DEFAULT_PORTS:
        raise ValueError(
            f"begins with {parts.scheme or address.split(':', 1)[0]}: only http, https and paths are let through"
        )
    if parts.username is not None or parts.password is not None:
        raise ValueError("has a user or a password in it")
    host = parts.netloc.rpartition(":")[0] if port is not None else parts.netloc.removesuffix(":")
    if not _HOST.fullmatch(host):
        raise ValueError("names no host that can be told from the rest of it")
    shown = "" if port in (None, _DEFAULT_PORTS[parts.scheme]) else f":{port}"
    return f"{parts.scheme}://{host.lower()}{shown}"


def is_picture_itself(address: str) -> bool:
    """Whether it is no address but a picture, written out: `data:image/svg+xml;base64,...`."""
    return _PICTURE.fullmatch(address) is not None
