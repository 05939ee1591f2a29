"""All operations of the web server, as people read about them: from the OpenAPI document and what each one needs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tradewind.api.auth.access import Need
from tradewind.api.operation import Operations

_GOOD = ("2", "3")
"""How the status begins of an answer that is no refusal. How requests are refused is the same everywhere."""


@dataclass(frozen=True, slots=True)
class Described:
    """One operation."""

    tag: str
    method: str
    path: str
    text: str
    need: Need | None
    parameters: tuple[str, ...]
    """Of the query and of headers; those that must be given first, and with a star."""
    body: str | None
    """What it must, or may, be given: the name of a schema, or media types."""
    answers: tuple[str, ...]
    """Status and schema, except for refusals."""


def described(document: Mapping[str, Any], operations: Iterable[Operations]) -> list[Described]:
    """All of them, by tag and path."""
    needs = {(each.method, each.path): each.need for group in operations for each in group.declared}
    found = [
        _described(method.upper(), path, operation, needs.get((method.upper(), path)))
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    return sorted(found, key=lambda each: (each.tag.lower(), each.path, each.method))


def _described(method: str, path: str, operation: Mapping[str, Any], need: Need | None) -> Described:
    text = " ".join(operation.get("description", "").split("\n\n")[0].split())
    return Described(
        operation["tags"][0],
        method,
        path,
        text,
        need,
        _parameters(operation.get("parameters", ())),
        _body(operation.get("requestBody")),
        tuple(_answer(status, answer) for status, answer in operation["responses"].items() if status.startswith(_GOOD)),
    )


def _parameters(parameters: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    asked = [each for each in parameters if each["in"] != "path"]
    required = [f"{each['name']}*" for each in asked if each.get("required")]
    return (*required, *(each["name"] for each in asked if not each.get("required")))


def _body(body: Mapping[str, Any] | None) -> str | None:
    if body is None:
        return None
    return _kinds(body["content"]) + ("*" if body.get("required") else "")


def _answer(status: str, answer: Mapping[str, Any]) -> str:
    return f"{status} {_kinds(answer.get('content', {}))}".rstrip()


def _kinds(content: Mapping[str, Any]) -> str:
    names = {_name(media, each.get("schema", {})) for media, each in content.items()}
    return ", ".join(sorted(names - {""}))


def _name(media: str, schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if schema.get("type") == "array":
        return f"list of {_name(media, schema['items'])}"
    return "" if media == "application/json" else media
