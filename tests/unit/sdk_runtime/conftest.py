"""A runtime for each test, and no secrets left over from the last one."""

from collections.abc import Iterator

import pytest

from tests.unit.sdk_runtime.memory_runtime import MemoryRuntime
from tradewind.sdk.runtime import use_runtime
from tradewind.sdk.secrets_masker import reset_secrets_masker


@pytest.fixture
def runtime() -> Iterator[MemoryRuntime]:
    """What answers in this test."""
    with use_runtime(MemoryRuntime()) as runtime:
        assert isinstance(runtime, MemoryRuntime)
        yield runtime


@pytest.fixture(autouse=True)
def no_secrets() -> Iterator[None]:
    """Secrets of one test must not be hidden in another."""
    yield
    reset_secrets_masker()
