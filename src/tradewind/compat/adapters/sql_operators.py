"""Operators that speak SQL through the hook of a connection. For where the provider `common.sql` is not installed.

They work with every hook that has `get_first`, `get_records`, `run` and `insert_rows`, as those of databases have.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tradewind.sdk.exceptions import AirflowException
from tradewind.sdk.hook import BaseHook
from tradewind.sdk.operator import BaseOperator
from tradewind.sdk.sensor import BaseSensorOperator


class _OverConnection(BaseOperator):
    """An operator with the hook of a connection."""

    template_fields: Sequence[str] = ("conn_id", "sql")
    template_ext: Sequence[str] = (".sql",)

    def __init__(
        self,
        *,
        sql: str | list[str],
        conn_id: str | None = None,
        hook_params: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.sql = sql
        self.conn_id = conn_id
        self.hook_params = hook_params

    def get_db_hook(self) -> Any:
        """The hook of the connection."""
        if self.conn_id is None:
            raise AirflowException(f"task {self.task_id!r} needs a conn_id")
        return BaseHook.get_hook(self.conn_id, hook_params=self.hook_params)


class SQLExecuteQueryOperator(_OverConnection):
    """Runs SQL; what it returns is what the last statement returns."""

    template_fields: Sequence[str] = ("conn_id", "sql", "parameters")

    def __init__(
        self,
        *,
        autocommit: bool = False,
        parameters: Any = None,
        handler: Callable[[Any], Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.autocommit = autocommit
        self.parameters = parameters
        self.handler = handler

    def execute(self, context: Any) -> Any:
        handler = self.handler or _all_rows
        return self.get_db_hook().run(
            self.sql,
            autocommit=self.autocommit,
            parameters=self.parameters,
            handler=handler if self.do_xcom_push else None,
        )


def _all_rows(cursor: Any) -> Any:
    return cursor.fetchall() if cursor.description else None


class SQLCheckOperator(_OverConnection):
    """Fails unless every value of the first row that the SQL returns counts as true."""

    template_fields: Sequence[str] = ("conn_id", "sql", "parameters")

    def __init__(self, *, parameters: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.parameters = parameters

    def execute(self, context: Any) -> None:
        row = self.get_db_hook().get_first(self.sql, self.parameters)
        if not row:
            raise AirflowException(f"the SQL returned no row: {self.sql}")
        if not all(row):
            raise AirflowException(f"the check failed; the SQL returned {row}: {self.sql}")


class SqlSensor(BaseSensorOperator):
    """Waits until the first value of the first row that the SQL returns counts as true."""

    template_fields: Sequence[str] = ("sql", "parameters")
    template_ext: Sequence[str] = (".hql", ".sql")

    def __init__(
        self,
        *,
        conn_id: str,
        sql: str,
        parameters: Any = None,
        success: Callable[[Any], bool] | None = None,
        failure: Callable[[Any], bool] | None = None,
        selector: Callable[[Any], Any] = lambda row: row[0],
        fail_on_empty: bool = False,
        hook_params: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.conn_id = conn_id
        self.sql = sql
        self.parameters = parameters
        self.success = success
        self.failure = failure
        self.selector = selector
        self.fail_on_empty = fail_on_empty
        self.hook_params = hook_params

    def poke(self, context: Any) -> bool:
        rows = BaseHook.get_hook(self.conn_id, hook_params=self.hook_params).get_records(self.sql, self.parameters)
        if not rows:
            if self.fail_on_empty:
                raise AirflowException(f"the SQL returned no row: {self.sql}")
            return False
        value = self.selector(rows[0])
        if self.failure is not None and self.failure(value):
            raise AirflowException(f"the failure criterion holds for {value!r}")
        return bool(self.success(value) if self.success is not None else value)


class GenericTransfer(BaseOperator):
    """Copies what a query returns in one database into a table of another. All rows pass through memory."""

    template_fields: Sequence[str] = (
        "source_conn_id",
        "destination_conn_id",
        "sql",
        "destination_table",
        "preoperator",
    )
    template_ext: Sequence[str] = (".sql", ".hql")

    def __init__(
        self,
        *,
        sql: str | list[str],
        destination_table: str,
        source_conn_id: str,
        destination_conn_id: str,
        source_hook_params: dict[str, Any] | None = None,
        destination_hook_params: dict[str, Any] | None = None,
        preoperator: str | list[str] | None = None,
        insert_args: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.sql = sql
        self.destination_table = destination_table
        self.source_conn_id = source_conn_id
        self.destination_conn_id = destination_conn_id
        self.source_hook_params = source_hook_params
        self.destination_hook_params = destination_hook_params
        self.preoperator = preoperator
        self.insert_args = insert_args or {}

    def execute(self, context: Any) -> None:
        source = BaseHook.get_hook(self.source_conn_id, hook_params=self.source_hook_params)
        destination = BaseHook.get_hook(self.destination_conn_id, hook_params=self.destination_hook_params)
        rows: Iterable[Any] = source.get_records(self.sql)
        if self.preoperator:
            destination.run(self.preoperator)
        destination.insert_rows(table=self.destination_table, rows=rows, **self.insert_args)
