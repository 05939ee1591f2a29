"""D2: `airflow.models.Connection`, and operators that work through the hook of a connection."""

from collections.abc import Iterator
from email.mime.multipart import MIMEMultipart
from typing import Any

import pytest

from tradewind.compat.adapters import email_operator
from tradewind.compat.adapters.connection import Connection
from tradewind.compat.adapters.email_operator import EmailOperator
from tradewind.compat.adapters.sql_operators import (
    GenericTransfer,
    SQLCheckOperator,
    SQLExecuteQueryOperator,
    SqlSensor,
)
from tradewind.sdk import DAG, BaseHook
from tradewind.sdk import Connection as SdkConnection
from tradewind.sdk.exceptions import AirflowException


class FakeHook:
    """A hook of a database with one row per query."""

    def __init__(self, rows: list[Any]) -> None:
        self.rows = rows
        self.ran: list[Any] = []
        self.inserted: dict[str, Any] = {}

    def get_first(self, sql: Any, parameters: Any = None) -> Any:
        return self.rows[0] if self.rows else None

    def get_records(self, sql: Any, parameters: Any = None) -> list[Any]:
        return self.rows

    def run(self, sql: Any, handler: Any = None, **kwargs: Any) -> Any:
        self.ran.append(sql)
        return self.rows if handler else None

    def insert_rows(self, table: str, rows: list[Any], **kwargs: Any) -> None:
        self.inserted = {"table": table, "rows": rows, **kwargs}


@pytest.fixture
def hooks(monkeypatch: pytest.MonkeyPatch) -> dict[str, FakeHook]:
    """Hooks by connection id."""
    found: dict[str, FakeHook] = {}
    monkeypatch.setattr(BaseHook, "get_hook", lambda conn_id, hook_params=None: found[conn_id])
    return found


@pytest.fixture(autouse=True)
def dag() -> Iterator[DAG]:
    """All operators need one."""
    with DAG("etl") as made:
        yield made


def test_connections_are_made_as_in_airflow_2() -> None:
    made = Connection("db", "postgres", host="example.org", port="5432", extra={"sslmode": "require"})

    assert (made.conn_id, made.conn_type, made.port) == ("db", "postgres", 5432)
    assert made.extra_dejson == {"sslmode": "require"}
    assert Connection(uri="http://example.org").host == "example.org"


def test_connections_of_the_sdk_are_connections() -> None:
    assert isinstance(SdkConnection(conn_id="db"), Connection)
    assert isinstance(Connection("db"), SdkConnection)
    assert not isinstance("db", Connection)


def test_stored_connections_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW_CONN_DB", "postgres://user:secret@example.org/sales")

    found = Connection.get_connection_from_secrets("db")

    assert (found.host, found.schema, found.login) == ("example.org", "sales", "user")


def test_passwords_and_extras_can_be_set() -> None:
    made = Connection("db")
    made.set_password("secret")
    made.set_extra("{}")

    assert (made.get_password(), made.get_extra()) == ("secret", "{}")


def test_a_check_fails_unless_all_values_are_true(hooks: dict[str, FakeHook]) -> None:
    hooks["db"] = FakeHook([(1, 2)])
    check = SQLCheckOperator(task_id="check", conn_id="db", sql="SELECT 1")

    check.execute({})

    for rows in ([(1, 0)], []):
        hooks["db"] = FakeHook(rows)
        with pytest.raises(AirflowException):
            check.execute({})


def test_sql_is_run_and_its_rows_returned(hooks: dict[str, FakeHook]) -> None:
    hooks["db"] = FakeHook([(1,)])
    task = SQLExecuteQueryOperator(task_id="query", conn_id="db", sql="SELECT 1")

    assert task.execute({}) == [(1,)]
    assert hooks["db"].ran == ["SELECT 1"]


def test_sql_without_a_connection_is_refused() -> None:
    with pytest.raises(AirflowException, match="conn_id"):
        SQLExecuteQueryOperator(task_id="query", sql="SELECT 1").execute({})


def test_a_sensor_waits_for_a_true_value(hooks: dict[str, FakeHook]) -> None:
    sensor = SqlSensor(task_id="wait", conn_id="db", sql="SELECT ready FROM t", failure=lambda value: value == "broken")

    outcomes = []
    for rows in ([], [(0,)], [(1,)]):
        hooks["db"] = FakeHook(rows)
        outcomes.append(sensor.poke({}))

    assert outcomes == [False, False, True]
    hooks["db"] = FakeHook([("broken",)])
    with pytest.raises(AirflowException, match="failure criterion"):
        sensor.poke({})


def test_a_sensor_may_insist_on_rows(hooks: dict[str, FakeHook]) -> None:
    hooks["db"] = FakeHook([])

    with pytest.raises(AirflowException, match="no row"):
        SqlSensor(task_id="wait", conn_id="db", sql="SELECT 1", fail_on_empty=True).poke({})


def test_rows_are_copied_from_one_database_to_another(hooks: dict[str, FakeHook]) -> None:
    hooks["source"], hooks["destination"] = FakeHook([(1,), (2,)]), FakeHook([])

    GenericTransfer(
        task_id="copy",
        sql="SELECT * FROM t",
        destination_table="t",
        source_conn_id="source",
        destination_conn_id="destination",
        preoperator="DELETE FROM t",
        insert_args={"commit_every": 10},
    ).execute({})

    assert hooks["destination"].ran == ["DELETE FROM t"]
    assert hooks["destination"].inserted == {"table": "t", "rows": [(1,), (2,)], "commit_every": 10}


def test_a_mail_is_sent_by_the_backend(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[dict[str, Any]] = []
    monkeypatch.setattr(email_operator, "send_email", lambda **message: sent.append(message))

    EmailOperator(task_id="mail", to="a@example.org", subject="Done", html_content="<b>done</b>").execute({})

    assert (sent[0]["to"], sent[0]["subject"], sent[0]["html_content"]) == ("a@example.org", "Done", "<b>done</b>")


def test_a_mail_may_have_a_sender_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[tuple[str, list[str], MIMEMultipart, str | None]] = []
    monkeypatch.setattr(email_operator, "send_mime_email", lambda *message: sent.append(message))

    EmailOperator(
        task_id="mail",
        to=["a@example.org"],
        bcc="b@example.org",
        subject="Done",
        html_content="",
        from_email="me@example.org",
    ).execute({})

    ((sender, recipients, mail, _),) = sent
    assert (sender, recipients, mail["From"]) == (
        "me@example.org",
        ["a@example.org", "b@example.org"],
        "me@example.org",
    )
