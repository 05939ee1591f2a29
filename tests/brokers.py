"""Message brokers that tests use: Redis and RabbitMQ of this machine, or those that variables name.

A broker that does not answer skips its tests; `TRADEWIND_TEST_REQUIRE` with its name makes that a failure.
"""

import os
import socket
from typing import Final, Literal, NoReturn
from urllib.parse import urlsplit

import pytest

BrokerKind = Literal["redis", "rabbitmq"]
BROKER_KINDS: Final[tuple[BrokerKind, ...]] = ("redis", "rabbitmq")
_URLS: Final = {
    "redis": ("TRADEWIND_TEST_REDIS_URL", "redis://127.0.0.1:6379/9"),
    "rabbitmq": ("TRADEWIND_TEST_RABBITMQ_URL", "amqp://guest:guest@127.0.0.1:5672/%2F"),
}
_PATIENCE_S: Final = 2.0


def url_of(kind: BrokerKind) -> str:
    """Where it should be."""
    variable, usual = _URLS[kind]
    return os.environ.get(variable, usual)


def broker_url(kind: BrokerKind) -> str:
    """Where it is. Skips the test if nobody answers there."""
    url = url_of(kind)
    parts = urlsplit(url)
    try:
        socket.create_connection((str(parts.hostname), parts.port or 0), timeout=_PATIENCE_S).close()
    except OSError as error:
        _leave_out(kind, f"NOT TESTED WITH {kind.upper()}: no server at {parts.hostname}:{parts.port}: {error}")
    return url


def _leave_out(kind: BrokerKind, reason: str) -> NoReturn:
    if kind in {word.strip() for word in os.environ.get("TRADEWIND_TEST_REQUIRE", "").split(",")}:
        pytest.fail(f"{reason}; TRADEWIND_TEST_REQUIRE demands it")
    pytest.skip(reason)
