"""Names of Kerberos principals, and renewing a ticket from a keytab."""

import logging
import re
import subprocess
from typing import Final

from tradewind.compat.adapters.host import getfqdn
from tradewind.sdk.configuration import conf

_log: Final = logging.getLogger(__name__)
_HOST: Final = "_HOST"


def get_components(principal: str) -> list[str] | None:
    """The parts of `service/host@REALM`."""
    return re.split(r"[/@]", principal) if principal else None


def get_fqdn(hostname_or_ip: str | None = None) -> str:
    """The full name of a host in lower case, of this one if none is given."""
    return getfqdn(hostname_or_ip or "").lower()


def replace_hostname_pattern(components: list[str], host: str | None = None) -> str:
    """The principal of these parts, with the name of the host in place of `_HOST`."""
    name = host if host and host != "0.0.0.0" else get_fqdn()
    return (
        f"{components[0]}/{name.lower()}@{components[2]}"
        if components[1] == _HOST
        else "/".join(components[:2]) + f"@{components[2]}"
    )


def principal_from_username(username: str, realm: str | None) -> str:
    """The user with the realm, unless the name has one."""
    return f"{username}@{realm}" if "@" not in username and realm else username


def get_kerberos_principal(principal: str | None) -> str:
    """The given principal, or the configured one of this host."""
    return principal or conf.get("kerberos", "principal", fallback="airflow").replace(_HOST, get_fqdn())


def renew_from_kt(principal: str | None, keytab: str, exit_on_fail: bool = True) -> int:
    """Get a ticket with `kinit`. Returns its exit code."""
    command = [
        conf.get("kerberos", "kinit_path", fallback="kinit"),
        "-r",
        f"{conf.getint('kerberos', 'reinit_frequency', fallback=3600)}m",
        "-k",
        "-t",
        keytab,
        "-c",
        conf.get("kerberos", "ccache", fallback="/tmp/airflow_krb5_ccache"),
        get_kerberos_principal(principal),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        _log.error("kinit ended with %s: %s", done.returncode, done.stderr.strip())
        if exit_on_fail:
            raise SystemExit(done.returncode)
    return done.returncode
