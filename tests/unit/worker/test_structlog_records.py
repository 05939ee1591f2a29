"""What is logged with structlog is in the log of a task as all else is (D5)."""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog

from tradewind.worker.child.log_record import described
from tradewind.worker.child.structlog_records import join_structlog


@pytest.fixture(autouse=True)
def joined() -> Iterator[None]:
    structlog.reset_defaults()
    join_structlog()
    yield
    structlog.reset_defaults()
    structlog.contextvars.clear_contextvars()


def told(caplog: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    """The records as they stand in a log."""
    return [record for each in caplog.records for record in described(each)]


def test_fields_are_kept_apart_from_the_text(caplog: pytest.LogCaptureFixture) -> None:
    structlog.contextvars.bind_contextvars(run="r1")
    with caplog.at_level(logging.INFO):
        log = structlog.get_logger("of.mine").bind(ship="Ada")
        log.info("copied 100 %", rows=5, msg="odd", args=[1], level=3, password="hush")
        log.debug("not heard")

    (record,) = told(caplog)
    assert (record["event"], record["logger"], record["level"]) == ("copied 100 %", "of.mine", "info")
    assert (record["rows"], record["msg"], record["args"], record["ship"], record["run"]) == (
        5,
        "odd",
        [1],
        "Ada",
        "r1",
    )
    assert record["password"] == "***"
    assert (record["filename"], caplog.records[0].funcName) == (
        Path(__file__).name,
        "test_fields_are_kept_apart_from_the_text",
    )
    assert "rows=5" in caplog.text  # for those who see only text


def test_the_module_is_the_name_where_none_is_given(caplog: pytest.LogCaptureFixture) -> None:
    structlog.get_logger().warning("careful: %s", "thin ice")

    (record,) = told(caplog)
    assert (record["event"], record["logger"]) == ("careful: thin ice", __name__)


def test_exceptions_are_data(caplog: pytest.LogCaptureFixture) -> None:
    try:
        raise ValueError("as it should")
    except ValueError:
        structlog.get_logger("of.mine").exception("it failed", step=2)

    (record,) = told(caplog)
    assert (record["event"], record["level"], record["step"]) == ("it failed", "error", 2)
    assert record["error_detail"][0]["exc_value"] == "as it should"


def test_whoever_has_configured_it_is_left_alone(capsys: pytest.CaptureFixture[str]) -> None:
    structlog.reset_defaults()
    structlog.configure(processors=[structlog.processors.JSONRenderer()])

    join_structlog()
    structlog.get_logger().info("mine")

    assert capsys.readouterr().out == '{"event": "mine"}\n'
