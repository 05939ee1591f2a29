"""Tasks that begin with a trigger: what the scheduler must know of them to let them wait without a worker."""

import json
from collections.abc import Mapping
from datetime import date, time, timedelta
from typing import Any, Final

from tradewind.model.dag import StartTrigger
from tradewind.model.method_arguments import problem_with_arguments
from tradewind.sdk.mapped import MappedOperator
from tradewind.sdk.operator import BaseOperator
from tradewind.sdk.serde import serialize
from tradewind.sdk.triggers import StartTriggerArgs

_NEVER_TEMPLATES: Final = (date, time, timedelta)


def starts_from_trigger(operator: Any) -> bool:
    """Whether it, or a copy of it, may begin with a trigger."""
    if isinstance(operator, MappedOperator):
        return operator.start_from_trigger or "start_from_trigger" in operator.expand_input.argument_names()
    return bool(operator.start_from_trigger) and (operator.start_trigger_args is not None or _has_own_way(operator))


def start_trigger(operator: Any) -> StartTrigger | None:
    """The trigger, where the file alone says all about it.

    A task that is mapped, whose trigger gets templates, or that finds out by code of its own, says it when it begins:
    in the process that runs triggers. So does one with assets, which have to be active.
    """
    if isinstance(operator, MappedOperator) or _has_own_way(operator) or operator.inlets or operator.outlets:
        return None
    start: StartTriggerArgs = operator.start_trigger_args
    kwargs = start.trigger_kwargs or {}
    if _is_odd(kwargs) or _is_odd(start.next_kwargs or {}):
        return None  # nothing can be called with them: the author reads of it in the log of the task
    if not all(_is_plain(operator, kwargs[name]) for name in operator.template_fields if name in kwargs):
        return None
    try:
        stored, next_kwargs = _stored(kwargs), _stored(start.next_kwargs or {})
    except Exception:  # an object may raise whatever it likes; the author reads of it in the log of the task
        return None
    return StartTrigger(
        class_path=start.trigger_cls,
        next_method=start.next_method,
        kwargs=stored,
        next_kwargs=next_kwargs,
        timeout_s=None if start.timeout is None else _seconds(start.timeout),
    )


def _has_own_way(operator: Any) -> bool:
    return type(operator).expand_start_trigger_args is not BaseOperator.expand_start_trigger_args


def _is_odd(arguments: object) -> bool:
    return problem_with_arguments("they", arguments) is not None


def _is_plain(operator: BaseOperator, value: Any) -> bool:
    return isinstance(value, _NEVER_TEMPLATES) or operator.leaves_as_it_is(value)


def _stored(arguments: Mapping[str, Any]) -> Any:
    return json.loads(json.dumps(serialize(dict(arguments)), allow_nan=False))


def _seconds(timeout: timedelta | float) -> float:
    return timeout.total_seconds() if isinstance(timeout, timedelta) else float(timeout)
