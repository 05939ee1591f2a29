"""Types of columns, as migrations spell them.

They are not those of `tradewind.storage.types`: what a migration does must not change when the code does. What is here
is never changed, only added to.
"""

from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects import mysql, postgresql

STATE: Final = sa.String(20)


def id_text(length: int = 250) -> sa.types.TypeEngine[str]:
    """A name that people give."""
    return sa.String(length).with_variant(mysql.VARCHAR(length, charset="utf8mb4", collation="utf8mb4_bin"), "mysql")


def long_text() -> sa.types.TypeEngine[str]:
    """Text of any length."""
    return sa.Text().with_variant(mysql.LONGTEXT(charset="utf8mb4", collation="utf8mb4_bin"), "mysql")


def asset_name() -> sa.types.TypeEngine[str]:
    """The name or URI of an asset."""
    return sa.String(1500).with_variant(mysql.VARCHAR(1500, charset="ascii", collation="ascii_bin"), "mysql")


def key() -> sa.types.TypeEngine[int]:
    """A number that the database gives."""
    return sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def instant() -> sa.types.TypeEngine[Any]:
    """A moment, in UTC."""
    on_postgres = postgresql.TIMESTAMP(timezone=True)
    return sa.DateTime().with_variant(on_postgres, "postgresql").with_variant(mysql.DATETIME(fsp=6), "mysql")
