"""URIs of assets, written in one way: two tasks that mean the same data must name the same asset."""

import urllib.parse
import warnings
from collections.abc import Callable
from importlib import import_module
from urllib.parse import SplitResult

Normalizer = Callable[[SplitResult], SplitResult]

_RESERVED = "airflow"


def normalized(uri: str) -> str:
    """The URI in its one form: lower-case scheme, sorted query, no fragment, no slash at the end, no password.

    What is no URI, or has a scheme of the author's own (`x-...`), stays as it is. Providers have a say in theirs.
    """
    parts = urllib.parse.urlsplit(uri)
    scheme = parts.scheme.lower()
    if not scheme or scheme.startswith("x-"):
        return uri
    if scheme == _RESERVED:
        raise ValueError(f"the asset URI {uri!r} has the scheme {_RESERVED!r}, which is reserved")
    query = urllib.parse.urlencode(sorted(urllib.parse.parse_qsl(parts.query)))
    path = parts.path.rstrip("/") or "/"
    if not parts.netloc and path.startswith("//"):
        path = "/" + path.lstrip("/")  # written again, its first part would be taken for a host
    plain = SplitResult(scheme, _without_password(parts), path, query, "")
    normalizer = _normalizer(scheme)
    return urllib.parse.urlunsplit(plain if normalizer is None else normalizer(plain))


def checked_by_provider(uri: str) -> str | None:
    """What the provider of its scheme makes of the URI; `None` where there is none, or where it refuses."""
    parts = urllib.parse.urlsplit(uri)
    normalizer = _normalizer(parts.scheme.lower()) if parts.scheme else None
    if normalizer is None:
        return None
    try:
        return urllib.parse.urlunsplit(normalizer(parts))
    except ValueError:
        return None


def _without_password(parts: SplitResult) -> str:
    if not parts.password:
        return parts.netloc
    warnings.warn(
        "The URI of an asset should not contain a password; user and password were left out.", UserWarning, stacklevel=4
    )
    return parts.netloc.rpartition("@")[2]


def _normalizer(scheme: str) -> Normalizer | None:
    if scheme == "file":
        return _as_it_is
    # Reads the metadata of all installed packages: only where an asset has a scheme that one of them could know.
    normalizer: Normalizer | None = (
        import_module("tradewind.sdk.provider_registry").provider_registry().asset_uri_handler(scheme)
    )
    return normalizer


def _as_it_is(parts: SplitResult) -> SplitResult:
    return parts
