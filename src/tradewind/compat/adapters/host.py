"""This machine and who is logged in."""

import getpass
import os
import platform
import socket
import sys
from typing import Final

from tradewind.sdk.configuration import conf
from tradewind.sdk.module_loading import import_string

IS_WINDOWS: Final = platform.system() == "Windows"


def getfqdn(name: str = "") -> str:
    """The full name of a host, of this one if no name is given."""
    return socket.getfqdn(name.strip())


def get_host_ip_address() -> str:
    """The address of this host."""
    return socket.gethostbyname(getfqdn())


def get_hostname() -> str:
    """What `[core] hostname_callable` says the name of this host is."""
    path = conf.get("core", "hostname_callable", fallback="")
    if not path or path.endswith(".getfqdn"):
        return getfqdn()
    return str(import_string(path)())


def getuser() -> str:
    """The user that this process runs as."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        raise RuntimeError(f"the user {os.getuid()} of this process has no name on this machine") from None


def is_tty() -> bool:
    """Whether somebody watches this process in a terminal."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def is_terminal_support_colors() -> bool:
    """Whether the terminal shows colours."""
    return is_tty() and not IS_WINDOWS


def get_airflow_git_version() -> str | None:
    """There is no checkout of Airflow here."""
    return None
