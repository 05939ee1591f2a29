"""Arguments by the names that they had in Airflow 2: what each is called now.

Airflow 3 refuses them with a `TypeError`. Here the 2.x import paths still take them, with a note; `airflow.sdk`
refuses them too.
"""

from collections.abc import Mapping
from typing import Any, Final

from tradewind.compat.deprecation import warn_of_old_spelling

_OF_DAGS: Final[Mapping[str, str]] = {
    "schedule_interval": "schedule",
    "timetable": "schedule",
    "concurrency": "max_active_tasks",
    "fail_stop": "fail_fast",
}
_OF_DAGS_WITHOUT_EFFECT: Final[Mapping[str, str]] = {
    "default_view": "everybody chooses the view in the UI",
    "full_filepath": "the file is known",
    "orientation": "everybody chooses the orientation in the UI",
}
_OF_OPERATORS: Final[Mapping[str, str]] = {
    "execution_date": "logical_date",
    "task_concurrency": "max_active_tis_per_dag",
    "xcom_push": "do_xcom_push",
}
_OF_OPERATORS_WITHOUT_EFFECT: Final[Mapping[str, str]] = {
    "provide_context": "the context is always provided",
}
_TRIGGER_RULES: Final[Mapping[str, str]] = {
    "dummy": "always",
    "none_failed_or_skipped": "none_failed_min_one_success",
}


def translate_dag_arguments(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a DAG as `airflow.sdk.DAG` takes them, with a note for each that was spelled the old way."""
    translated = _renamed("DAG", arguments, _OF_DAGS)
    _drop("DAG", translated, _OF_DAGS_WITHOUT_EFFECT)
    if isinstance(translated.get("default_args"), Mapping):
        translated["default_args"] = translate_operator_arguments("default_args", translated["default_args"])
    return translated


def translate_operator_arguments(
    operator: str, arguments: Mapping[str, Any], *, takes: frozenset[str] = frozenset()
) -> dict[str, Any]:
    """The arguments of an operator as `airflow.sdk` takes them; what the operator itself `takes` is left alone."""
    translated = _renamed(operator, arguments, {old: new for old, new in _OF_OPERATORS.items() if old not in takes})
    _drop(operator, translated, {name: why for name, why in _OF_OPERATORS_WITHOUT_EFFECT.items() if name not in takes})
    rule = translated.get("trigger_rule")
    if isinstance(rule, str) and rule in _TRIGGER_RULES:
        translated["trigger_rule"] = _TRIGGER_RULES[rule]
        warn_of_old_spelling(f"trigger_rule={rule!r}", repr(_TRIGGER_RULES[rule]))
    return translated


def _renamed(what: str, arguments: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    translated = dict(arguments)
    for old, new in names.items():
        if old not in translated:
            continue
        value = translated.pop(old)
        if new in translated:
            raise TypeError(f"{what} was given both {old}= and {new}=: keep {new}=")
        translated[new] = value
        warn_of_old_spelling(f"{what}({old}=...)", f"{new}=")
    return translated


def _drop(what: str, arguments: dict[str, Any], names: Mapping[str, str]) -> None:
    for name, why in names.items():
        if name in arguments:
            del arguments[name]
            warn_of_old_spelling(f"{what}({name}=...)", f"nothing in its place, {why}")
