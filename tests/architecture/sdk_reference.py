"""Makes docs/sdk-reference.md from the SDK itself: `python -m tests.architecture.sdk_reference`."""

import importlib
import inspect
import re
from types import ModuleType
from typing import Any

import tradewind.sdk
from tests.architecture.sources import ROOT

PAGE = ROOT / "docs" / "sdk-reference.md"
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_LONGEST_SIGNATURE = 400

_HEAD = """# The SDK

Every name of `tradewind.sdk`, which is every name of Airflow's `airflow.sdk`, with the same parameters. Made by
`python -m tests.architecture.sdk_reference` from the docstrings; a test keeps it current.

"""


def page() -> str:
    """The whole page."""
    parts = [_HEAD]
    for module, names in sorted(tradewind.sdk._MODULES.items()):
        home = importlib.import_module(f"tradewind.sdk.{module}")
        parts.append(f"## {_first_line(home)}\n\n`tradewind.sdk.{module}`\n\n")
        parts += [_entry(name, getattr(home, name)) for name in sorted(names.split(), key=str.lower)]
    return "".join(parts).rstrip() + "\n"


def _entry(name: str, thing: Any) -> str:
    return f"### `{name}`\n\n```python\n{name}{_signature(thing)}\n```\n\n{_doc(thing)}\n\n"


def _signature(thing: Any) -> str:
    if not callable(thing):
        return ""
    try:
        signature = inspect.signature(thing.__init__ if inspect.isclass(thing) else thing)
    except (TypeError, ValueError):
        return "(...)"
    parameters = [parameter for parameter in signature.parameters.values() if parameter.name != "self"]
    text = ", ".join(_parameter(parameter) for parameter in parameters)
    return f"({text})" if len(text) <= _LONGEST_SIGNATURE else "(\n    " + text.replace(", ", ",\n    ") + ",\n)"


def _parameter(parameter: inspect.Parameter) -> str:
    is_rest = parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    stars = "" if not is_rest else "*" if parameter.kind is inspect.Parameter.VAR_POSITIONAL else "**"
    default: Any = parameter.default
    if default is inspect.Parameter.empty:
        return stars + parameter.name
    return f"{parameter.name}={_ADDRESS.sub('', repr(default))}"


def _doc(thing: Any) -> str:
    return (
        inspect.getdoc(thing) or "" if inspect.isclass(thing) or inspect.isfunction(thing) else _first_line(type(thing))
    )


def _first_line(thing: ModuleType | type) -> str:
    return (inspect.getdoc(thing) or "").split("\n")[0].rstrip(".")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
