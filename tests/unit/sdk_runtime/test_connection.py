"""Connections: as URI, as JSON, as hooks get them (D3)."""

import asyncio
import json
import logging
from typing import Any

import pytest

from tests.unit.sdk_runtime.memory_runtime import MemoryRuntime
from tradewind.model.task_answers import ConnectionResult
from tradewind.sdk.connection import Connection
from tradewind.sdk.connection_text import InvalidConnection
from tradewind.sdk.exceptions import AirflowException, AirflowNotFoundException
from tradewind.sdk.hook import BaseHook
from tradewind.sdk.log import redact
from tradewind.sdk.provider_registry import register_provider_info


class RecordingHook(BaseHook):
    """Remembers with what it was made."""

    conn_name_attr = "recording_conn_id"

    def __init__(self, recording_conn_id: str, timeout: int = 0) -> None:
        super().__init__()
        self.recording_conn_id = recording_conn_id
        self.timeout = timeout

    def test_connection(self) -> tuple[bool, str]:
        connection = self.get_connection(self.recording_conn_id)
        if connection.host == "broken":
            raise OSError("no route to broken")
        return True, f"reached {connection.host}"


class UntestableHook(BaseHook):
    """Has no test."""

    conn_name_attr = "conn_id"

    def __init__(self, conn_id: str) -> None:
        super().__init__()


register_provider_info(
    {
        "connection-types": [
            {"connection-type": "recording", "hook-class-name": f"{__name__}.RecordingHook"},
            {"connection-type": "untestable", "hook-class-name": f"{__name__}.UntestableHook"},
        ]
    }
)


def fields(connection: Connection) -> dict[str, Any]:
    """The fields that say something."""
    return {name: value for name, value in connection.to_dict(prune_empty=True).items() if value != ""}


URIS: list[tuple[str, dict[str, Any]]] = [
    (
        "postgresql://user:pass@host.com:5432/db",
        {
            "conn_type": "postgres",
            "login": "user",
            "password": "pass",
            "host": "host.com",
            "port": 5432,
            "schema": "db",
        },
    ),
    (
        "my-type://u%40ser:p%2Fa%3Ass@Host/sche%2Fma?a=b&c=%20d%26",
        {
            "conn_type": "my_type",
            "login": "u@ser",
            "password": "p/a:ss",
            "host": "host",
            "schema": "sche/ma",
            "extra": {"a": "b", "c": " d&"},
        },
    ),
    ("google-cloud-platform://?key=", {"conn_type": "google_cloud_platform", "extra": {"key": ""}}),
    ("sqlite://%2FTmp%2FMy.db", {"conn_type": "sqlite", "host": "/Tmp/My.db"}),
    ("http://:8080", {"conn_type": "http", "port": 8080}),
    ("http://:secret@host", {"conn_type": "http", "password": "secret", "host": "host"}),
    ("http://https://api.com:443/v1", {"conn_type": "http", "host": "https://api.com", "port": 443, "schema": "v1"}),
    (
        "spark://k8s://100.68.0.1:443?deploy-mode=cluster",
        {"conn_type": "spark", "host": "k8s://100.68.0.1", "port": 443, "extra": {"deploy-mode": "cluster"}},
    ),
    (
        "aws://?endpoint_url=http://localhost:4566",
        {"conn_type": "aws", "extra": {"endpoint_url": "http://localhost:4566"}},
    ),
    (
        "ssh://host/?__extra__=%7B%22nested%22%3A+%7B%22a%22%3A+%5B1%5D%7D%7D",
        {"conn_type": "ssh", "host": "host", "extra": {"nested": {"a": [1]}}},
    ),
    ("//user@host", {"login": "user", "host": "host"}),
    ("my_type://host", {"conn_type": "my_type", "host": "host"}),
]


@pytest.mark.parametrize(("uri", "expected"), URIS)
def test_uri_says_all_fields(uri: str, expected: dict[str, Any]) -> None:
    connection = Connection(conn_id="c", uri=uri)

    assert fields(connection) == {"conn_id": "c", **expected}


@pytest.mark.parametrize(("uri", "expected"), URIS)
def test_written_uri_is_read_back_the_same(uri: str, expected: dict[str, Any]) -> None:
    connection = Connection.from_uri(uri, conn_id="c")

    assert fields(Connection(conn_id="c", uri=connection.get_uri())) == {"conn_id": "c", **expected}


@pytest.mark.parametrize(
    ("given", "uri"),
    [
        ({"conn_type": "postgres", "host": "h", "login": "l", "password": "p/", "port": 1}, "postgres://l:p%2F@h:1"),
        ({"conn_type": "my_type", "port": 5}, "my-type://@:5"),
        ({"conn_type": "http", "host": "http://h"}, "http://http%3A%2F%2Fh"),
        ({"conn_type": "http", "host": "https://h"}, "http://https://h"),
        ({"conn_type": "a", "extra": '{"k": "v"}'}, "a:///?k=v"),
        ({"conn_type": "a", "schema": "s", "extra": '{"k": 1}'}, "a:///s?__extra__=%7B%22k%22%3A+1%7D"),
        ({"conn_type": "a", "extra": "no json"}, "a:///?__extra__=no+json"),
        ({"host": "h"}, "//h"),
    ],
)
def test_fields_are_written_as_uri(given: dict[str, Any], uri: str) -> None:
    assert Connection(conn_id="c", **given).get_uri() == uri


@pytest.mark.parametrize(
    "uri", ["a://b://c://d", "a://user:pass@x://host", "a://host:99999", "a://host:port/x", "a://us/er://host"]
)
def test_uri_that_makes_no_sense_is_refused_without_showing_it(uri: str) -> None:
    with pytest.raises(InvalidConnection, match="the connection 'c' cannot be read") as refusal:
        Connection.from_uri(uri, conn_id="c")

    assert uri not in str(refusal.value)


def test_json_round_trip_keeps_all_fields() -> None:
    connection = Connection(
        conn_id="c", conn_type="t", description="d", host="h", login="l", password="p", port=1, extra='{"a": [1]}'
    )

    text = connection.as_json()

    assert json.loads(text) == {
        "conn_type": "t",
        "description": "d",
        "host": "h",
        "login": "l",
        "password": "p",
        "port": 1,
        "extra": {"a": [1]},
    }
    assert Connection.from_json(text, conn_id="c") == connection


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"port": "x"}', "the port has to be a whole number, not 'x'"),
        ('{"hots": "x"}', r"unknown fields \['hots'\]"),
        ('{"host": }', "its JSON is broken in line 1, column 10"),
        ("[]", "its JSON has to be an object"),
    ],
)
def test_json_that_makes_no_sense_is_refused(text: str, problem: str) -> None:
    with pytest.raises(InvalidConnection, match=problem):
        Connection.from_json(text, conn_id="c")


def test_uri_and_fields_at_once_are_refused() -> None:
    with pytest.raises(AirflowException, match="described twice"):
        Connection(conn_id="c", uri="a://b", host="h")


def test_unknown_field_is_refused() -> None:
    with pytest.raises(TypeError, match="hots"):
        Connection(conn_id="c", hots="h")


def test_extra_that_is_no_json_counts_as_empty(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        assert Connection(conn_id="c", extra="no json").extra_dejson == {}

    assert "the extra of connection 'c' is no JSON" in caplog.text


def test_representation_shows_no_password() -> None:
    connection = Connection(conn_id="c", conn_type="t", host="h", password="hunter2222")

    assert "hunter2222" not in repr(connection)
    assert "hunter2222" not in repr(ConnectionResult(conn_id="c", password="hunter2222"))


def test_stored_connection_is_found_and_its_secrets_are_masked(runtime: MemoryRuntime) -> None:
    runtime.connections["db"] = ConnectionResult(
        conn_id="db", password="hunter2222", extra='{"api_key": "abcdefgh", "region": "north-1"}'
    )

    connection = Connection.get("db")

    assert connection.password == "hunter2222"
    assert redact("hunter2222 abcdefgh north-1") == "*** *** north-1"
    assert ("hunter2222", None) in runtime.masked


def test_connection_that_does_not_exist_is_named(runtime: MemoryRuntime) -> None:
    with pytest.raises(AirflowNotFoundException, match=r"no connection 'nope'.*TRADEWIND_CONN_NOPE"):
        Connection.get("nope")


def test_coroutines_find_connections_too(runtime: MemoryRuntime) -> None:
    runtime.connections["db"] = ConnectionResult(conn_id="db", host="h", conn_type="t", extra='{"a": "b"}')

    async def ask() -> tuple[str, str, dict[str, Any]]:
        connection = await Connection.async_get("db")
        same = await BaseHook.aget_connection("db")
        return same.host or "", await connection.aget_uri(), await connection.aextra_dejson()

    assert asyncio.run(ask()) == ("h", "t://h/?a=b", {"a": "b"})


def test_hook_is_found_by_type(runtime: MemoryRuntime) -> None:
    """D2: custom hooks."""
    runtime.connections["r"] = ConnectionResult(conn_id="r", conn_type="recording")

    hook = BaseHook.get_hook("r", hook_params={"timeout": 7})

    assert isinstance(hook, RecordingHook)
    assert (hook.recording_conn_id, hook.timeout) == ("r", 7)
    assert isinstance(asyncio.run(BaseHook.aget_hook("r")), RecordingHook)


def test_type_without_a_hook_is_named() -> None:
    with pytest.raises(AirflowException, match="no hook for connections of type 'unheard'"):
        Connection(conn_id="c", conn_type="unheard").get_hook()


def test_connection_that_is_not_stored_can_be_tested(runtime: MemoryRuntime) -> None:
    good = Connection(conn_id="r", conn_type="recording", host="there")
    broken = Connection(conn_id="r", conn_type="recording", host="broken")

    assert good.test_connection() == (True, "reached there")
    assert broken.test_connection() == (False, "no route to broken")
    with pytest.raises(AirflowNotFoundException):
        Connection.get("r")


def test_hook_without_a_test_says_so() -> None:
    assert Connection(conn_id="u", conn_type="untestable").test_connection() == (
        False,
        "UntestableHook has no test_connection, so this connection cannot be tested",
    )
    works, message = Connection(conn_id="u", conn_type="unheard").test_connection()
    assert not works
    assert "install the provider package" in message


def test_old_name_of_extras_is_deprecated() -> None:
    with pytest.warns(DeprecationWarning, match="extra_dejson"):
        assert Connection(conn_id="c", extra='{"a": 1}').get_extra_dejson() == {"a": 1}


def test_hook_has_a_logger_below_that_of_tasks() -> None:
    assert RecordingHook("r").log.name == f"airflow.task.hooks.{__name__}.RecordingHook"
    assert BaseHook("mine").log.name == "airflow.task.hooks.mine"
