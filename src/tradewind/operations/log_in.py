"""Log in with a name and a password, and change it.

An attempt is counted before the password is looked at, and forgiven if it is the right one: else a thousand attempts
made at once would all be made before the first has failed.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from ipaddress import IPv6Address, ip_address, ip_network

from tradewind.decide.login_throttle import FORGOTTEN_AFTER, Counted, counting_one_more, remaining_wait
from tradewind.errors import LoginRefused
from tradewind.model.account import Account
from tradewind.model.audit import AuditEntry
from tradewind.operations.manage_users import find_user, set_password
from tradewind.storage.interface import Transaction

_NETWORK_OF_ONE = 64
"""Bits of an IPv6 address: whoever has one has all that begin with them."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """Somebody tries to get in."""

    name: str
    address: str

    def subjects(self) -> dict[Counted, str]:
        """What failures are counted by, as they are stored."""
        return {
            Counted.NAME: _hashed(f"name {self.name}"),
            Counted.ADDRESS: _hashed(f"address {_network(self.address)}"),
        }


def begin_login(tx: Transaction, attempt: Attempt, now: datetime) -> Account | None:
    """Count it, and find whom it is about, if there is anybody.

    Raises:
        LoginRefused: there were too many; this one is not even counted.
    """
    subjects = attempt.subjects()
    stored = tx.logins.failures(subjects.values())
    known = {counted: stored[subject] for counted, subject in subjects.items() if subject in stored}
    wait = remaining_wait(known, now).total_seconds()
    if wait > 0:
        raise LoginRefused(wait)
    tx.logins.forget_before(now - FORGOTTEN_AFTER)
    tx.logins.put({subject: counting_one_more(known.get(counted), now) for counted, subject in subjects.items()})
    return tx.accounts.find(attempt.name)


def end_login(tx: Transaction, attempt: Attempt, account: Account, now: datetime, *, new_hash: str | None) -> Account:
    """The password was the right one. `new_hash`: of the same password, made with more effort.

    Raises:
        LoginRefused: there is no such user any more, or not with this password.
    """
    found = _confirmed(tx, attempt, account)
    if new_hash is not None:
        tx.accounts.replace_hash(attempt.name, new_hash)
    tx.accounts.logged_in(attempt.name, now)
    tx.audit_log.add(AuditEntry("login", attempt.name, now))
    return found


def change_password(tx: Transaction, attempt: Attempt, account: Account, new_hash: str) -> Account:
    """The old password was the right one: from now on it is another, and all sessions have ended.

    Raises:
        LoginRefused: there is no such user any more, or not with the old password.
    """
    _confirmed(tx, attempt, account)
    set_password(tx, attempt.name, new_hash)
    return find_user(tx, attempt.name)


def _confirmed(tx: Transaction, attempt: Attempt, account: Account) -> Account:
    """Still the user whose password was the right one; what was counted against them is forgiven."""
    found = tx.accounts.find(attempt.name)
    if found is None or not found.profile.is_active or found.password_hash != account.password_hash:
        raise LoginRefused
    _forgive(tx, attempt.subjects())
    return found


def _forgive(tx: Transaction, subjects: Mapping[Counted, str]) -> None:
    """All failures of the name, but of the address only this attempt: else whoever has a name of their own could try
    others between two logins, for ever."""
    tx.logins.forget([subjects[Counted.NAME]])
    address = subjects[Counted.ADDRESS]
    stored = tx.logins.failures([address])
    if address in stored:
        tx.logins.put({address: replace(stored[address], count=max(stored[address].count - 1, 0))})


def _network(address: str) -> str:
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is None:
        return str(ip_network((parsed, _NETWORK_OF_ONE), strict=False))
    return str(getattr(parsed, "ipv4_mapped", None) or parsed)


def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
