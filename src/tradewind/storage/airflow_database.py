"""A metadata database of Airflow, opened to be read: which Airflow it is of, and which tables and columns it has."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import sqlalchemy as sa

from tradewind.errors import DatabaseError, DatabaseUnavailable
from tradewind.storage.database import create_engine
from tradewind.storage.revision import revision_of
from tradewind.storage.types import AnyRow

Wanted = tuple[tuple[str, sa.types.TypeEngine[Any]], ...]
"""Names of columns, and what is read from them."""

_NEEDED: Final = ("connection", "variable", "slot_pool", "dag", "dag_run", "task_instance")
_FURTHER: Final = (
    "ab_", "dag_run_note", "task_instance_note", "task_instance_history", "xcom", "serialized_dag", "hitl_detail",
)  # fmt: skip
"""How the names of those begin that are read if they are there."""
_VERSIONS: Final = {
    "4bc4d934e2bc": "2.6",
    "405de8318b3a": "2.7",
    "10b52ebd31f7": "2.8",
    "88344c1d9134": "2.8",
    "1949afb29106": "2.9",
    "686269002441": "2.9",
    "22ed7efa9da2": "2.10",
    "5f2621c13b39": "2.10",
    "29ce7909c52b": "3.0",
    "fe199e1abd77": "3.0",
    "cc92b33c6709": "3.1",
    "509b94a1042d": "3.1",
    "1d6611b6ab7c": "3.2",
    "d2f4e1b3c5a7": "3.3",
}
"""By the revision of the schema, the Airflow that brought it. Others are told apart by their columns."""


@dataclass(frozen=True, slots=True)
class AirflowDatabase:
    """A connection in the middle of a transaction that only reads."""

    connection: sa.Connection
    columns: Mapping[str, frozenset[str]]
    """Of each table that there is."""
    version: str

    @property
    def is_of_airflow_3(self) -> bool:
        """Whether runs have what Airflow 3 gave them."""
        return "run_after" in self.columns["dag_run"]

    def has(self, table: str, *columns: str) -> bool:
        """Whether there is such a table, with all of these columns."""
        return table in self.columns and self.columns[table].issuperset(columns)

    def table(self, name: str) -> sa.TableClause:
        """With the columns that it has here, of whatever types."""
        return sa.table(name, *(sa.column(column) for column in sorted(self.columns.get(name, ()))))

    def rows(self, name: str, wanted: Wanted, order: str) -> Sequence[AnyRow]:
        """All of a table."""
        table = self.table(name)
        return self.connection.execute(sa.select(*columns_of(table, wanted)).order_by(table.c[order])).all()


def columns_of(table: sa.FromClause, wanted: Wanted) -> list[sa.ColumnElement[Any]]:
    """These columns; nothing in the place of one that this Airflow does not have."""
    return [column_of(table, name, type_).label(name) for name, type_ in wanted]


def column_of(table: sa.FromClause, name: str, type_: sa.types.TypeEngine[Any]) -> sa.ColumnElement[Any]:
    """One of them."""
    return sa.type_coerce(table.c[name] if name in table.c else sa.null(), type_)


@contextmanager
def opened_airflow(url: str) -> Iterator[AirflowDatabase]:
    """One view of the database, which stays the same as long as the block runs and through which nothing can be
    written.

    Raises:
        DatabaseUnavailable: it cannot be reached.
        DatabaseError: it is not one of Airflow, or of one that is too old.
    """
    engine = _engine(url)
    try:
        with _connected(engine) as connection:
            yield _recognized(connection)
    finally:
        engine.dispose()


@contextmanager
def _connected(engine: sa.Engine) -> Iterator[sa.Connection]:
    try:
        connection = engine.connect()
        _only_read(connection)
    except (sa.exc.DBAPIError, ImportError) as error:
        reason = getattr(error, "orig", None) or error
        raise DatabaseUnavailable(f"no connection to Airflow's database: {_line(reason)}") from None
    with connection:
        yield connection


def _engine(url: str) -> sa.Engine:
    try:
        given = sa.make_url(url)
    except sa.exc.ArgumentError:  # its text has the whole address, with the password
        raise DatabaseError("the address of Airflow's database cannot be read: is it like sqlite:////a/file?") from None
    if given.get_backend_name() != "sqlite":
        try:
            return create_engine(url, pool_size=1)
        except (ImportError, sa.exc.NoSuchModuleError) as error:
            raise DatabaseUnavailable(f"no connection to Airflow's database: {_line(error)}") from None
    path = Path(given.database or "")
    if not path.is_file():
        raise DatabaseUnavailable(f"no connection to Airflow's database: there is no file {path}")
    # Not `create_engine`: it would change how the file keeps its log. The mode keeps SQLite itself from writing.
    file = f"file:{quote(str(path.absolute()))}?mode=ro&uri=true"
    engine = sa.create_engine(f"sqlite:///{file}", poolclass=sa.NullPool)
    sa.event.listen(engine, "connect", _say_begin_ourselves)
    sa.event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN"))
    return engine


def _say_begin_ourselves(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # else Python begins no transaction for what only reads


def _only_read(connection: sa.Connection) -> None:
    """The view is the one of the first statement."""
    match connection.dialect.name:
        case "postgresql":
            connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        case "mysql":
            connection.execution_options(isolation_level="REPEATABLE READ")
            connection.exec_driver_sql("SET SESSION TRANSACTION READ ONLY")
            connection.commit()
        case _:
            pass


def _recognized(connection: sa.Connection) -> AirflowDatabase:
    try:
        inspector = sa.inspect(connection)
        names = set(inspector.get_table_names())
        missing = next((name for name in _NEEDED if name not in names), None)
        if missing is not None:
            raise DatabaseError(f"this is no metadata database of Airflow: it has no table {missing!r}")
        wanted = [name for name in sorted(names) if name in _NEEDED or name.startswith(_FURTHER)]
        columns = {name: frozenset(column["name"] for column in inspector.get_columns(name)) for name in wanted}
        revision = revision_of(connection)
    except sa.exc.DBAPIError as error:  # a file that is no database, a user who may see no table
        raise DatabaseError(f"Airflow's database cannot be read: {_line(error.orig or error)}") from None
    return AirflowDatabase(connection, columns, _version(columns, revision))


def _version(columns: Mapping[str, frozenset[str]], revision: str | None) -> str:
    where = f"schema revision {revision or 'unknown'}"
    if not columns["task_instance"].issuperset(("run_id", "map_index")) or "conn_id" not in columns["connection"]:
        raise DatabaseError(f"this database is of an Airflow before 2.3 ({where}): bring it to a newer one first")
    if revision in _VERSIONS:
        return f"Airflow {_VERSIONS[revision]} ({where})"
    return f"Airflow {3 if 'run_after' in columns['dag_run'] else 2} ({where})"


def _line(error: object) -> str:
    """What a driver says, in one line."""
    return " ".join(str(error).split())
