"""Small functions over texts that DAG files and provider packages import from `airflow.utils`."""

import re
import secrets
import string
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

TRUE_LIKE_VALUES: Final = frozenset({"on", "t", "true", "y", "yes", "1"})
_CAMEL: Final = re.compile(r"(?<!^)(?=[A-Z])")


def to_boolean(astring: str | None) -> bool:
    """Whether the text says yes."""
    return astring is not None and astring.lower() in TRUE_LIKE_VALUES


def get_random_string(length: int = 8, choices: str = string.ascii_letters + string.digits) -> str:
    """So many characters, by chance."""
    return "".join(secrets.choice(choices) for _ in range(length))


def convert_camel_to_snake(camel_str: str) -> str:
    """`CamelCase` as `camel_case`."""
    return _CAMEL.sub("_", camel_str).lower()


def parse_template_string(template_string: str) -> tuple[str | None, Any]:
    """A format string as (text, None), or as (None, template) if it is one for Jinja."""
    if "{{" not in template_string:
        return template_string, None
    return None, import_module("jinja2").Template(template_string)


def log_filename_template_renderer() -> Callable[..., str]:
    """Names of log files are made by the workers of Tradewind, which ask nobody."""
    raise NotImplementedError("Tradewind's workers name log files themselves: see the settings under [logging]")
