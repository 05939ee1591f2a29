"""Which plugins there are, read from their sources.

The processes that run tasks import plugins. The server must not: they are others' code. What a class of a plugin says
of itself is nearly always written out, and that can be read without running it.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tradewind.api.installed import packages_offering

GROUP: Final = "airflow.plugins"
_BASE: Final = "AirflowPlugin"


@dataclass(frozen=True, slots=True)
class Plugin:
    """What is written of one."""

    name: str
    source: str
    lists: Mapping[str, tuple["str | dict[str, object]", ...]]
    """By attribute. What is not plain text or a dictionary of it stands as it is written."""


@dataclass(frozen=True, slots=True)
class BrokenFile:
    """A file that cannot be read."""

    source: str
    error: str


def find_plugins(folder: Path) -> Iterator[Plugin | BrokenFile]:
    """Those of installed packages, then those of the folder; of two of the same name, the first counts."""
    seen: set[str] = set()
    for path, source in _sources(folder):
        for found in _read(path, source):
            if isinstance(found, Plugin):
                if found.name in seen:
                    continue
                seen.add(found.name)
            yield found


def _sources(folder: Path) -> Iterator[tuple[Path, str]]:
    for package in packages_offering(GROUP):
        for offer in package.offers:
            if offer.file is not None:
                yield offer.file, f"{package.name}=={package.version}: {offer.module}"
    for path in sorted(folder.rglob("*.py")) if folder.is_dir() else ():
        yield path, f"$PLUGINS_FOLDER/{path.relative_to(folder)}"


def _read(path: Path, source: str) -> Iterator[Plugin | BrokenFile]:
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError) as error:
        yield BrokenFile(source, f"{type(error).__name__}: {error}")
        return
    names = _assigned(tree.body)
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and any(_last_name(base) == _BASE for base in node.bases):
            attributes = _assigned(node.body)
            name = _resolved(attributes.get("name"), names)
            yield Plugin(
                name.value if isinstance(name, ast.Constant) and isinstance(name.value, str) else node.name,
                source,
                {key: tuple(_elements(value, names)) for key, value in attributes.items()},
            )


def _assigned(body: list[ast.stmt]) -> dict[str, ast.expr]:
    found: dict[str, ast.expr] = {}
    for node in body:
        if isinstance(node, ast.Assign):
            found.update({target.id: node.value for target in node.targets if isinstance(target, ast.Name)})
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
            found[node.target.id] = node.value
    return found


def _resolved(value: ast.expr | None, names: Mapping[str, ast.expr]) -> ast.expr | None:
    """What a name stands for in its file, one step far."""
    return names.get(value.id, value) if isinstance(value, ast.Name) else value


def _elements(value: ast.expr, names: Mapping[str, ast.expr]) -> Iterator["str | dict[str, object]"]:
    whole = _resolved(value, names)
    for element in whole.elts if isinstance(whole, ast.List | ast.Tuple) else ():
        meant = _resolved(element, names)
        if isinstance(meant, ast.Dict):
            yield {
                str(_plain(key)): _plain(each)
                for key, each in zip(meant.keys, meant.values, strict=True)
                if key is not None
            }
        else:
            yield ast.unparse(element)


def _plain(value: ast.expr) -> object:
    return value.value if isinstance(value, ast.Constant) else ast.unparse(value)


def _last_name(base: ast.expr) -> str | None:
    if isinstance(base, ast.Attribute):
        return base.attr
    return base.id if isinstance(base, ast.Name) else None
