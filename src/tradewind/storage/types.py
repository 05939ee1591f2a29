"""Column types that mean the same on SQLite, PostgreSQL and MySQL."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import mysql, postgresql

AnyRow = sa.Row[*tuple[Any, ...]]
AnySelect = sa.Select[*tuple[Any, ...]]

ID_LENGTH = 250
PATH_LENGTH = 500
"""Together with an id it still fits into the longest key that MySQL allows."""
KEY_LENGTH = 512
"""Of an XCom's or a stored state's key. With the key of a task instance it fills MySQL's longest key."""
ASSET_LENGTH = 1500
"""Of an asset's name or URI."""
_NO_ASCII = re.compile(r"[^\x00-\x7f]")
_NO_NAME_HAS = "\x7f"
"""The last of the ASCII characters: it also ends the range of all that begins with some text."""


class Instant(sa.types.TypeDecorator[datetime]):
    """An aware UTC datetime: `timestamptz` on PostgreSQL, UTC with microseconds elsewhere."""

    impl = sa.DateTime
    cache_ok = True

    def load_dialect_impl(self, dialect: sa.Dialect) -> sa.types.TypeEngine[Any]:
        """The native type."""
        if dialect.name == "postgresql":
            return dialect.type_descriptor(postgresql.TIMESTAMP(timezone=True))
        if dialect.name == "mysql":
            return dialect.type_descriptor(mysql.DATETIME(fsp=6))
        return dialect.type_descriptor(sa.DateTime())

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        """Refuse naive datetimes: they are how hours get lost."""
        if value is None:
            return None
        utc = _utc(value)
        return utc if dialect.name == "postgresql" else utc.replace(tzinfo=None)

    def result_processor(self, dialect: sa.Dialect, coltype: object) -> Callable[[Any], datetime | None]:
        """Aware again. Written out per database: rows with ten instants are read by the thousand."""
        if dialect.name == "sqlite":
            # Six times as fast as to replace the zone afterwards.
            return lambda text: None if text is None else datetime.fromisoformat(f"{text}+00:00")
        if dialect.name == "mysql":
            return lambda value: None if value is None else value.replace(tzinfo=UTC)
        # Our own connections are asked to speak UTC.
        return lambda value: value if value is None or value.tzinfo is UTC else value.astimezone(UTC)


def instant_text(value: datetime | None, dialect_name: str) -> str | None:
    """An instant as it must stand in a batch parameter (see `batch`)."""
    if value is None:
        return None
    utc = _utc(value)
    return utc.isoformat() if dialect_name == "postgresql" else utc.replace(tzinfo=None).isoformat(" ", "microseconds")


def _utc(value: datetime) -> datetime:
    if value.tzinfo is None:
        raise ValueError(f"a naive datetime cannot be stored: {value!r}")
    return value.astimezone(UTC)


def identifier(length: int = ID_LENGTH) -> sa.types.TypeEngine[str]:
    """A name that is compared byte by byte: MySQL's default would take `Load` and `load` for the same."""
    return sa.String(length).with_variant(mysql.VARCHAR(length, charset="utf8mb4", collation="utf8mb4_bin"), "mysql")


class AssetText(sa.types.TypeDecorator[str]):
    """An asset's name, URI or group. They are ASCII, so that two long ones fit into one key of MySQL."""

    impl = sa.String
    cache_ok = True

    def load_dialect_impl(self, dialect: sa.Dialect) -> sa.types.TypeEngine[Any]:
        """The native type."""
        if dialect.name == "mysql":
            return dialect.type_descriptor(mysql.VARCHAR(ASSET_LENGTH, charset="ascii", collation="ascii_bin"))
        return dialect.type_descriptor(sa.String(ASSET_LENGTH))

    def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> str | None:
        """Who looks for other text finds nothing; MySQL would not even compare the two."""
        if value is None or value.isascii() or dialect.name != "mysql":
            return value
        return _NO_ASCII.sub(_NO_NAME_HAS, value)


class LongText(sa.types.TypeDecorator[str]):
    """Text of any length and content; MySQL's TEXT ends at 64 kB."""

    impl = sa.Text
    cache_ok = True

    def load_dialect_impl(self, dialect: sa.Dialect) -> sa.types.TypeEngine[Any]:
        """The native type."""
        if dialect.name == "mysql":
            return dialect.type_descriptor(mysql.LONGTEXT(charset="utf8mb4", collation="utf8mb4_bin"))
        return super().load_dialect_impl(dialect)

    def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> str | None:
        """What every database takes."""
        return None if value is None else storable_text(value)


def storable_text(text: str) -> str:
    """The text without what databases refuse. A task that fails with odd bytes in its message has still failed."""
    if "\0" in text:
        text = text.replace("\0", "\N{REPLACEMENT CHARACTER}")
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def big_key() -> sa.types.TypeEngine[int]:
    """A 64-bit number; SQLite counts up by itself only for the type named INTEGER."""
    return sa.BigInteger().with_variant(sa.Integer(), "sqlite")
