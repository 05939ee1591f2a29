"""Copies of logs elsewhere: in a folder and in a real server of the S3 protocol (D5)."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
import s3fs  # type: ignore[import-untyped]
from moto.server import ThreadedMotoServer

from tests.unit.task_logs.logs import TRY, line, put
from tradewind.errors import SettingsError
from tradewind.model.task_answers import ConnectionResult
from tradewind.settings import LoggingSettings
from tradewind.task_logs.places import log_name
from tradewind.task_logs.reader import LogReader
from tradewind.task_logs.remote import RemoteLogs, make_remote_logs
from tradewind.task_logs.shipper import LogShipper

NAME = log_name(TRY)
TRIGGER = f"{NAME}.trigger.1.log"
KEYS = {"key": "test", "secret": "test"}


@pytest.fixture(scope="module")
def s3() -> Iterator[str]:
    """The address of a server."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture(params=["folder", "s3"])
def remote(request: pytest.FixtureRequest, tmp_path: Path) -> RemoteLogs:
    """An empty place for logs."""
    if request.param == "folder":
        return RemoteLogs((tmp_path / "elsewhere").as_uri())
    address: str = request.getfixturevalue("s3")
    return RemoteLogs(f"s3://{new_bucket(address)}/logs/", {**KEYS, "endpoint_url": address})


def new_bucket(address: str) -> str:
    name = f"logs-{uuid4()}"
    s3fs.S3FileSystem(**KEYS, endpoint_url=address, skip_instance_cache=True).mkdir(name)
    return name


def said(reader: LogReader) -> list[str]:
    return [message["event"] for message in reader.all(TRY)]


def test_a_log_is_read_from_the_copy_when_it_is_gone_here(tmp_path: Path, remote: RemoteLogs) -> None:
    path = put(tmp_path, line(0, "first") + line(1, "second"))
    put(tmp_path, line(0.5, "of a trigger"), suffix=".trigger.1.log")

    for name in (NAME, TRIGGER):
        remote.store(tmp_path, name, deletes_local=True)

    assert not path.exists()
    assert remote.size(NAME) == len(line(0, "first") + line(1, "second"))
    assert remote.names_like(f"{NAME}.trigger.") == [TRIGGER]
    assert said(LogReader(tmp_path, remote)) == ["first", "of a trigger", "second"]


def test_what_is_not_there_is_nothing(tmp_path: Path, remote: RemoteLogs) -> None:
    assert remote.size(NAME) is None
    assert remote.read(NAME) is None
    assert remote.names_like(NAME) == []
    assert said(LogReader(tmp_path, remote)) == []

    remote.store(tmp_path, NAME)  # nothing was logged
    assert remote.read(NAME) is None


def test_storing_a_log_again_adds_what_is_new(tmp_path: Path, remote: RemoteLogs) -> None:
    path = put(tmp_path, line(0, "first"))
    remote.store(tmp_path, NAME)
    remote.store(tmp_path, NAME)
    with path.open("a") as file:
        file.write(line(1, "second"))
    remote.store(tmp_path, NAME)

    assert remote.read(NAME) == path.read_bytes()


def test_machines_that_share_a_try_share_its_log(tmp_path: Path, remote: RemoteLogs) -> None:
    """A task may be deferred on one machine and go on on another, which has nothing of what was logged before."""
    first, second = tmp_path / "first", tmp_path / "second"
    put(first, line(0, "deferred"))
    remote.store(first, NAME)
    put(second, line(5, "resumed"))
    remote.store(second, NAME)
    remote.store(first, NAME)
    remote.store(second, NAME)

    assert said(LogReader(tmp_path / "third", remote)) == ["deferred", "resumed"]


def test_a_log_that_was_deleted_here_grows_there(tmp_path: Path, remote: RemoteLogs) -> None:
    put(tmp_path, line(0, "deferred"))
    remote.store(tmp_path, NAME, deletes_local=True)
    put(tmp_path, line(5, "resumed"))
    remote.store(tmp_path, NAME, deletes_local=True)

    assert said(LogReader(tmp_path, remote)) == ["deferred", "resumed"]


def test_many_logs_are_shipped_in_the_background(tmp_path: Path, remote: RemoteLogs) -> None:
    tries = [TRY._replace(map_index=number) for number in range(20)]
    shipper = LogShipper(remote, tmp_path, deletes_local=True)
    for each in tries:
        put(tmp_path, line(0, f"of {each.map_index}"), of=each)
        shipper.ship(log_name(each), is_over=each.map_index % 2 == 0)
    shipper.close()

    reader = LogReader(tmp_path, remote)
    assert [[message["event"] for message in reader.all(each)] for each in tries] == [
        [f"of {number}"] for number in range(20)
    ]
    # Others may still be written to.
    assert [(tmp_path / log_name(each)).exists() for each in tries] == [False, True] * 10


def test_the_last_word_about_a_log_is_not_lost_while_it_is_under_way(tmp_path: Path) -> None:
    path = put(tmp_path / "here", line(0, "deferred"))
    remote = _SlowLogs(str(tmp_path / "there"))
    shipper = LogShipper(remote, tmp_path / "here", deletes_local=True)

    shipper.ship(NAME, is_over=False)
    assert remote.has_begun.wait(timeout=30)
    with path.open("a") as file:
        file.write(line(1, "resumed"))
    shipper.ship(NAME, is_over=True)
    remote.may_go_on.set()
    shipper.close()

    assert not path.exists()
    assert remote.read(NAME) == (line(0, "deferred") + line(1, "resumed")).encode()


def test_what_could_not_be_stored_is_stored_by_the_next_worker(tmp_path: Path, remote: RemoteLogs) -> None:
    """E1: the storage was away, and the worker was started anew."""
    owed, later = TRY._replace(map_index=1), TRY._replace(map_index=2)
    for each in (owed, later):
        put(tmp_path, line(0, f"of {each.map_index}"), of=each)
    failures: list[str] = []
    first = LogShipper(_AwayLogs("memory://away"), tmp_path, fail=lambda name, _error: failures.append(name))
    first.ship(log_name(owed), is_over=True)
    first.close()
    assert (failures, remote.read(log_name(owed))) == ([log_name(owed)], None)

    second = LogShipper(remote, tmp_path)
    second.ship(log_name(later), is_over=True)
    second.close()

    assert [remote.read(log_name(each)) for each in (owed, later)] == [
        line(0, f"of {number}").encode() for number in (1, 2)
    ]
    assert not any((tmp_path / ".to-be-copied").iterdir())


class _AwayLogs(RemoteLogs):
    """Stores nothing."""

    def store(self, folder: Path, name: str, *, deletes_local: bool = False) -> None:
        raise ConnectionError("the storage is away")


class _SlowLogs(RemoteLogs):
    """Stores the first log only when it is let."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.has_begun = threading.Event()
        self.may_go_on = threading.Event()

    def read(self, name: str) -> bytes | None:
        # It has read the file here by now, and has yet to write the copy.
        self.has_begun.set()
        assert self.may_go_on.wait(timeout=30)
        return super().read(name)


def test_a_log_that_cannot_be_stored_stays_and_is_told_of(tmp_path: Path, s3: str) -> None:
    path = put(tmp_path, line(0, "first"))
    remote = RemoteLogs("s3://no-such-bucket/logs", {**KEYS, "endpoint_url": s3})
    failed: list[tuple[str, Exception]] = []
    shipper = LogShipper(remote, tmp_path, deletes_local=True, fail=lambda name, error: failed.append((name, error)))

    shipper.ship(NAME, is_over=True)
    shipper.close()

    assert path.exists()
    assert [name for name, _ in failed] == [NAME]
    assert "bucket" in str(failed[0][1]).lower()


def test_the_deployment_says_where_and_a_connection_with_which_keys(tmp_path: Path, s3: str) -> None:
    url = f"s3://{new_bucket(s3)}/logs"
    extra = json.dumps({"endpoint_url": s3, "region_name": "eu-central-1"})
    connection = ConnectionResult(conn_id="logs", conn_type="aws", login="test", password="test", extra=extra)
    put(tmp_path, line(0, "first"))

    remote = make_remote_logs(LoggingSettings(remote_logging=True, remote_base_log_folder=url), connection)

    assert remote is not None
    remote.store(tmp_path, NAME)
    assert remote.read(NAME) == line(0, "first").encode()


def test_without_remote_logging_there_are_no_copies() -> None:
    assert make_remote_logs(LoggingSettings(remote_base_log_folder="s3://bucket")) is None


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("", "remote_base_log_folder does not say where"),
        ("nonsense://bucket", "'nonsense://bucket', for which there is no file system: Protocol not known"),
    ],
)
def test_a_place_that_is_none_is_refused(url: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        make_remote_logs(LoggingSettings(remote_logging=True, remote_base_log_folder=url))
