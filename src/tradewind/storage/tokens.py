"""Tokens of programs, and tokens that no longer count."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa

from tradewind.model.account import ApiToken
from tradewind.storage.insert_new import insert_new
from tradewind.storage.schema import api_token, revoked_token

_SHOWN = (api_token.c.token_key, api_token.c.name, api_token.c.role, api_token.c.created_at, api_token.c.expires_at)


class ApiTokens:
    """Implements `interface.TokenStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

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
        values: dict[str, Any] = {"name": name, "role": role, "created_at": now, "expires_at": expires_at}
        statement = sa.insert(api_token).values(account_key=account_key, token_hash=token_hash, **values)
        key = self._connection.execute(statement).inserted_primary_key
        assert key is not None
        return ApiToken(key[0], **values)

    def of_account(self, account_key: int) -> list[ApiToken]:
        statement = sa.select(*_SHOWN).where(api_token.c.account_key == account_key).order_by(api_token.c.name)
        return [ApiToken(*row) for row in self._connection.execute(statement)]

    def delete(self, account_key: int, token_key: int) -> bool:
        statement = sa.delete(api_token).where(
            api_token.c.account_key == account_key, api_token.c.token_key == token_key
        )
        return self._connection.execute(statement).rowcount > 0

    def revoke(self, token_id: str, expires_at: datetime, now: datetime) -> None:
        self._connection.execute(sa.delete(revoked_token).where(revoked_token.c.expires_at < now))
        insert_new(self._connection, revoked_token, [{"token_id": token_id, "expires_at": expires_at}])
