"""Waiting for objects in S3, and in what speaks its protocol. Looking there blocks, so triggers do so in threads."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any

import fsspec  # type: ignore[import-untyped]

from tradewind.model.file_system_options import file_system_options
from tradewind.sdk.configuration import conf
from tradewind.sdk.connection import Connection
from tradewind.sdk.context import Context
from tradewind.sdk.exceptions import AirflowNotFoundException
from tradewind.sdk.sensor import BaseSensorOperator
from tradewind.sdk.triggers import BaseTrigger, TriggerEvent


def are_there(keys: Sequence[str], bucket: str | None, conn_id: str | None, *, has_wildcards: bool) -> bool:
    """Whether there is an object for each of the keys. A key may be a whole `s3://` address."""
    files = _files(conn_id)
    files.invalidate_cache()  # what was not there a moment ago may be there now
    addresses = [key.partition("://")[2] if "://" in key else f"{bucket}/{key}" for key in keys]
    return all(files.glob(address) if has_wildcards else files.exists(address) for address in addresses)


def _files(conn_id: str | None) -> Any:
    """The objects that a connection leads to; without one, those that the environment does."""
    options: dict[str, Any] = {}
    if conn_id is not None:
        with suppress(AirflowNotFoundException):
            found = Connection.get(conn_id)
            options = file_system_options("aws", found.login, found.password, found.extra_dejson)
    return fsspec.filesystem("s3", **options)


class S3KeyTrigger(BaseTrigger):
    """Fires when there is an object for each of the keys."""

    def __init__(
        self,
        bucket_name: str | None,
        bucket_key: str | list[str],
        wildcard_match: bool = False,
        aws_conn_id: str | None = "aws_default",
        poke_interval: float = 5.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.bucket_name = bucket_name
        self.bucket_key = bucket_key
        self.wildcard_match = wildcard_match
        self.aws_conn_id = aws_conn_id
        self.poke_interval = poke_interval

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """What another process needs to make the same trigger."""
        names = ("bucket_name", "bucket_key", "wildcard_match", "aws_conn_id", "poke_interval")
        return f"{__name__}.S3KeyTrigger", {name: getattr(self, name) for name in names}

    def look(self) -> bool:
        """Whether they are there."""
        keys = [self.bucket_key] if isinstance(self.bucket_key, str) else self.bucket_key
        return are_there(keys, self.bucket_name, self.aws_conn_id, has_wildcards=self.wildcard_match)

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """Look until they are there."""
        while not await asyncio.to_thread(self.look):  # noqa: ASYNC110 - buckets send no events
            await asyncio.sleep(self.poke_interval)
        yield TriggerEvent({"status": "success"})


class S3KeySensor(BaseSensorOperator):
    """Wait until there is an object for each of the keys."""

    template_fields: Sequence[str] = ("bucket_key", "bucket_name")

    def __init__(
        self,
        *,
        bucket_key: str | list[str],
        bucket_name: str | None = None,
        wildcard_match: bool = False,
        aws_conn_id: str | None = "aws_default",
        deferrable: bool = conf.getboolean("operators", "default_deferrable", fallback=False),
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.bucket_key = bucket_key
        self.bucket_name = bucket_name
        self.wildcard_match = wildcard_match
        self.aws_conn_id = aws_conn_id
        self.deferrable = deferrable

    def poke(self, context: Context) -> bool:
        """Look once."""
        return self._trigger().look()

    def execute(self, context: Context) -> Any:
        """Wait, in this worker or for a trigger."""
        if not self.deferrable:
            return super().execute(context)
        if not self.poke(context):
            self.defer(trigger=self._trigger(), method_name="execute_complete", timeout=timedelta(seconds=self.timeout))
        return None

    def execute_complete(self, context: Context, event: Any = None) -> None:
        """They are there."""

    def _trigger(self) -> S3KeyTrigger:
        return S3KeyTrigger(
            self.bucket_name, self.bucket_key, self.wildcard_match, self.aws_conn_id, self.poke_interval
        )
