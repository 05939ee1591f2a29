"""Each operation of Airflow's REST API is there, with its parameters, bodies and answers (B1)."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tradewind.api.app import ALL, make_app

CONTRACT = json.loads((Path(__file__).parent / "contract.json").read_text())
OPERATIONS = {operation["operation_id"]: operation for operation in CONTRACT["operations"]}
DIFFERENT: Mapping[str, str] = {}
"""Operations that differ on purpose, and why."""

_TEXTS = {"title", "description", "example", "examples", "operationId", "tags", "summary"}
_OUR_PREFIX = "/api/v2"
_BEYOND = frozenset(
    {
        "explain_dag",
        "explain_dag_run",
        "explain_task_instance",
        "get_backfill_progress",
        "get_slots",
        "get_task_instance_attempts",
        "get_upcoming_runs",
    }
)
"""Operations that Airflow does not have."""

_DESCRIBED_OTHERWISE = {"307", "422"}
"""Airflow describes the body of a redirect, which has none; and 422 by a text where it is a list, as it is here."""

Json = Any


@cache
def document() -> Json:
    """Ours. No route is called, so that nothing need be there to work with."""
    return make_app(None).openapi()  # type: ignore[arg-type]


def ours() -> dict[str, Json]:
    return {
        operation["operationId"]: {**operation, "path": path, "method": method.upper()}
        for path, methods in document()["paths"].items()
        for method, operation in methods.items()
    }


def resolved(schema: Json, schemas: Mapping[str, Json], seen: tuple[str, ...] = ()) -> Json:
    """Without texts, and with what it refers to in place of the names."""
    if isinstance(schema, list):
        return [resolved(each, schemas, seen) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        if name in seen:
            return {"again": name}
        rest = {key: value for key, value in schema.items() if key not in {"$ref", *_TEXTS}}
        return {**resolved(schemas[name], schemas, (*seen, name)), **rest}
    found = {
        key: (
            {name: resolved(value, schemas, seen) for name, value in content.items()}
            if key == "properties"
            else resolved(content, schemas, seen)
        )
        for key, content in schema.items()
        if key == "properties" or key not in _TEXTS
    }
    # How one of several is told from the others is said by each of them already.
    found.pop("discriminator", None)
    if isinstance(found.get("required"), list):
        found["required"] = sorted(found["required"])
    return found


def parameters(operation: Json, schemas: Mapping[str, Json]) -> dict[tuple[str, str], Json]:
    return {
        (each["in"], each["name"]): (each.get("required", False), resolved(each["schema"], schemas))
        for each in operation.get("parameters", ())
    }


def answers(responses: Mapping[str, Mapping[str, Json]], schemas: Mapping[str, Json]) -> dict[str, Json]:
    """Those that tell of success, and what a refusal looks like."""
    return {
        code: {kind: resolved(schema, schemas) for kind, schema in kinds.items() if schema}
        for code, kinds in responses.items()
    }


def test_every_operation_is_there() -> None:
    built = {name for name, operation in ours().items() if operation["path"].startswith(_OUR_PREFIX)}

    assert built - _BEYOND == set(OPERATIONS)


def test_who_may_call_it_is_declared_for_every_operation() -> None:
    declared = {(each.method, each.path) for operations in ALL for each in operations.declared}

    assert {(each["method"], each["path"]) for each in ours().values()} <= declared


@pytest.mark.parametrize("operation_id", sorted(OPERATIONS))
def test_an_operation_is_as_airflows_clients_expect_it(operation_id: str) -> None:
    if operation_id in DIFFERENT:
        pytest.skip(DIFFERENT[operation_id])
    theirs, own = OPERATIONS[operation_id], ours()[operation_id]
    schemas, own_schemas = CONTRACT["schemas"], document()["components"]["schemas"]

    assert (own["method"], own["path"]) == (theirs["method"], theirs["path"])
    assert parameters(own, own_schemas) == parameters(theirs, schemas)
    own_body = own.get("requestBody")
    assert (own_body is not None) == (theirs["body"] is not None)
    if own_body is not None:
        bodies = {kind: resolved(each["schema"], own_schemas) for kind, each in own_body["content"].items()}
        assert bodies == {kind: resolved(each["schema"], schemas) for kind, each in theirs["body"].items()}
        assert own_body.get("required", False) == theirs["body_required"]
    own_answers = {
        code: {kind: each.get("schema") for kind, each in answer.get("content", {}).items()}
        for code, answer in own["responses"].items()
    }
    expected, foreseen = answers(theirs["responses"], schemas), answers(own_answers, own_schemas)
    assert set(expected) <= set(foreseen)
    assert {code for code in foreseen if code.startswith("2")} <= set(expected)
    for code in set(expected) - _DESCRIBED_OTHERWISE:
        assert foreseen[code] == expected[code], code
