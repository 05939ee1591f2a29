"""The one form in which a DAG is stored: versioned JSON with a closed schema.

A document is `{"format": 1, "dag": {...}}`. Its text is canonical: keys sorted, no spaces, ASCII only, no
field that has its default. Equal DAGs therefore have equal texts, and a new hash means a new DAG version.

The schema is the dataclasses of `model.dag` and what they hold. Whoever adds a field, a kind or a word there
raises `FORMAT_VERSION`, so that an older Tradewind says "upgrade" rather than "unknown key"; whoever changes
a default changes what stored documents mean. Reading runs, imports and unpickles nothing that they name.
"""

import hashlib
import json
from typing import Final, NoReturn

from tradewind.model.closed_json import closed_codec
from tradewind.model.dag import Dag
from tradewind.model.json_leaves import Mismatch, expected, shown

FORMAT_VERSION: Final = 1

MAX_NESTING: Final = 100
"""Deeper lists and objects are refused. A fixed number, so that the answer does not depend on who calls."""

_FORMAT: Final = "format"
_DAG: Final = "dag"
_CODEC: Final = closed_codec(Dag)


class DagFormatError(ValueError):
    """The text is no DAG document, or the DAG cannot be written as one."""

    def __init__(self, problem: str, path: str = "") -> None:
        super().__init__(f"{path}: {problem}" if path else problem)
        self.problem = problem
        self.path = path
        """Where in the document, such as `dag.tasks[3].retry.retries`; empty for the document as a whole."""


class DagFormatTooNew(DagFormatError):
    """The document was written by a later Tradewind."""

    def __init__(self, found: int) -> None:
        super().__init__(
            f"the DAG is stored in format {found}, but this Tradewind reads formats up to {FORMAT_VERSION};"
            " upgrade Tradewind",
            _FORMAT,
        )
        self.found = found


def encode_dag(dag: Dag) -> str:
    """The canonical text of a DAG."""
    try:
        document = {_FORMAT: FORMAT_VERSION, _DAG: _CODEC.encode(dag)}
        _refuse_deep_nesting(document)
        return _written(document)
    except Mismatch as mismatch:
        raise DagFormatError(mismatch.problem, mismatch.path(_DAG)) from None
    except RecursionError:
        raise _nested_too_deeply() from None


def decode_dag(text: str | bytes) -> Dag:
    """The DAG of a text that `encode_dag` wrote. Whether it makes sense is the question of `dag_check`."""
    try:
        content = _content(_parsed(text))
        _refuse_deep_nesting(content)
        dag = _CODEC.decode(content)
    except Mismatch as mismatch:
        raise DagFormatError(mismatch.problem, mismatch.path(_DAG)) from None
    except RecursionError:
        raise _nested_too_deeply() from None
    if not isinstance(dag, Dag):
        raise TypeError(f"the codec of Dag made a {type(dag).__name__}")
    return dag


def structure_hash(text: str) -> str:
    """What tells one version of a DAG from another: the SHA-256 of its canonical text, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def _written(document: object) -> str:
    try:
        return _WRITER.encode(document)
    except ValueError as error:  # an integer of more digits than Python is willing to print
        raise DagFormatError(f"the DAG cannot be written as JSON: {error}") from None


def _parsed(text: str | bytes) -> object:
    try:
        # Decoded here, because `json` would guess at UTF-16 and UTF-32 too.
        parsed: object = _READER.decode(text.decode() if isinstance(text, bytes) else text)
    except DagFormatError:
        raise
    except ValueError as error:
        raise DagFormatError(f"not a JSON document: {error}") from None
    return parsed


def _content(document: object) -> object:
    if not isinstance(document, dict):
        raise DagFormatError(expected("an object", document).problem)
    version = document.get(_FORMAT)
    if not isinstance(version, int) or isinstance(version, bool):
        raise DagFormatError(expected("an integer", version).problem, _FORMAT)
    # Before anything else is judged: a later format may well have other keys.
    if version > FORMAT_VERSION:
        raise DagFormatTooNew(version)
    if version < 1:
        raise DagFormatError(expected(f"a number from 1 to {FORMAT_VERSION}", version).problem, _FORMAT)
    for key in document:
        if key not in (_FORMAT, _DAG):
            raise DagFormatError(f"unknown key {shown(key)}; expected {_FORMAT}, {_DAG}")
    if _DAG not in document:
        raise DagFormatError(f"missing key {_DAG!r}")
    content: object = document[_DAG]
    return content


def _refuse_deep_nesting(value: object) -> None:
    level = [value]
    for _ in range(MAX_NESTING):
        level = [
            child
            for node in level
            for child in (node.values() if isinstance(node, dict) else node if isinstance(node, list) else ())
            if isinstance(child, dict | list)
        ]
        if not level:
            return
    raise _nested_too_deeply()


def _nested_too_deeply() -> DagFormatError:
    return DagFormatError(f"lists and objects are nested more than {MAX_NESTING} deep")


def _object_without_doubles(pairs: list[tuple[str, object]]) -> dict[str, object]:
    # Two readers could disagree on which of two equal keys counts.
    made = dict(pairs)
    if len(made) != len(pairs):
        keys = [key for key, _ in pairs]
        double = next(key for key in keys if keys.count(key) > 1)
        raise DagFormatError(f"the key {shown(double)} stands twice in one object")
    return made


def _refuse_constant(name: str) -> NoReturn:
    raise DagFormatError(f"{name} is not a JSON number")


_WRITER: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False, check_circular=False)
_READER: Final = json.JSONDecoder(object_pairs_hook=_object_without_doubles, parse_constant=_refuse_constant)
