"""Waiting for files (D2)."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.unit.standard.running import answering, context_of
from tradewind.model.task_answers import ConnectionResult
from tradewind.sdk import DAG
from tradewind.sdk.exceptions import AirflowException, TaskDeferred
from tradewind.sdk.standard.file_hook import FSHook
from tradewind.sdk.standard.file_sensor import FileSensor
from tradewind.sdk.standard.package_index_hook import PackageIndexHook


def sensor(filepath: str | Path, **kwargs: Any) -> FileSensor:
    """Wait for a file."""
    with DAG("files"):
        return FileSensor(task_id="wait", filepath=str(filepath), **kwargs)


def found(filepath: str | Path, **kwargs: Any) -> bool:
    """Look once."""
    task = sensor(filepath, **kwargs)
    return task.poke(context_of(task))


def folder(conn_id: str, path: Path) -> dict[str, ConnectionResult]:
    """A connection to a folder."""
    extra = json.dumps({"path": str(path)})
    return {conn_id: ConnectionResult(conn_id=conn_id, conn_type="fs", extra=extra)}


def test_files_and_folders_with_files_are_found(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    assert found(tmp_path / "a") is False

    (tmp_path / "a" / "b" / "data.csv").touch()

    assert found(tmp_path / "a") is True
    assert found(tmp_path / "a" / "b" / "data.csv") is True
    assert found(tmp_path / "a" / "b" / "*.csv") is True
    assert found(tmp_path / "**" / "*.csv", recursive=True) is True
    assert found(tmp_path / "**" / "*.csv") is False
    assert found(tmp_path / "other") is False


def test_a_relative_path_begins_in_the_folder_of_the_connection(tmp_path: Path) -> None:
    (tmp_path / "data.csv").touch()

    with answering(connections=folder("fs_default", tmp_path)):
        assert found("data.csv") is True
    with answering(connections=folder("mine", tmp_path)):
        assert found("*.json", fs_conn_id="mine") is False


def test_a_deferrable_sensor_looks_once_and_leaves_the_rest_to_a_trigger(tmp_path: Path) -> None:
    task = sensor(tmp_path / "data.csv", deferrable=True, poke_interval=7, timeout=600, recursive=True)

    with pytest.raises(TaskDeferred) as signal:
        task.execute(context_of(task))

    assert signal.value.trigger.serialize()[1] == {
        "filepath": str(tmp_path / "data.csv"),
        "recursive": True,
        "poke_interval": 7.0,
    }
    assert signal.value.timeout == timedelta(seconds=600)
    (tmp_path / "data.csv").touch()
    task.execute(context_of(task))


def test_a_task_can_begin_in_the_triggerer(tmp_path: Path) -> None:
    task = sensor(tmp_path / "{{ ds }}", deferrable=True, start_from_trigger=True, poke_interval=7, timeout=600)

    assert task.start_trigger_args.trigger_cls.endswith("file_triggers.FileTrigger")
    assert task.start_trigger_args.trigger_kwargs == {
        "filepath": str(tmp_path / "{{ ds }}"),
        "recursive": False,
        "poke_interval": 7.0,
    }
    assert task.start_trigger_args.timeout == timedelta(seconds=600)
    assert FileSensor.start_trigger_args.trigger_kwargs == {}


def test_the_trigger_decides_how_it_ends() -> None:
    task = sensor("/data.csv")

    task.execute_complete(context_of(task), True)
    with pytest.raises(AirflowException, match=r"without having found '/data\.csv'"):
        task.execute_complete(context_of(task), None)


def test_a_folder_can_be_tested(tmp_path: Path) -> None:
    with answering(connections=folder("here", tmp_path)):
        hook = FSHook("here")
        assert hook.get_path() == str(tmp_path)
        assert hook.test_connection() == (True, f"path {str(tmp_path)!r} exists")
    with answering(connections=folder("gone", tmp_path / "gone")):
        assert FSHook("gone").test_connection()[0] is False
    with answering(connections={"empty": ConnectionResult(conn_id="empty", conn_type="fs")}):
        assert FSHook("empty").test_connection() == (False, "the connection has no path in its extra field")


@pytest.mark.parametrize(
    ("fields", "url"),
    [
        ({"host": "https://one.example/simple"}, "https://one.example/simple"),
        ({"host": "https://one.example/simple", "login": "me"}, "https://me@one.example/simple"),
        (
            {"host": "https://old@one.example:8080/simple", "login": "m e", "password": "p@w"},
            "https://m%20e:p%40w@one.example:8080/simple",
        ),
    ],
)
def test_the_address_of_a_package_index_has_its_user_in_it(fields: dict[str, Any], url: str) -> None:
    index = ConnectionResult(conn_id="package_index_default", **fields)

    with answering(connections={"package_index_default": index}):
        assert PackageIndexHook().get_conn() == url


def test_a_package_index_without_an_address_says_so() -> None:
    with answering(connections={"i": ConnectionResult(conn_id="i")}):
        with pytest.raises(ValueError, match="connection 'i' has no host"):
            PackageIndexHook("i").get_connection_url()
        assert PackageIndexHook("i").test_connection()[0] is False


def test_a_package_index_that_does_not_answer_is_noticed() -> None:
    # Port 9 of this machine: nobody answers.
    nobody = ConnectionResult(conn_id="i", host="http://127.0.0.1:9/simple", login="me", password="x")

    with answering(connections={"i": nobody}):
        works, why = PackageIndexHook("i").test_connection()

    assert works is False
    assert "127.0.0.1:9" in why
