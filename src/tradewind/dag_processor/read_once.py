"""Reads the DAG files of bundles once, for a person who wants to know what is in them. No database is asked or told."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tradewind.bundles.interface import Bundle
from tradewind.dag_processor.lint import found_files, parse_request, read_all
from tradewind.dag_processor.protocol import ParseRequest
from tradewind.model.dag_file import DagProblem, FileParse
from tradewind.operations.publish_files import CheckedFile, check_file
from tradewind.settings import Settings


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file, and what it says."""

    bundle: str
    bundle_version: str | None
    path: str
    parse: FileParse | None
    """None: it could not even be looked at."""
    checked: CheckedFile | None
    problems: tuple[DagProblem, ...]


def read_once(bundles: Sequence[Bundle], settings: Settings, environ: Mapping[str, str]) -> list[ReadFile]:
    """Those of all bundles, by bundle and path. Raises `BundleError`."""
    unreadable: list[ReadFile] = []
    requests: list[ParseRequest] = []
    owners: dict[int, Bundle] = {}
    for bundle in bundles:
        bundle.initialize()
        for root, names, problems in found_files([bundle.path], settings):
            for path, text in problems.items():
                unreadable.append(ReadFile(bundle.name, None, path, None, None, (DagProblem(text),)))
            for name in names:
                request = parse_request(len(requests) + 1, root, name, settings)
                requests.append(request)
                owners[request.number] = bundle
    parses = read_all(requests, settings, environ)
    read = []
    for request in requests:
        parse, bundle = parses[request.number], owners[request.number]
        checked = check_file(parse)
        version = bundle.get_current_version()
        read.append(ReadFile(bundle.name, version, request.path, parse, checked, tuple(checked.problems)))
    return sorted([*unreadable, *read], key=lambda each: (each.bundle, each.path))
