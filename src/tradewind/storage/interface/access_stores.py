"""The stores of users, roles and tokens, of what DAGs grant, and of who changed what."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol

from tradewind.model.account import Account, ApiToken, DagGrants, LoginFailures, Profile, TokenHolder
from tradewind.model.audit import AuditEntry


class AccountStore(Protocol):
    """Users and roles."""

    def create(self, profile: Profile, password_hash: str | None, now: datetime) -> None:
        """A user of a name that is not in use."""

    def all(self) -> list[Account]:
        """By name."""

    def find(self, name: str) -> Account | None:
        """By name."""

    def find_by_email(self, email: str) -> Account | None:
        """By address."""

    def find_by_external_id(self, external_id: str) -> Account | None:
        """By who they are to the provider that lets them in."""

    def link(self, name: str, external_id: str) -> None:
        """From now on, that is who they are to the provider."""

    def update(self, name: str, profile: Profile) -> None:
        """Another profile; the name stays."""

    def set_password(self, name: str, password_hash: str) -> None:
        """Another password, and with it another generation of tokens."""

    def replace_hash(self, name: str, password_hash: str) -> None:
        """The same password, stored in another way."""

    def logged_in(self, name: str, now: datetime) -> None:
        """Note when they were here last."""

    def delete(self, name: str) -> bool:
        """With their tokens. False: there is no such user."""

    def custom_roles(self) -> list[str]:
        """Those that are not built in, by name."""

    def create_role(self, name: str) -> None:
        """A role of a name that is not in use."""

    def delete_role(self, name: str) -> bool:
        """Also take it from all who have it. False: there is no such role."""

    def holder_of(self, name: str, token_id: str) -> TokenHolder | None:
        """Whose signed token it is: all that is to be known to let them in, in one statement."""

    def holder_of_api_token(self, token_hash: str) -> TokenHolder | None:
        """The same for a token that they made for a program."""


class GrantStore(Protocol):
    """What DAGs let roles do."""

    def replace(self, grants: Mapping[str, DagGrants]) -> None:
        """By DAG, by role: what they grant now; of these DAGs, nothing else."""

    def by_role(self) -> Mapping[str, DagGrants]:
        """By role, by DAG: what is granted. The role may be unknown."""


class TokenStore(Protocol):
    """Tokens of programs, and tokens that no longer count."""

    def add(
        self,
        account_key: int,
        name: str,
        token_hash: str,
        *,
        role: str | None,
        expires_at: datetime | None,
        now: datetime,
    ) -> ApiToken:
        """A token of a name that the user has not used."""

    def of_account(self, account_key: int) -> list[ApiToken]:
        """By name."""

    def delete(self, account_key: int, token_key: int) -> bool:
        """False: the user has no such token."""

    def revoke(self, token_id: str, expires_at: datetime, now: datetime) -> None:
        """From now on this signed token does not count. Forgets those that have expired by themselves."""


class LoginStore(Protocol):
    """Logins that failed."""

    def failures(self, subjects: Collection[str]) -> dict[str, LoginFailures]:
        """Of those that failed at all. Locks them: two attempts at once are two attempts."""

    def put(self, failures: Mapping[str, LoginFailures]) -> None:
        """Of these, as many."""

    def forget(self, subjects: Collection[str]) -> None:
        """They got in."""

    def forget_before(self, before: datetime) -> None:
        """What is so old that it does not count."""


class AuditStore(Protocol):
    """Who changed what. Only grows."""

    def add(self, entry: AuditEntry) -> None:
        """One more."""


@dataclass(slots=True)
class PendingEntry:
    """What is to be written down with the first transaction that changes something."""

    entry: AuditEntry
    is_written: bool = False


PENDING_ENTRY: Final[ContextVar[PendingEntry | None]] = ContextVar("pending_entry", default=None)
"""Of the request or command that is being worked on. The store looks here, so that nothing that changes something can
forget to say so, and says it in the same transaction."""


@contextmanager
def pending(entry: AuditEntry) -> Iterator[PendingEntry]:
    """Within the block, a change is a change by this."""
    made = PendingEntry(entry)
    with _waiting(made):
        yield made


@contextmanager
def no_entry() -> Iterator[None]:
    """Within the block, a change is nobody's: that an attempt is counted, for example, whatever comes of it."""
    with _waiting(None):
        yield


@contextmanager
def _waiting(entry: PendingEntry | None) -> Iterator[None]:
    token = PENDING_ENTRY.set(entry)
    try:
        yield
    finally:
        PENDING_ENTRY.reset(token)
