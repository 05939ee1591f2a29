"""Why something does not run, as answers show it."""

from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import BaseModel, Field

from tradewind.decide.explain import Reason


class ReasonResponse(BaseModel):
    """One thing that stands in the way."""

    code: str
    """For programs."""
    text: str
    """For people."""
    details: dict[str, Any] = Field(default_factory=dict)
    """What the text speaks of: names, limits, instants."""


def reasons_shown(reasons: Iterable[Reason]) -> list[ReasonResponse]:
    """In the order in which they have to go away."""
    return [ReasonResponse(code=each.code, text=each.text, details=dict(each.details)) for each in reasons]


def summary_of(reasons: Sequence[Reason], *, is_running: bool) -> str:
    """In one sentence."""
    if is_running:
        return "It is running."
    if not reasons:
        return "Nothing holds it back: a scheduler will take it next."
    first, more = reasons[0].text, len(reasons) - 1
    return f"{first[:1].upper()}{first[1:]}{f', and {more} more' if more else ''}."
