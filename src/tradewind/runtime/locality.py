"""Whether somebody can only be on this machine."""

from collections.abc import Collection
from ipaddress import ip_address
from typing import Final

_LOCAL_NAMES: Final = frozenset({"localhost", "localhost.localdomain"})
_FORWARDED: Final = ("forwarded", "x-forwarded-for", "x-real-ip")


def is_from_this_machine(peer: str, host: str, headers: Collection[str]) -> bool:
    """Whether nobody elsewhere can have sent a request: neither through a proxy on this machine (by its headers), nor
    with a page whose name was made to mean this machine (which is why the name that it was sent to counts)."""
    return not any(name in headers for name in _FORWARDED) and is_local_name(peer) and is_local_name(host)


def is_local_name(host: str) -> bool:
    """Whether this name or address means this machine."""
    if host.lower() in _LOCAL_NAMES:
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
