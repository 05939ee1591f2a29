"""Whether a run may be given this: what it brings must suit the params of its DAG."""

from collections.abc import Mapping
from typing import Any, Final, cast

from tradewind.errors import InvalidRequest
from tradewind.model.json_value import JsonValue
from tradewind.param_schema import problem_with

_DEEPEST: Final = 100


def check_conf(params: JsonValue, conf: JsonValue, *, name: str = "conf") -> None:
    """Refuse a value that the schema of its param does not allow, given or by default.

    What no param is named for may be given as well: a run may bring anything. `name` is what the sender calls it.

    Raises:
        InvalidRequest: names the param and what is wrong with it; or the value is none that can be shown.
    """
    _refuse_odd_json(conf, name)
    given = conf if isinstance(conf, Mapping) else {}
    for key, param in _params(params).items():
        schema = param.get("schema")
        if schema:
            value = given[key] if key in given else param.get("value")
            problem = problem_with(value, schema)
            if problem is not None:
                raise InvalidRequest(f"Invalid input for param {key}: {problem}")


def _refuse_odd_json(conf: JsonValue, name: str) -> None:
    """What cannot be stored as text, or is so deep that what shows it would give up."""
    left: list[tuple[JsonValue, int]] = [(conf, 0)]
    while left:
        value, depth = left.pop()
        if depth > _DEEPEST:
            raise InvalidRequest(f"{name} is nested more than {_DEEPEST} levels deep")
        if isinstance(value, str):
            _refuse_odd_text(value, name)
        elif isinstance(value, list):
            left.extend((each, depth + 1) for each in value)
        elif isinstance(value, Mapping):
            for key, each in value.items():
                _refuse_odd_text(key, name)
                left.append((each, depth + 1))


def _refuse_odd_text(text: str, name: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidRequest(f"{name} has a text that is none in Unicode: {text[:100]!a}") from None


def _params(params: JsonValue) -> Mapping[str, Mapping[str, Any]]:
    """As the DAG's version has them; see `sdk.param.Param.dump`."""
    return cast("Mapping[str, Mapping[str, Any]]", params if isinstance(params, Mapping) else {})
