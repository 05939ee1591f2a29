"""What a supervisor and the Execution API say to each other, as JSON. See docs/execution-api.md.

Texts that come from authors (arguments, answers) travel as texts of their own, as over the pipe; so do results, in the
encoding of the pipe: it knows numbers that JSON has no word for.
"""

import dataclasses
from datetime import datetime
from typing import Any, Final

import msgspec

from tradewind.model.assignment import WorkOrder
from tradewind.model.attempt_end import AttemptResult, Deferral, InputAwaited, Usage
from tradewind.model.ids import AttemptKey
from tradewind.model.states import TaskState
from tradewind.model.task import AwaitingInput, Deferred, EndReport, Failed, Rescheduled, Skipped, Succeeded
from tradewind.wire.outcome import Outcome

DONE: Final = 200
NOT_KNOWN: Final = 401
"""The token does not count."""
NOT_ALLOWED: Final = 403
TOO_LATE: Final = 409
"""Called off, begun by somebody else, or succeeded by another attempt."""
NO_SENSE: Final = 422
NOTHING: Final = msgspec.Raw(b"null")


class Life(msgspec.Struct, frozen=True):
    """Of the supervisor that asks."""

    hostname: str
    pid: int


class LifeBegun(msgspec.Struct, frozen=True):
    """With this token it is known from now on."""

    token: str
    longest_body: int
    """In bytes: what is longer is not read."""


class Begin(msgspec.Struct, frozen=True):
    """An attempt that its executor has handed out."""

    token: str


class Begun(msgspec.Struct, frozen=True, omit_defaults=True):
    """It runs, as far as the engine is concerned; without an order it must not."""

    status: int = DONE
    order: msgspec.Raw = NOTHING
    """A `WorkOrder`, or nothing."""
    token: str = ""
    """With which the attempt asks, lives and ends."""


class Asked(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the task of an attempt asks for or says."""

    token: str
    method: str
    arguments: str
    is_repeat: bool = False


class Answered(msgspec.Struct, frozen=True, omit_defaults=True):
    """The answer, or the kind and message of the error that the task gets."""

    value: str = "null"
    status: int = DONE
    error_kind: str | None = None
    error: str = ""


class Ended(msgspec.Struct, frozen=True):
    """How an attempt ended: a `Result`."""

    token: str
    outcome: bytes


class Given(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a supervisor has for the engine at one time: `model.exchange.Exchange`. Each part is judged by itself."""

    requests: tuple[Asked, ...] = ()
    results: tuple[Ended, ...] = ()
    begins: tuple[Begin, ...] = ()


class Taken(msgspec.Struct, frozen=True, omit_defaults=True):
    """What became of each, in the same order; of a result, its status."""

    answers: tuple[Answered, ...] = ()
    results: tuple[int, ...] = ()
    begins: tuple[Begun, ...] = ()


class Alive(msgspec.Struct, frozen=True):
    """The attempts that run, by their tokens."""

    attempts: tuple[str, ...] = ()


class Heard(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who must stop, and the tokens that count from now on; of each attempt, in the same order."""

    statuses: tuple[int, ...] = ()
    tokens: tuple[str | None, ...] = ()
    """None: the one that it has is good."""
    token: str | None = None
    """That of the supervisor itself."""


class Result(Outcome, kw_only=True, omit_defaults=True):
    """A `model.attempt_end.AttemptResult`."""

    started_at: datetime | None = None
    usage: Usage | None = None


_REPORTS: Final[dict[str, type[Any]]] = {
    TaskState.SUCCESS: Succeeded,
    TaskState.FAILED: Failed,
    TaskState.SKIPPED: Skipped,
    TaskState.UP_FOR_RESCHEDULE: Rescheduled,
    TaskState.DEFERRED: Deferred,
    TaskState.AWAITING_INPUT: AwaitingInput,
}
_STATES: Final = {kind: state for state, kind in _REPORTS.items()}
decode_order: Final = msgspec.json.Decoder(WorkOrder | None).decode
_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(Result).decode


def encode_result(result: AttemptResult) -> bytes:
    """The outcome, without the name of its attempt."""
    report, waits_for = result.report, result.waits_for
    fields = {field.name: getattr(report, field.name) for field in dataclasses.fields(report)}
    del fields["attempt"]
    outcome = Result(
        state=_STATES[type(report)],
        **fields,
        outlet_events=tuple(result.outlet_events),
        deferral=waits_for if isinstance(waits_for, Deferral) else None,
        input_awaited=waits_for if isinstance(waits_for, InputAwaited) else None,
        usage=result.usage,
    )
    return _encode(outcome)


def decode_result(attempt: AttemptKey, data: bytes) -> AttemptResult:
    """The result of that attempt.

    Raises:
        ValueError, msgspec.DecodeError: it makes no sense.
    """
    outcome = _decode(data)
    kind = _REPORTS.get(outcome.state)
    if kind is None:
        raise ValueError(f"no attempt ends as {outcome.state!r}")
    names = {field.name for field in dataclasses.fields(kind)} & set(outcome.__struct_fields__)
    report: EndReport = kind(attempt, **{name: getattr(outcome, name) for name in names})
    return AttemptResult(
        report=report,
        outlet_events=outcome.outlet_events,
        waits_for=outcome.deferral or outcome.input_awaited,
        usage=outcome.usage,
    )


class StillThere(msgspec.Struct, frozen=True):
    """Of the callback of a missed deadline."""

    is_held: bool
    """False: another worker may have it."""


class OutsideQuestion(msgspec.Struct, frozen=True):
    """What the callback of a missed deadline asks for: see `operations.outside_tasks`."""

    method: str
    arguments: dict[str, str | None]
