"""Which plugins there are, read from their sources.

The processes that run tasks import plugins. The server must not: they are others' code. What a class of a plugin says
of itself is nearly always written out, and that can be read without running it (`written_values.py`).
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tradewind.api.installed import packages_offering
from tradewind.api.written_values import AsWritten, Names, assigned, value_of

GROUP: Final = "airflow.plugins"
_BASE: Final = "AirflowPlugin"


@dataclass(frozen=True, slots=True)
class Plugin:
    """What is written of one."""

    name: str
    source: str
    lists: Mapping[str, tuple[object, ...]]
    """By attribute: texts and dictionaries. What would have to be run stands `AsWritten`."""


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


def plugin_files(folder: Path) -> list[Path]:
    """Those of the folder."""
    return sorted(folder.rglob("*.py")) if folder.is_dir() else []


def _sources(folder: Path) -> Iterator[tuple[Path, str]]:
    for package in packages_offering(GROUP):
        for offer in package.offers:
            if offer.file is not None:
                yield offer.file, f"{package.name}=={package.version}: {offer.module}"
    for path in plugin_files(folder):
        yield path, f"$PLUGINS_FOLDER/{path.relative_to(folder)}"


def _read(path: Path, source: str) -> Iterator[Plugin | BrokenFile]:
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError) as error:
        yield BrokenFile(source, f"{type(error).__name__}: {error}")
        return
    names = assigned(tree.body)
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and any(_last_name(base) == _BASE for base in node.bases):
            attributes = assigned(node.body)
            name = value_of(attributes["name"], names) if "name" in attributes else None
            yield Plugin(
                name if isinstance(name, str) and not isinstance(name, AsWritten) else node.name,
                source,
                {key: tuple(_elements(value, _scope(names, attributes, key))) for key, value in attributes.items()},
            )


def _scope(names: Names, attributes: Names, key: str) -> Names:
    """What names mean where an attribute is assigned: its own still means that of the file."""
    return {**names, **{name: value for name, value in attributes.items() if name != key}}


def _elements(value: ast.expr, names: Names) -> Iterator[object]:
    """Of a list. Of what is none, nothing, unless it would have to be run to know what is in it."""
    whole = value_of(value, names)
    if isinstance(whole, list):
        yield from whole
    elif isinstance(whole, AsWritten):
        yield whole


def _last_name(base: ast.expr) -> str | None:
    if isinstance(base, ast.Attribute):
        return base.attr
    return base.id if isinstance(base, ast.Name) else None
