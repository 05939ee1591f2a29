"""The two kinds of import contract that Tradewind's rules need, as import-linter contract types.

import-linter's own types name what is forbidden and refuse packages that do not exist yet. Our rules are a
table of what each package may import, and the table is older than half of the packages. Both types read
their table from `pyproject.toml`, where every name is relative to the root package.
"""

import sys
from dataclasses import dataclass

import grimp
from importlinter import Contract, ContractCheck, fields, output

EVERYTHING = "*"


@dataclass(frozen=True, slots=True)
class Row:
    """`name -> may_import, ...`: what one package or module may import besides the standard library."""

    name: str
    may_import: frozenset[str]

    @property
    def package(self) -> str:
        return self.name.partition(".")[0]

    def allows(self, name: str) -> bool:
        """Whether the row names this module or a package around it."""
        return EVERYTHING in self.may_import or any(_within(name, allowed) for allowed in self.may_import)


class AllowedImports(Contract):
    """Each package imports only what its row allows, and every package has a row.

    Options:
        rows: `package -> names`. A name is one of our packages or modules, a third-party package, or `*`. A
            row for a module replaces the row of its package: its siblings must be named like all others.
        pure: packages that must not touch the outer world.
        impure_modules: the parts of the standard library that do.
    """

    type_name = "allowed_imports"

    rows = fields.ListField(subfield=fields.StringField())
    pure = fields.ListField(subfield=fields.StringField())
    impure_modules = fields.ListField(subfield=fields.StringField())

    def check(self, graph: grimp.ImportGraph, verbose: bool) -> ContractCheck:
        root = self.session_options["root_packages"][0]
        rows = [parse_row(line) for line in self.contract_options["rows"]]
        pure = frozenset(self.contract_options["pure"])
        impure_modules = frozenset(self.contract_options["impure_modules"])

        problems = [
            f"{package} has no row in [tool.importlinter]: say there what it may import"
            for package in sorted(graph.find_children(root))
            if not any(row.name == package.removeprefix(f"{root}.") for row in rows)
        ]
        for importer in sorted(module for module in graph.modules if _within(module, root)):
            row = _row_of(importer.removeprefix(root).removeprefix("."), rows)
            if row is None:
                continue
            banned_modules = impure_modules if row.package in pure else frozenset()
            problems += [
                f"{importer} may not import {imported} ({_lines(graph, importer, imported)})"
                for imported in sorted(graph.find_modules_directly_imported_by(importer))
                if not _may_import(row, imported, root, banned_modules)
            ]
        return ContractCheck(kept=not problems, metadata={"problems": problems})

    def render_broken_contract(self, check: ContractCheck) -> None:
        for problem in check.metadata["problems"]:
            output.print_error(problem)


class NeverReaches(Contract):
    """No chain of imports leads from one module to another, however long; absent modules are passed over.

    Options:
        sources: modules or packages whose process must stay clean.
        targets: modules or packages, ours or third-party, that must not be loaded there.
    """

    type_name = "never_reaches"

    sources = fields.ListField(subfield=fields.StringField())
    targets = fields.ListField(subfield=fields.StringField())

    def check(self, graph: grimp.ImportGraph, verbose: bool) -> ContractCheck:
        root = self.session_options["root_packages"][0]
        problems = [
            " -> ".join(chain)
            for source in _present(graph, root, self.contract_options["sources"])
            for target in _present(graph, root, self.contract_options["targets"])
            for chain in sorted(graph.find_shortest_chains(source, target, as_packages=True))
        ]
        return ContractCheck(kept=not problems, metadata={"problems": problems})

    def render_broken_contract(self, check: ContractCheck) -> None:
        for problem in check.metadata["problems"]:
            output.print_error(problem)


def parse_row(line: str) -> Row:
    """Read `name -> may_import, ...`; the part behind the arrow may be empty."""
    name, arrow, allowed = line.partition("->")
    if not arrow:
        raise ValueError(f"expected 'package -> names', got {line!r}")
    return Row(name.strip(), frozenset(word.strip() for word in allowed.split(",") if word.strip()))


def _row_of(name: str, rows: list[Row]) -> Row | None:
    matching = [row for row in rows if _within(name, row.name)]
    return max(matching, key=lambda row: len(row.name), default=None)


def _may_import(row: Row, imported: str, root: str, banned_modules: frozenset[str]) -> bool:
    if imported == root or _within(imported, f"{root}.{row.name}"):
        return True
    if _within(imported, root):
        return row.allows(imported.removeprefix(f"{root}."))
    if imported.partition(".")[0] in sys.stdlib_module_names:
        return not any(_within(imported, banned) for banned in banned_modules)
    return row.allows(imported)


def _present(graph: grimp.ImportGraph, root: str, names: list[str]) -> list[str]:
    candidates = [candidate for name in names for candidate in (f"{root}.{name}", name)]
    return [candidate for candidate in candidates if candidate in graph.modules]


def _lines(graph: grimp.ImportGraph, importer: str, imported: str) -> str:
    details = graph.get_import_details(importer=importer, imported=imported)
    numbers = sorted({detail["line_number"] for detail in details})
    return "line " + ", ".join(str(number) for number in numbers)


def _within(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")
