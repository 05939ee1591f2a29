"""What `airflow_local_settings.py` says to whoever looks at the overview, read from its source.

The server must not run it: it is others' code. A list of `UIAlert` is nearly always written out, and that can be read
as it stands (as plugins are: `plugin_sources.py`).
"""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

FILE: Final = "airflow_local_settings.py"
_LIST: Final = "DASHBOARD_UIALERTS"
_ALERT: Final = "UIAlert"
_FIELDS: Final = ("text", "category")
CATEGORIES: Final = ("info", "warning", "error")


@dataclass(frozen=True, slots=True)
class Alert:
    """A sentence for people."""

    text: str
    category: str = "info"
    roles: frozenset[str] | None = None
    """Who is shown it, as in Airflow 2; None: everybody."""


def find_alerts(folders: Iterable[Path]) -> list[Alert]:
    """Those of the first folder that has such a file. What cannot be read is an alert itself: somebody meant to say
    something there."""
    path = next((folder / FILE for folder in folders if (folder / FILE).is_file()), None)
    if path is None:
        return []
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError) as error:
        return [Alert(f"`{FILE}` cannot be read: {type(error).__name__}: {error}", "error")]
    names = {target.id: value for target, value in _assigned(tree)}
    written = names.get(_LIST)
    if written is None:
        return []
    if not isinstance(written, ast.List | ast.Tuple):
        return [_not_written_out(_LIST)]
    return [_alert(element, names) for element in written.elts]


def _assigned(tree: ast.Module) -> Iterator[tuple[ast.Name, ast.expr]]:
    for node in tree.body:
        if isinstance(node, ast.Assign):
            yield from ((target, node.value) for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
            yield node.target, node.value


def _alert(element: ast.expr, names: dict[str, ast.expr]) -> Alert:
    if isinstance(element, ast.Name):
        element = names.get(element.id, element)
    if not isinstance(element, ast.Call) or _last_name(element.func) != _ALERT:
        return _not_written_out(ast.unparse(element))
    given = dict(zip(_FIELDS, element.args, strict=False))
    given |= {word.arg: word.value for word in element.keywords if word.arg is not None}
    try:
        values = {name: ast.literal_eval(names.get(getattr(value, "id", ""), value)) for name, value in given.items()}
        text, category, roles = values["text"], values.get("category", "info"), values.get("roles")
    except (KeyError, ValueError):
        return _not_written_out(ast.unparse(element))
    return Alert(
        str(text),
        category if category in CATEGORIES else "info",
        None if roles is None else frozenset(map(str, roles)),
    )


def _not_written_out(what: str) -> Alert:
    return Alert(
        f"`{what}` of `{FILE}` is not written out, and so cannot be shown: the server does not run it.", "error"
    )


def _last_name(function: ast.expr) -> str | None:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else None
