"""What the audit log says about a request that changes something."""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from fastapi import Request
from pydantic import BaseModel

from tradewind.api.auth.access import Principal, Resource
from tradewind.api.services import Services
from tradewind.model.audit import AuditEntry
from tradewind.operations.describe_change import described

_ANY: Final = "~"
_SECRET: Final[Mapping[Resource, frozenset[str]]] = {
    Resource.VARIABLE: frozenset({"value"}),
    Resource.CONNECTION: frozenset({"password", "extra"}),
}
"""What is never written down, whatever it is called."""


def entry_of(
    request: Request, operation_id: str, resource: Resource, arguments: Mapping[str, Any], services: Services
) -> AuditEntry:
    """Who asks for what."""
    principal: Principal = request.state.principal
    asked = {**request.query_params, **request.path_params, **_body(arguments)}
    return AuditEntry(
        operation_id,
        principal.name,
        services.clock.now(),
        dag_id=_text(asked, "dag_id"),
        task_id=_text(asked, "task_id"),
        run_id=_text(asked, "dag_run_id", "run_id"),
        map_index=_number(asked, "map_index"),
        try_number=_number(asked, "try_number", "task_try_number"),
        extra=described(
            asked, _SECRET.get(resource, frozenset()), _words(services.settings.core.sensitive_var_conn_names)
        ),
    )


@cache
def _words(configured: str) -> frozenset[str]:
    return frozenset(word.strip().lower() for word in configured.split(",") if word.strip())


def _body(arguments: Mapping[str, Any]) -> dict[str, Any]:
    bodies = [value for value in arguments.values() if isinstance(value, BaseModel)]
    return {
        name: value for body in bodies for name, value in body.model_dump(exclude_unset=True, by_alias=True).items()
    }


def _text(asked: Mapping[str, Any], *names: str) -> str | None:
    found = next((asked[name] for name in names if isinstance(asked.get(name), str)), None)
    return None if found == _ANY else found


def _number(asked: Mapping[str, Any], *names: str) -> int | None:
    for name in names:
        try:
            return int(asked[name])
        except (KeyError, TypeError, ValueError):
            continue
    return None
