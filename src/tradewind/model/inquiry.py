"""What a task asks people, and what they answered."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from tradewind.model.ids import AttemptKey
from tradewind.model.json_value import JsonValue
from tradewind.model.task_answers import HITLUserResult


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanAnswer:
    """What was chosen and filled in."""

    chosen_options: tuple[str, ...]
    params_input: Mapping[str, JsonValue]
    at: datetime
    by: HITLUserResult | None
    """None: nobody answered in time, and it is what the task takes then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inquiry:
    """A question of one try of a task instance. Each try asks anew; what earlier ones asked stays as it was."""

    attempt: AttemptKey
    """The attempt that asked: only as long as the task instance is at that one, the answer reaches it."""
    try_number: int
    options: tuple[str, ...]
    subject: str
    created_at: datetime
    body: str | None = None
    """Markdown."""
    defaults: tuple[str, ...] | None = None
    """What is taken as chosen if nobody answers in time."""
    multiple: bool = False
    params: Mapping[str, JsonValue] = field(default_factory=dict)
    """The form: values, or params as `sdk.param.Param.serialize` writes them."""
    assigned_users: tuple[HITLUserResult, ...] = ()
    """Who may answer; nobody is named: whoever may change the DAG's runs."""
    answer: HumanAnswer | None = None
