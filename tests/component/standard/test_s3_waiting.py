"""Waiting for objects in a real server of the S3 protocol (A4)."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

import pytest
import s3fs  # type: ignore[import-untyped]
from moto.server import ThreadedMotoServer

from tradewind.sdk.exceptions import TaskDeferred
from tradewind.sdk.standard.s3_waiting import S3KeySensor, S3KeyTrigger

KEYS = {"key": "test", "secret": "test"}
PATIENCE_S = 20.0


@pytest.fixture(scope="module")
def s3() -> Iterator[str]:
    """The address of a server."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def files(s3: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Its objects; the connection `aws_default` leads there."""
    extra = urlencode({"__extra__": json.dumps({"endpoint_url": s3})})
    monkeypatch.setenv("AIRFLOW_CONN_AWS_DEFAULT", f"aws://test:test@/?{extra}")
    return s3fs.S3FileSystem(**KEYS, endpoint_url=s3, skip_instance_cache=True)


def test_the_trigger_fires_when_all_objects_are_there(files: Any) -> None:
    bucket = f"b-{uuid4()}"
    files.mkdir(bucket)
    files.pipe(f"{bucket}/one.csv", b"1")
    trigger = S3KeyTrigger(bucket, ["one.csv", f"s3://{bucket}/two.csv"], poke_interval=0.01)
    assert trigger.look() is False

    async def scenario() -> Any:
        events: Any = trigger.run()
        fired = asyncio.ensure_future(anext(events))
        done, _ = await asyncio.wait([fired], timeout=0.1)
        assert not done
        await asyncio.to_thread(files.pipe, f"{bucket}/two.csv", b"2")
        async with asyncio.timeout(PATIENCE_S):
            return (await fired).payload

    assert asyncio.run(scenario()) == {"status": "success"}
    assert S3KeyTrigger(bucket, "t*.csv", wildcard_match=True).look() is True
    assert S3KeyTrigger(bucket, "x*.csv", wildcard_match=True).look() is False


def test_the_sensor_defers_only_if_it_has_to_wait(files: Any) -> None:
    """E2."""
    bucket = f"b-{uuid4()}"
    files.mkdir(bucket)
    sensor = S3KeySensor(task_id="waits", bucket_name=bucket, bucket_key="a", deferrable=True)
    context: Any = {}

    with pytest.raises(TaskDeferred) as deferred:
        sensor.execute(context)
    assert deferred.value.trigger.serialize()[1]["bucket_key"] == "a"

    files.pipe(f"{bucket}/a", b"1")
    assert sensor.execute(context) is None
