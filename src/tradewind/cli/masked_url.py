"""The address of a database, without what must not be seen."""

from urllib.parse import parse_qsl, urlsplit, urlunsplit

from tradewind.model.masking import REPLACEMENT


def masked_url(url: str) -> str:
    """With its password, and all that is said after a question mark but its names, hidden."""
    try:
        parts = urlsplit(url)
        user, at, host = parts.netloc.rpartition("@")
        name, colon, _ = user.partition(":")
    except ValueError:
        return REPLACEMENT
    query = "&".join(f"{key}={REPLACEMENT}" for key, _ in parse_qsl(parts.query, keep_blank_values=True))
    shown = urlunsplit(("", f"{name}{colon}{REPLACEMENT if colon else ''}{at}{host}", parts.path, query, ""))
    # An address without a host (sqlite:////path) would lose two of its strokes.
    return f"{parts.scheme}:{shown}" if parts.netloc else f"{parts.scheme}://{parts.path}{'?' if query else ''}{query}"
