"""Users and roles, and whose a token is."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from tradewind.model.account import Account, DagGrants, Profile, TokenHolder
from tradewind.storage.grants import rights_of
from tradewind.storage.schema import account, account_role, api_token, custom_role, dag_grant, revoked_token
from tradewind.storage.types import AnyRow

_COLUMNS = account.c
_BY_NAME = _COLUMNS.name == sa.bindparam("name")
_WITH_ROLES = (
    sa.select(account, account_role.c.role)
    .select_from(account.outerjoin(account_role))
    .order_by(_COLUMNS.name, account_role.c.role)
)
_ONE = _WITH_ROLES.where(_BY_NAME)
_BY_EMAIL = _WITH_ROLES.where(_COLUMNS.email == sa.bindparam("email"))
_BY_EXTERNAL_ID = _WITH_ROLES.where(_COLUMNS.external_id == sa.bindparam("external_id"))

_HOLDER = [
    _COLUMNS.account_key,
    _COLUMNS.name,
    _COLUMNS.is_active,
    _COLUMNS.generation,
    account_role.c.role,
    dag_grant.c.dag_id,
    dag_grant.c.rights,
]
_WITH_GRANTS = account.outerjoin(account_role).outerjoin(dag_grant, dag_grant.c.role == account_role.c.role)
_IS_REVOKED = sa.exists().where(revoked_token.c.token_id == sa.bindparam("token_id")).label("is_revoked")
_HOLDER_OF = sa.select(*_HOLDER, _IS_REVOKED).select_from(_WITH_GRANTS).where(_BY_NAME)
_HOLDER_OF_API_TOKEN = (
    sa.select(*_HOLDER, api_token.c.role.label("narrowed_to"), api_token.c.expires_at)
    .select_from(_WITH_GRANTS.join(api_token, api_token.c.account_key == _COLUMNS.account_key))
    .where(api_token.c.token_hash == sa.bindparam("token_hash"))
)


class Accounts:
    """Implements `interface.AccountStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def create(self, profile: Profile, password_hash: str | None, now: datetime) -> None:
        values = {**_values(profile), "name": profile.name, "password_hash": password_hash}
        statement = sa.insert(account).values(**values, generation=1, created_at=now)
        key = self._connection.execute(statement).inserted_primary_key
        assert key is not None
        self._give(key[0], profile.roles)

    def all(self) -> list[Account]:
        return _accounts(self._connection.execute(_WITH_ROLES))

    def find(self, name: str) -> Account | None:
        return self._first(_ONE, name=name)

    def find_by_email(self, email: str) -> Account | None:
        return self._first(_BY_EMAIL, email=email)

    def find_by_external_id(self, external_id: str) -> Account | None:
        return self._first(_BY_EXTERNAL_ID, external_id=external_id)

    def link(self, name: str, external_id: str) -> None:
        self._update(name, {"external_id": external_id})

    def update(self, name: str, profile: Profile) -> None:
        self._update(name, _values(profile))
        key = self._connection.execute(sa.select(_COLUMNS.account_key).where(_COLUMNS.name == name)).scalar_one()
        self._connection.execute(sa.delete(account_role).where(account_role.c.account_key == key))
        self._give(key, profile.roles)

    def set_password(self, name: str, password_hash: str) -> None:
        self._update(name, {"password_hash": password_hash, "generation": _COLUMNS.generation + 1})

    def replace_hash(self, name: str, password_hash: str) -> None:
        self._update(name, {"password_hash": password_hash})

    def logged_in(self, name: str, now: datetime) -> None:
        self._update(name, {"last_login_at": now})

    def delete(self, name: str) -> bool:
        return self._connection.execute(sa.delete(account).where(_COLUMNS.name == name)).rowcount > 0

    def custom_roles(self) -> list[str]:
        return sorted(self._connection.execute(sa.select(custom_role.c.name)).scalars())

    def create_role(self, name: str) -> None:
        self._connection.execute(sa.insert(custom_role).values(name=name))

    def delete_role(self, name: str) -> bool:
        self._connection.execute(sa.delete(account_role).where(account_role.c.role == name))
        return self._connection.execute(sa.delete(custom_role).where(custom_role.c.name == name)).rowcount > 0

    def holder_of(self, name: str, token_id: str) -> TokenHolder | None:
        rows = self._connection.execute(_HOLDER_OF, {"name": name, "token_id": token_id}).all()
        return _holder(rows, is_revoked=bool(rows[0].is_revoked)) if rows else None

    def holder_of_api_token(self, token_hash: str) -> TokenHolder | None:
        rows = self._connection.execute(_HOLDER_OF_API_TOKEN, {"token_hash": token_hash}).all()
        return _holder(rows, narrowed_to=rows[0].narrowed_to, expires_at=rows[0].expires_at) if rows else None

    def _first(self, statement: sa.Select[Any], **parameters: str) -> Account | None:
        return next(iter(_accounts(self._connection.execute(statement, parameters))), None)

    def _update(self, name: str, values: Mapping[str, Any]) -> None:
        self._connection.execute(sa.update(account).where(_COLUMNS.name == name).values(**values))

    def _give(self, key: int, roles: Iterable[str]) -> None:
        rows = [{"account_key": key, "role": role} for role in sorted(roles)]
        if rows:
            self._connection.execute(sa.insert(account_role), rows)


def _values(profile: Profile) -> dict[str, Any]:
    return {
        "email": profile.email,
        "first_name": profile.first_name,
        "last_name": profile.last_name,
        "is_active": profile.is_active,
    }


def _accounts(rows: Iterable[AnyRow]) -> list[Account]:
    """Of rows of which each has one of the roles."""
    found: dict[int, list[AnyRow]] = {}
    for row in rows:
        found.setdefault(row.account_key, []).append(row)
    return [_account(of_one) for of_one in found.values()]


def _account(rows: list[AnyRow]) -> Account:
    row = rows[0]
    roles = frozenset(each.role for each in rows if each.role is not None)
    return Account(
        row.account_key,
        Profile(row.name, row.email, row.first_name, row.last_name, row.is_active, roles),
        row.password_hash,
        row.generation,
        row.created_at,
        row.last_login_at,
        row.external_id,
    )


def _holder(rows: Iterable[AnyRow], **more: Any) -> TokenHolder:
    """Of rows of which each has one of the roles and one of the DAGs that it is granted."""
    grants: dict[str, dict[str, Any]] = {}
    for row in rows:
        if row.role is not None:
            of_role = grants.setdefault(row.role, {})
            if row.dag_id is not None:
                of_role[row.dag_id] = rights_of(row.rights)
    first = next(iter(rows))
    by_role: Mapping[str, DagGrants] = grants
    return TokenHolder(
        first.account_key, first.name, first.is_active, first.generation, frozenset(grants), by_role, **more
    )
