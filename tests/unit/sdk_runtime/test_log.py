"""Loggers that take fields, and secrets that stay out of logs (D5)."""

import asyncio
import io
import logging
from collections.abc import Iterator
from enum import Enum
from typing import Any

import pytest

from tests.unit.sdk_runtime.memory_runtime import MemoryRuntime
from tradewind.sdk.log import LoggingMixin, amask_secret, field_logger, mask_secret, redact, should_hide_value_for_key
from tradewind.sdk.secrets_masker import SecretsMasker, secrets_masker


class Named(LoggingMixin):
    """Has a logger."""


@pytest.fixture
def output() -> Iterator[io.StringIO]:
    """What a masked handler writes."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.addFilter(secrets_masker())
    logger = logging.getLogger("masked")
    logger.addHandler(handler)
    yield stream
    logger.removeHandler(handler)


def test_logger_is_named_after_the_class() -> None:
    assert Named().log.name == f"{__name__}.Named"
    assert Named.logger() is Named().log


def test_fields_are_part_of_the_message_and_of_the_record(caplog: pytest.LogCaptureFixture) -> None:
    logger: Any = field_logger("fields")

    with caplog.at_level(logging.INFO):
        logger.info("copied %s", "all", rows=5, share="100%")

    (record,) = caplog.records
    assert record.getMessage() == "copied all rows=5 share='100%'"
    assert record.__dict__["fields"] == {"rows": 5, "share": "100%"}


def test_record_names_the_line_that_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        Named().log.info("here", extra={"more": 1})

    assert caplog.records[0].funcName == "test_record_names_the_line_that_logged"
    assert caplog.records[0].__dict__["more"] == 1


def test_level_of_the_named_logger_counts_even_if_it_changes(caplog: pytest.LogCaptureFixture) -> None:
    logger = field_logger("changing")
    logging.getLogger("changing").setLevel(logging.ERROR)
    logger.info("not this")

    logging.getLogger("changing").setLevel(logging.INFO)
    logger.info("this")

    assert [record.message for record in caplog.records] == ["this"]


def test_known_secret_is_replaced_everywhere() -> None:
    mask_secret("hunter2222")

    assert redact("a hunter2222 b") == "a *** b"
    assert redact({"x": ["hunter2222", ("hunter2222", 5)]}) == {"x": ["***", ("***", 5)]}
    assert redact({"hunter2222"}) == {"***"}


def test_secret_that_starts_like_another_leaves_no_end_behind() -> None:
    mask_secret("abcde")
    mask_secret("abcdefghij")

    assert redact("abcdefghij abcde") == "*** ***"


def test_short_secret_and_common_words_are_not_masked() -> None:
    mask_secret("abc")
    mask_secret("airflow")

    assert redact("abc airflow") == "abc airflow"


@pytest.mark.parametrize("name", ["password", "DB_Password", "x-api-key", " my secret ", "AUTHORIZATION"])
def test_name_that_sounds_secret(name: str) -> None:
    assert should_hide_value_for_key(name)


@pytest.mark.parametrize("name", ["user", "key", "", None, 5])
def test_name_that_does_not(name: Any) -> None:
    assert not should_hide_value_for_key(name)


def test_value_under_a_secret_name_is_hidden_at_any_depth_and_keeps_its_shape() -> None:
    deep: dict[str, Any] = {"password": "x"}
    for _ in range(20):
        deep = {"inner": [deep]}

    assert "'x'" not in repr(redact(deep))
    assert redact({"token": {"a": ["x", 5], "b": ("y",)}}) == {"token": {"a": ["***", 5], "b": ("***",)}}


def test_value_that_contains_itself_does_not_hang() -> None:
    endless: dict[str, Any] = {}
    endless["self"] = endless

    assert redact(endless) == {"self": "***"}


def test_member_of_an_enum_is_redacted_by_its_value() -> None:
    class Choice(Enum):
        SECRET = "hunter2222"

    mask_secret("hunter2222")

    assert redact(Choice.SECRET) == "***"


def test_environment_variable_of_a_pod_is_redacted_by_its_name() -> None:
    class V1EnvVar:
        def to_dict(self) -> dict[str, Any]:
            return {"name": "DB_PASSWORD", "value": "x"}

    assert redact(V1EnvVar()) == {"name": "DB_PASSWORD", "value": "***"}


def test_only_what_has_a_secret_name_is_masked_when_names_are_given() -> None:
    mask_secret("public-value", name="place")
    mask_secret({"password": "hunter2222", "place": "somewhere", "list": ["elsewhere"]})

    assert redact("public-value hunter2222 somewhere elsewhere") == "public-value *** somewhere elsewhere"


def test_runtime_is_told(runtime: MemoryRuntime) -> None:
    mask_secret("hunter2222", name="password")
    asyncio.run(amask_secret("hunter3333"))
    mask_secret("")

    assert runtime.masked == [("hunter2222", "password"), ("hunter3333", None)]


def test_filter_hides_secrets_in_message_arguments_and_traceback(output: io.StringIO) -> None:
    mask_secret("hunter2222")
    error = ValueError("hunter2222 is wrong")

    try:
        raise error
    except ValueError:
        logging.getLogger("masked").exception("with %s", "hunter2222")

    assert "hunter2222" not in output.getvalue()
    assert "with ***" in output.getvalue()
    assert "ValueError: *** is wrong" in output.getvalue()
    assert str(error) == "hunter2222 is wrong"


def test_filter_hides_secrets_in_extra_attributes() -> None:
    masker = SecretsMasker()
    masker.add_mask("hunter2222")
    record = logging.LogRecord("n", logging.INFO, "p", 1, "m", (), None)
    record.answer = {"password": "x", "a": "hunter2222"}

    masker.filter(record)

    assert record.__dict__["answer"] == {"password": "***", "a": "***"}


def test_secret_is_forgotten_when_the_masker_is_reset() -> None:
    masker = SecretsMasker()
    masker.add_mask("hunter2222")
    assert masker.redact("hunter2222") == "***"

    masker.reset_masker()

    assert masker.redact("hunter2222") == "hunter2222"


def test_adapter_and_names_are_configurable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRADEWIND__LOGGING__SECRET_MASK_ADAPTER", "urllib.parse.quote")
    monkeypatch.setenv("TRADEWIND__CORE__SENSITIVE_VAR_CONN_NAMES", "Pin, other")
    monkeypatch.setenv("TRADEWIND__LOGGING__MIN_LENGTH_MASKED_SECRET", "3")
    masker = SecretsMasker()

    masker.add_mask("a b c")
    masker.add_mask("1234", name="my_pin")

    assert masker.redact("a%20b%20c and 1234") == "*** and ***"
