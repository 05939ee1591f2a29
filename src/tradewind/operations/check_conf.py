"""Whether a run may be given this: what it brings must suit the params of its DAG."""

from collections.abc import Mapping
from typing import Any, cast

from tradewind.errors import InvalidRequest
from tradewind.model.json_value import JsonValue
from tradewind.param_schema import problem_with


def check_conf(params: JsonValue, conf: JsonValue) -> None:
    """Refuse a value that the schema of its param does not allow, given or by default.

    What no param is named for may be given as well: a run may bring anything.

    Raises:
        InvalidRequest: names the param and what is wrong with it.
    """
    given = conf if isinstance(conf, Mapping) else {}
    for name, param in _params(params).items():
        schema = param.get("schema")
        if schema:
            value = given[name] if name in given else param.get("value")
            problem = problem_with(value, schema)
            if problem is not None:
                raise InvalidRequest(f"Invalid input for param {name}: {problem}")


def _params(params: JsonValue) -> Mapping[str, Mapping[str, Any]]:
    """As the DAG's version has them; see `sdk.param.Param.dump`."""
    return cast("Mapping[str, Mapping[str, Any]]", params if isinstance(params, Mapping) else {})
