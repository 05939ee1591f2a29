"""Where each name of Airflow lives: all rows, joined.

A row of `CURRENT` is `airflow module -> {module that has them: names}`; names are separated by blanks, `*` stands for
all names of that module, and `old=new` for a name that is called differently there. A row of `OLD` has the same form,
but what stands behind the arrow is the Airflow path that should be used instead: importing by an old path warns and
names the new one. A name that is both in `OLD` and in `CURRENT` warns by the first and is found by the second.
"""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from tradewind.compat.core_rows import CORE
from tradewind.compat.old_rows import GONE, OLD
from tradewind.compat.optional_rows import OPTIONAL
from tradewind.compat.sdk_rows import SDK
from tradewind.compat.standard_rows import STANDARD

Rows = Mapping[str, Mapping[str, str]]

CURRENT: Final[Rows] = {**CORE, **SDK, **STANDARD}

EVERY_NAME: Final = "*"
# Groups of providers, which are two levels deep.
_GROUPS: Final = frozenset({"apache", "atlassian", "cncf", "common", "dbt", "microsoft"})


class Place(NamedTuple):
    """Where a name is."""

    module: str
    name: str


def _with_packages(modules: Iterator[str]) -> frozenset[str]:
    found = set()
    for module in modules:
        while module:
            found.add(module)
            module = module.rpartition(".")[0]
    return frozenset(found)


MODULES: Final = _with_packages(iter([*CURRENT, *OLD]))
"""Every module that Tradewind answers for, and the packages around them."""

OPTIONAL_MODULES: Final = _with_packages(iter(OPTIONAL)) - MODULES
"""Modules of provider packages that Tradewind answers for only where the package is not installed."""

PACKAGES: Final = frozenset(module.rpartition(".")[0] for module in MODULES | OPTIONAL_MODULES)


class Names:
    """The names of one module."""

    def __init__(self, module: str) -> None:
        row = CURRENT[module] if module in CURRENT else OPTIONAL.get(module, {})
        self._here, self._all_of = _places(row)
        self._moved, self._all_moved_to = _places(OLD.get(module, {}))

    def current(self, name: str) -> Iterator[Place]:
        """Where the name may be, the likeliest place first."""
        if name in self._here:
            yield self._here[name]
        elif name not in self._moved:
            yield from (Place(module, name) for module in self._all_of)

    def moved(self, name: str) -> Place | None:
        """The Airflow path that should be used instead, where there is one."""
        if name in self._moved:
            return self._moved[name]
        if name in self._here or not self._all_moved_to:
            return None
        return Place(self._all_moved_to[0], name)

    def named(self) -> list[str]:
        """The names that stand in the table."""
        return sorted({*self._here, *self._moved})

    def whole_modules(self) -> tuple[str, ...]:
        """The modules of which every name is here."""
        return self._all_of


def provider_of(module: str) -> str | None:
    """The provider that a module below `airflow.providers` belongs to, such as `common.sql`."""
    parts = module.split(".")[2:]
    depth = 2 if parts and parts[0] in _GROUPS else 1
    return ".".join(parts[:depth]) if len(parts) >= depth else None


def gone(module: str, name: str | None = None) -> str | None:
    """What to do instead, for a module or a name that has no counterpart at all."""
    return GONE.get(f"{module}.{name}" if name else module)


def _places(row: Mapping[str, str]) -> tuple[dict[str, Place], tuple[str, ...]]:
    named: dict[str, Place] = {}
    whole: list[str] = []
    for module, names in row.items():
        for text in names.split():
            if text == EVERY_NAME:
                whole.append(module)
                continue
            old, _, new = text.partition("=")
            named[old] = Place(module, new or old)
    return named, tuple(whole)
