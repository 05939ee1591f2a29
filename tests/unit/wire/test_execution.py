"""Results of attempts on their way to the Execution API."""

from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from tradewind.model.attempt_end import AttemptResult, Deferral, InputAwaited, OutletEvent, Usage
from tradewind.model.ids import AttemptKey, RunKey
from tradewind.model.task import AwaitingInput, Deferred, EndReport, Failed, Rescheduled, Skipped, Succeeded
from tradewind.wire.execution import Result, decode_result, encode_result

AT = datetime(2026, 1, 1, tzinfo=UTC)
KEY = AttemptKey(RunKey(7), "load", 2, 3)


@pytest.mark.parametrize(
    "report",
    [
        Succeeded(KEY, AT, AT, map_length=3, skips=("a", "b")),
        Failed(KEY, AT, AT, reason="boom", may_retry=False, retry_delay_s=2.5),
        Skipped(KEY, AT, reason="not today"),
        Rescheduled(KEY, AT, until=AT + timedelta(1)),
        Deferred(KEY, AT, until=AT),
        AwaitingInput(KEY, AT),
    ],
    ids=lambda report: type(report).__name__,
)
def test_a_result_arrives_as_it_was_sent(report: EndReport) -> None:
    event = OutletEvent(name="a", uri="b", extra={"x": float("inf")}, partition_keys=("p",))
    result = AttemptResult(report=report, outlet_events=(event,), usage=Usage(1.5, 10))

    assert decode_result(KEY, encode_result(result)) == result


@pytest.mark.parametrize(
    "waits_for",
    [
        Deferral(trigger_path="a.B", trigger_kwargs={"n": 1}, next_method="m", timeout=timedelta(seconds=5)),
        InputAwaited(next_method="m", next_kwargs=[1]),
    ],
)
def test_so_does_what_it_waits_for(waits_for: Deferral | InputAwaited) -> None:
    result = AttemptResult(report=Deferred(KEY, AT), waits_for=waits_for)

    assert decode_result(KEY, encode_result(result)) == result


@pytest.mark.parametrize("data", [b"", b"\x00", msgspec.msgpack.encode({"state": "running"})])
def test_what_is_no_result_is_refused(data: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        decode_result(KEY, data)


def test_nor_is_a_state_in_which_nothing_ends() -> None:
    with pytest.raises(ValueError, match="'running'"):
        decode_result(KEY, msgspec.msgpack.encode(Result(state="running", at=AT)))
