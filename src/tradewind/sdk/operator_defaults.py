"""Arguments that every operator takes: their defaults, and what authors may write in place of the exact type.

One table for operators that exist (`operator.py`) and for operators that will exist once per map index (`mapped.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, Final

from tradewind.model.pool import DEFAULT_POOL
from tradewind.sdk.configuration import conf
from tradewind.sdk.states import TriggerRule, WeightRule

DEFAULT_OWNER: Final = conf.get("operators", "default_owner", fallback="airflow")
DEFAULT_QUEUE: Final = conf.get("operators", "default_queue", fallback="default")
DEFAULT_POOL_NAME: Final = DEFAULT_POOL
DEFAULT_POOL_SLOTS: Final = 1
DEFAULT_PRIORITY_WEIGHT: Final = 1
DEFAULT_RETRIES: Final = conf.getint("core", "default_task_retries", fallback=0)
DEFAULT_RETRY_DELAY: Final = timedelta(seconds=conf.getint("core", "default_task_retry_delay", fallback=300))
DEFAULT_TRIGGER_RULE: Final = TriggerRule.ALL_SUCCESS
DEFAULT_WEIGHT_RULE: Final = WeightRule(conf.get("core", "default_task_weight_rule", fallback="downstream"))
DEFAULT_TASK_EXECUTION_TIMEOUT: Final = (
    timedelta(seconds=int(seconds))
    if (seconds := conf.get("core", "default_task_execution_timeout", fallback=""))
    else None
)
DEFAULT_EMAIL_ON_FAILURE: Final = conf.getboolean("email", "default_email_on_failure", fallback=True)
DEFAULT_EMAIL_ON_RETRY: Final = conf.getboolean("email", "default_email_on_retry", fallback=True)
_MAX_WEIGHT: Final = 2**31 - 1

ARGUMENT_DEFAULTS: Final[Mapping[str, Any]] = {
    "owner": DEFAULT_OWNER,
    "email": None,
    "email_on_retry": DEFAULT_EMAIL_ON_RETRY,
    "email_on_failure": DEFAULT_EMAIL_ON_FAILURE,
    "retries": DEFAULT_RETRIES,
    "retry_delay": DEFAULT_RETRY_DELAY,
    "retry_exponential_backoff": 0,
    "max_retry_delay": None,
    "retry_policy": None,
    "start_date": None,
    "end_date": None,
    "depends_on_past": False,
    "ignore_first_depends_on_past": False,
    "wait_for_past_depends_before_skipping": False,
    "wait_for_downstream": False,
    "params": None,
    "priority_weight": DEFAULT_PRIORITY_WEIGHT,
    "weight_rule": DEFAULT_WEIGHT_RULE,
    "queue": DEFAULT_QUEUE,
    "pool": DEFAULT_POOL_NAME,
    "pool_slots": DEFAULT_POOL_SLOTS,
    "execution_timeout": DEFAULT_TASK_EXECUTION_TIMEOUT,
    "on_execute_callback": None,
    "on_failure_callback": None,
    "on_success_callback": None,
    "on_retry_callback": None,
    "on_skipped_callback": None,
    "trigger_rule": DEFAULT_TRIGGER_RULE,
    "resources": None,
    "run_as_user": None,
    "map_index_template": None,
    "max_active_tis_per_dag": None,
    "max_active_tis_per_dagrun": None,
    "executor": None,
    "executor_config": None,
    "do_xcom_push": True,
    "multiple_outputs": False,
    "inlets": None,
    "outlets": None,
    "doc": None,
    "doc_md": None,
    "doc_json": None,
    "doc_yaml": None,
    "doc_rst": None,
    "task_display_name": None,
    "logger_name": None,
    "allow_nested_operators": True,
    "render_template_as_native_obj": None,
}


class ArgumentError(ValueError):
    """An argument has a value that makes no sense; the message names the argument."""


def normalised(name: str, value: Any) -> Any:
    """The value as operators keep it: a number of seconds becomes a timedelta, a word becomes an enum member."""
    convert = _CONVERSIONS.get(name)
    return value if convert is None else convert(name, value)


def as_utc(moment: datetime | str | None, zone: tzinfo = UTC) -> datetime | None:
    """The same instant in UTC. A reading without a zone is one in `zone`; a text is ISO 8601."""
    if moment is None:
        return None
    if isinstance(moment, str):
        moment = datetime.fromisoformat(moment)
    if not isinstance(moment, datetime):
        raise TypeError(f"a date has to be a datetime, but {moment!r} is a {type(moment).__name__}")
    if moment.utcoffset() is None:
        moment = moment.replace(tzinfo=zone)
    return moment.astimezone(UTC)


def _duration(name: str, value: Any) -> timedelta:
    if isinstance(value, timedelta):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ArgumentError(f"{name} has to be a timedelta or a number of seconds, not {value!r}")
    return timedelta(seconds=value)


def _optional_duration(name: str, value: Any) -> timedelta | None:
    return None if value is None else _duration(name, value)


def _timedelta_only(name: str, value: Any) -> timedelta | None:
    if value is not None and not isinstance(value, timedelta):
        raise ArgumentError(f"{name} has to be a timedelta, not {value!r} ({type(value).__name__})")
    return value


def _retries(name: str, value: Any) -> int:
    if value is None:
        return 0
    try:
        return int(value)
    except (TypeError, ValueError):
        raise ArgumentError(f"{name} has to be an integer, not {value!r}") from None


def _backoff(name: str, value: Any) -> float:
    if isinstance(value, bool):
        return 2.0 if value else 0.0
    if not isinstance(value, int | float) or value < 0:
        raise ArgumentError(f"{name} is by how much each delay grows: a number from 0, not {value!r}")
    return float(value)


def _instant(name: str, value: Any) -> datetime | None:
    try:
        return as_utc(value)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{name}: {error}") from None


def _trigger_rule(name: str, value: Any) -> Any:
    return _member(TriggerRule, name, value)


def _weight_rule(name: str, value: Any) -> Any:
    """One of three words, or a strategy: an object with `get_weight`, or the path of its class."""
    if hasattr(value, "get_weight"):
        return value() if isinstance(value, type) else value
    if isinstance(value, str) and "." in value:
        return value
    return _member(WeightRule, name, value)


def _member(words: Any, name: str, value: Any) -> Any:
    try:
        return words(value)
    except ValueError:
        known = ", ".join(sorted(words))
        raise ArgumentError(f"{name} has to be one of {known}, not {value!r}") from None


def _priority_weight(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ArgumentError(f"{name} has to be an integer, not {value!r}")
    return max(-_MAX_WEIGHT - 1, min(_MAX_WEIGHT, value))


def _pool_slots(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ArgumentError(f"{name} has to be an integer of at least 1, not {value!r}")
    return value


def _list(_: str, value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple | set | frozenset) else [value]


def _dict(_: str, value: Any) -> dict[str, Any]:
    return {} if value is None else value


_CONVERSIONS: Final[Mapping[str, Callable[[str, Any], Any]]] = {
    "retries": _retries,
    "retry_delay": _duration,
    "max_retry_delay": _optional_duration,
    "retry_exponential_backoff": _backoff,
    "execution_timeout": _timedelta_only,
    "start_date": _instant,
    "end_date": _instant,
    "trigger_rule": _trigger_rule,
    "weight_rule": _weight_rule,
    "priority_weight": _priority_weight,
    "pool_slots": _pool_slots,
    "executor_config": _dict,
    "inlets": _list,
    "outlets": _list,
    "on_execute_callback": _list,
    "on_failure_callback": _list,
    "on_success_callback": _list,
    "on_retry_callback": _list,
    "on_skipped_callback": _list,
}
