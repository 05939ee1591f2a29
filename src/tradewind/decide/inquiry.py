"""Questions of tasks to people: whether an answer still counts, and what the task goes on with."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from tradewind.model.inquiry import HumanAnswer, Inquiry
from tradewind.model.json_value import JsonValue
from tradewind.model.states import TaskState

_HEARS: Final = frozenset({TaskState.RUNNING, TaskState.DEFERRED, TaskState.AWAITING_INPUT})
"""States in which the attempt that asked gets its answer. It is running until it has left its worker."""
_TIMED_OUT: Final[dict[str, JsonValue]] = {
    "error": "nobody answered in time, and there is no default answer",
    "error_type": "timeout",
}


def is_past(state: TaskState) -> bool:
    """Whether what the last try asked is history: the task instance begins anew."""
    return state in (TaskState.NONE, TaskState.UP_FOR_RETRY)


def why_too_late(inquiry: Inquiry, state: TaskState, attempt: int) -> str | None:
    """Why an answer would reach nobody, given how the task instance is now. None: it would be heard."""
    if inquiry.answer is not None:
        return "the question has been answered already" if inquiry.answer.by else "the time for an answer is over"
    if inquiry.attempt.attempt != attempt or state not in _HEARS:
        return f"the task does not wait for an answer any more: it is {state}"
    return None


def problem_with_choice(inquiry: Inquiry, chosen: tuple[str, ...]) -> str | None:
    """What is wrong with what somebody chose, or nothing."""
    unknown = [option for option in chosen if option not in inquiry.options]
    if unknown:
        return f"{unknown} are not among the options {list(inquiry.options)}"
    if len(set(chosen)) < len(chosen):
        return f"{list(chosen)} has an option twice"
    if not chosen:
        return "no option was chosen"
    if len(chosen) > 1 and not inquiry.multiple:
        return f"only one option may be chosen, not {list(chosen)}"
    return None


def answer_at_timeout(inquiry: Inquiry, now: datetime) -> HumanAnswer | None:
    """What the task takes when nobody answered in time. None: it has nothing to take."""
    if inquiry.defaults is None:
        return None
    form = {name: default_of(param) for name, param in inquiry.params.items()}
    return HumanAnswer(chosen_options=inquiry.defaults, params_input=form, at=now, by=None)


def default_of(param: JsonValue) -> JsonValue:
    """What a field of the form has in it when nobody has filled it in."""
    return param.get("value") if isinstance(param, dict) and "value" in param and "schema" in param else param


def event_of(answer: HumanAnswer | None) -> Mapping[str, JsonValue]:
    """What the task goes on with, serialized as the SDK does. None: nobody answered in time."""
    if answer is None:
        return _TIMED_OUT
    return {
        "chosen_options": list(answer.chosen_options),
        "params_input": dict(answer.params_input),
        "responded_by_user": None if answer.by is None else {"id": answer.by.id, "name": answer.by.name},
        "responded_at": _serialized(answer.at),
        "timedout": answer.by is None,
    }


def _serialized(instant: datetime) -> JsonValue:
    naive = instant.astimezone(UTC).replace(tzinfo=None)
    data: JsonValue = {"iso": naive.isoformat(), "tz": "UTC", "utcoffset": 0.0}
    return {"__classname__": "datetime.datetime", "__version__": 3, "__data__": data}
