"""JSON schema of params: draft 7, with formats. For tasks, and for whoever asks for a run of their DAG.

Apart, because most DAG files can do without the library behind it.
"""

import json
import re
from functools import lru_cache
from typing import Any, Final

import jsonschema_rs

# The form field for times gives them without an offset, which RFC 3339 does not know.
_TIME: Final = re.compile(r"([01]\d|2[0-3]):[0-5]\d(:([0-5]\d|60)(\.\d+)?)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)?")


def problem_with(value: Any, schema: dict[str, Any]) -> str | None:
    """What the schema does not allow about the value, or nothing."""
    try:
        validator = _validator(json.dumps(schema))
    except jsonschema_rs.ValidationError as error:
        return f"its schema {schema!r} is none: {error.message}"
    except (TypeError, ValueError) as error:
        return f"its schema {schema!r} is none: {error}"
    try:
        validator.validate(value)
    except jsonschema_rs.ValidationError as error:
        place = "".join(f"[{step!r}]" for step in error.instance_path)
        return f"{error.message} (at {place})" if place else str(error.message)
    return None


@lru_cache(maxsize=1024)
def _validator(schema: str) -> jsonschema_rs.Draft7Validator:
    return jsonschema_rs.Draft7Validator(
        json.loads(schema), validate_formats=True, formats={"time": _is_time}, retriever=_refuse_to_fetch
    )


def _is_time(text: str) -> bool:
    return _TIME.fullmatch(text) is not None


def _refuse_to_fetch(uri: str) -> Any:
    raise ValueError(f"the schema refers to {uri}, but schemas of params are not fetched from elsewhere")
