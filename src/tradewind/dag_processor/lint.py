"""Reads DAG files without any database, and tells what is wrong with them and what will hurt.

Each file is read twice, by two children: a DAG that is not the same both times would get a new version again and again.
"""

import itertools
import json
import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tradewind.dag_processor.folder import Folder
from tradewind.dag_processor.outcome import to_parse
from tradewind.dag_processor.pool import ParsePool
from tradewind.dag_processor.protocol import VERSION_INFLATION, ParseRequest
from tradewind.errors import NotFound
from tradewind.model.dag_file import FileKey, FileParse
from tradewind.operations.publish_files import CheckedFile, check_file
from tradewind.settings import Settings

ERROR: Final = "error"
WARNING: Final = "warning"
_SHOWN: Final = 60


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """Something wrong, or something that will hurt."""

    path: str
    line: int | None
    level: str
    kind: str
    message: str
    dag_id: str | None = None

    @property
    def names_no_dag(self) -> bool:
        """Whether its words leave open which DAG is meant."""
        return self.dag_id is not None and repr(self.dag_id) not in self.message


def lint_paths(paths: Sequence[Path], settings: Settings, environ: Mapping[str, str]) -> list[Finding]:
    """All findings about these files and all files below these folders, by path and line.

    Raises:
        NotFound: a path does not exist.
    """
    findings: list[Finding] = []
    requests: list[ParseRequest] = []
    numbers = itertools.count(1)
    for root, names, problems in found_files(paths, settings):
        findings += [Finding(f"{root}/{name}", None, ERROR, "unreadable", text) for name, text in problems.items()]
        for name in names:
            first = parse_request(next(numbers), root, name, settings)
            requests += [first, parse_request(next(numbers), root, name, settings, measures=False)]
    parses = read_all(requests, settings, environ)
    for first, second in zip(requests[::2], requests[1::2], strict=True):
        findings += _judge(f"{first.root}/{first.path}", parses[first.number], parses[second.number])
    return sorted(set(findings), key=lambda each: (each.path, each.line or 0, each.level, each.kind, each.message))


def found_files(paths: Sequence[Path], settings: Settings) -> Iterator[tuple[Path, list[str], dict[str, str]]]:
    """(root of imports, files below it, what could not be looked at) of each path."""
    for path in paths:
        full = path.absolute()
        if full.is_dir():
            folder = Folder(
                full, syntax=settings.core.dag_ignore_file_syntax, safe_mode=settings.core.dag_discovery_safe_mode
            )
            folder.look(0)
            yield full, sorted(folder.dag_files), folder.problems
        elif full.exists():
            # A file of the DAG folder imports what lies there, wherever in it the file is.
            root = settings.dags_folder if full.is_relative_to(settings.dags_folder) else full.parent
            yield root, [str(full.relative_to(root))], {}
        else:
            raise NotFound(f"there is no file or folder {path}")


def parse_request(number: int, root: Path, name: str, settings: Settings, *, measures: bool = True) -> ParseRequest:
    """To read a file below a folder within the limits of the configuration."""
    return ParseRequest(
        number=number,
        bundle="lint",
        root=str(root),
        path=name,
        plugins=str(settings.plugins_folder),
        import_timeout_s=settings.core.dagbag_import_timeout,
        timeout_s=settings.dag_processor.dag_file_processor_timeout,
        memory_limit_mb=settings.dag_processor.parsing_memory_limit_mb,
        safe_mode=settings.core.dag_discovery_safe_mode,
        measures=measures,
    )


def read_all(requests: Sequence[ParseRequest], settings: Settings, environ: Mapping[str, str]) -> dict[int, FileParse]:
    """What the files say, by the numbers of the requests. Each is read in a process of its own."""
    arrived = threading.Event()
    pool = ParsePool(processes=settings.dag_processor.parsing_processes, environ=environ, wake=arrived.set)
    by_number = {request.number: request for request in requests}
    parses: dict[int, FileParse] = {}
    try:
        for request in requests:
            pool.submit(request)
        while pool.in_flight:
            for outcome in pool.outcomes():
                parses[outcome.number] = to_parse(
                    outcome,
                    by_number[outcome.number],
                    key=FileKey(0),
                    environment="",
                    bundle_version=None,
                    known_hash="",
                )
            if pool.in_flight:
                arrived.wait()
                arrived.clear()
    finally:
        pool.close()
    return parses


def _judge(path: str, first: FileParse, second: FileParse) -> Iterator[Finding]:
    checked = check_file(first)
    for problem in checked.problems:
        yield Finding(path, _line_of(path, problem.message), ERROR, "import_error", problem.message, problem.dag_id)
    for warning in first.warnings:
        yield Finding(path, warning.line, WARNING, warning.kind, warning.message, warning.dag_id)
    lines = [warning.line for warning in first.warnings if warning.kind == VERSION_INFLATION]
    for dag_id, difference in _differences(checked, check_file(second)):
        message = (
            f"DAG {dag_id!r} is not the same when it is read again, so it gets version after version: {difference}"
        )
        yield Finding(path, lines[0] if lines else None, WARNING, VERSION_INFLATION, message, dag_id)


def _line_of(path: str, traceback: str) -> int | None:
    """The last line of the file itself that a traceback names."""
    lines = re.findall(rf'File "{re.escape(path)}", line (\d+)', traceback)
    return int(lines[-1]) if lines else None


def _differences(first: CheckedFile, second: CheckedFile) -> Iterator[tuple[str, str]]:
    before = {each.dag.dag_id: each for each in first.publications}
    after = {each.dag.dag_id: each for each in second.publications}
    for dag_id in sorted(before.keys() ^ after.keys()):
        yield dag_id, "it is there only once"
    for dag_id in sorted(before.keys() & after.keys()):
        if before[dag_id].structure_hash != after[dag_id].structure_hash:
            found = next(_unequal(json.loads(before[dag_id].data), json.loads(after[dag_id].data), ""), None)
            yield dag_id, found or "its text differs"


def _unequal(first: Any, second: Any, path: str) -> Iterator[str]:
    """Where two JSON values differ, outermost first."""
    if isinstance(first, dict) and isinstance(second, dict) and first.keys() == second.keys():
        for key in first:
            yield from _unequal(first[key], second[key], f"{path}.{key}" if path else key)
    elif isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        for index, (left, right) in enumerate(zip(first, second, strict=True)):
            yield from _unequal(left, right, f"{path}[{index}]")
    elif first != second:
        yield f"{path} is {_short(first)}, then {_short(second)}"


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def is_failure(findings: Iterable[Finding], *, is_strict: bool) -> bool:
    """Whether a build should fail: always for what is wrong, and if asked so for what will hurt."""
    return any(is_strict or finding.level == ERROR for finding in findings)
