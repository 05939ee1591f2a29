"""Copies of what was deleted, in tables of their own, until somebody exports or drops them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

import sqlalchemy as sa

from tradewind.storage.interface.pruning_store import Archive, Archived, Prunable
from tradewind.storage.one_of import one_of
from tradewind.storage.schema import metadata

_PREFIX: Final = "_tradewind_deleted__"
_ROWS_AT_ONCE: Final = 500
_GOES_WITH: Final[Mapping[str, Sequence[str]]] = {
    "dag_run": (
        "deadline",
        "deferral",
        "inquiry",
        "rendered_fields",
        "task_instance",
        "task_state",
        "task_trigger",
        "task_try",
        "xcom",
    ),
    "asset_event": ("asset_delivery",),
}
"""By table, those whose rows the database deletes with its own. Each has its key."""
_OTHER_NAMES: Final = {Prunable.AUDIT_LOG: "audit_log"}
"""Where our table is not called as Airflow's."""


def copy_rows(connection: sa.Connection, archive: Archive, key: sa.Column[Any], keys: Collection[Any]) -> None:
    """Those with these keys of a column, and all that is deleted with them, into the archive that was made for them."""
    for name in (key.table.name, *_GOES_WITH.get(key.table.name, ())):
        source = metadata.tables[name]
        rows = sa.select(source).where(one_of(source.c[key.name], "archived_keys"))
        into = sa.insert(_copy(source, archive)).from_select([column.name for column in source.c], rows)
        connection.execute(into, {"archived_keys": list(keys)})


class Archives:
    """Implements `interface.pruning_store.ArchiveStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def create(self, what: Prunable, archive: Archive) -> None:
        for name in self.tables_of(what):
            _copy(metadata.tables[name], archive).create(self._connection, checkfirst=True)

    def tables_of(self, what: Prunable) -> tuple[str, ...]:
        table = _OTHER_NAMES.get(what, what.value)
        return (table, *_GOES_WITH.get(table, ()))

    def all(self) -> list[Archived]:
        names = sorted(name for name in sa.inspect(self._connection).get_table_names() if name.startswith(_PREFIX))
        return [Archived(name, name.removeprefix(_PREFIX).rpartition("__")[0]) for name in names]

    def count(self, name: str) -> int:
        return int(self._connection.execute(sa.select(sa.func.count()).select_from(sa.table(name))).scalar_one())

    def rows(self, archived: Archived) -> Iterator[Sequence[Any]]:
        if self._connection.dialect.name == "postgresql":  # which reads bit by bit only in a transaction
            self._connection.execution_options(isolation_level="READ COMMITTED")
        columns = self._columns(archived)
        yield [column.name for column in columns]
        wanted = sa.select(*sa.table(archived.name, *columns).c)
        options = {"stream_results": True, "yield_per": _ROWS_AT_ONCE}
        yield from self._connection.execute(wanted, execution_options=options)

    def drop(self, names: Collection[str]) -> None:
        for name in names:
            sa.Table(name, sa.MetaData()).drop(self._connection, checkfirst=True)

    def _columns(self, archived: Archived) -> list[sa.ColumnClause[Any]]:
        """As we know them; those of an older schema as the database does."""
        source = metadata.tables.get(archived.table)
        types = {} if source is None else {column.name: column.type for column in source.c}
        found = sa.inspect(self._connection).get_columns(archived.name)
        return [sa.column(each["name"], types.get(each["name"], each["type"])) for each in found]


def _copy(source: sa.Table, archive: Archive) -> sa.Table:
    """A table with the same columns, and nothing that refers to others or must be kept in order."""
    columns: list[sa.Column[Any]] = [sa.Column(column.name, column.type) for column in source.c]
    return sa.Table(f"{_PREFIX}{source.name}__{archive.stamp}", sa.MetaData(), *columns)
