"""Tasks that leave their worker: for a trigger, or for a person."""

from datetime import timedelta
from typing import Any

from tradewind.model.attempt_end import Deferral, InputAwaited
from tradewind.model.method_arguments import problem_with_arguments
from tradewind.sdk.configuration import conf
from tradewind.sdk.context import Context, whole
from tradewind.sdk.exceptions import TaskAwaitingInput, TaskDeferred
from tradewind.sdk.serde import serialize
from tradewind.sdk.triggers import BaseTrigger, StartTriggerArgs


def deferral_of(signal: TaskDeferred, task: Any, ran_for: timedelta) -> Deferral:
    """What goes to a triggerer: where the trigger's class is, and its arguments.

    The wait takes no longer than `execution_timeout` allows, of which the try has used `ran_for` already.
    """
    path, arguments = _described(signal.trigger)
    return Deferral(
        trigger_path=path,
        trigger_kwargs=serialize(arguments),
        next_method=_method(signal.method_name),
        next_kwargs=_serialized("kwargs of defer()", signal.kwargs),
        timeout=_shorter(_duration(signal.timeout), time_left(task, ran_for)),
        queue=task.queue if _is_queued(signal.trigger) else None,
    )


def input_awaited(signal: TaskAwaitingInput) -> InputAwaited:
    """Where to go on when there is an answer."""
    return InputAwaited(
        next_method=_method(signal.method_name),
        next_kwargs=_serialized("kwargs of TaskAwaitingInput", signal.kwargs),
        timeout=_duration(signal.timeout),
    )


def first_deferral(task: Any, context: Context) -> Deferral | None:
    """For a task that begins with a trigger (`start_from_trigger`): the trigger that it begins with.

    What the trigger is given in place of template fields is rendered here: the triggerer does not know the task.
    """
    if not task.start_from_trigger:
        return None
    known = whole(context)
    arguments: StartTriggerArgs | None = task.expand_start_trigger_args(context=known)
    if arguments is None:
        return None
    kwargs = {
        name: task.render_template(value, known) if name in task.template_fields else value
        for name, value in _arguments("trigger_kwargs of StartTriggerArgs", arguments.trigger_kwargs).items()
    }
    return Deferral(
        trigger_path=arguments.trigger_cls,
        trigger_kwargs=serialize(kwargs),
        next_method=arguments.next_method,
        next_kwargs=_serialized("next_kwargs of StartTriggerArgs", arguments.next_kwargs),
        timeout=_shorter(_duration(arguments.timeout), time_left(task, timedelta())),
        queue=None,
    )


def time_left(task: Any, ran_for: timedelta) -> timedelta | None:
    """Until `execution_timeout` is over; waiting counts like running. None: there is no limit."""
    limit: timedelta | None = task.execution_timeout
    return None if limit is None else max(limit - ran_for, timedelta())


def _described(trigger: Any) -> tuple[str, dict[str, Any]]:
    """Where its class is, and what that gets."""
    if not isinstance(trigger, BaseTrigger):
        raise TypeError(f"trigger of defer() has to be a trigger, not {trigger!r}")
    name, given = type(trigger).__name__, _pair(trigger.serialize())
    if given is None:
        raise TypeError(f"serialize() of {name} has to return the path of a class and a dict of its arguments")
    return given[0], _arguments(f"the arguments that serialize() of {name} returns", given[1])


def _pair(given: Any) -> tuple[str, Any] | None:
    is_pair = isinstance(given, tuple | list) and len(given) == 2 and isinstance(given[0], str)
    return (given[0], given[1]) if is_pair else None


def _method(name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError(f"method_name has to be the name of a method, not {name!r}")
    return name


def _serialized(what: str, given: Any) -> Any:
    return serialize(_arguments(what, given))


def _arguments(what: str, given: Any) -> dict[str, Any]:
    """What a method or a class is called with by name. Refused here, where its author reads of it, and nobody else
    waits for it."""
    problem = problem_with_arguments(what, given or {})
    if problem is not None:
        raise TypeError(problem)
    return dict(given or {})


def _shorter(one: timedelta | None, other: timedelta | None) -> timedelta | None:
    return min((each for each in (one, other) if each is not None), default=None)


def _duration(timeout: timedelta | float | None) -> timedelta | None:
    if timeout is None or isinstance(timeout, timedelta):
        return timeout
    try:
        return timedelta(seconds=timeout)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"timeout has to be a timedelta or a number of seconds, not {timeout!r}") from None


def _is_queued(trigger: Any) -> bool:
    return bool(trigger.supports_triggerer_queue) and conf.getboolean("triggerer", "queues_enabled", fallback=False)
