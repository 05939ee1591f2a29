"""Requests as nobody would send them, made from the OpenAPI document by schemathesis: none breaks the server, and each
is answered with a status that the document names (D6). TRADEWIND_TEST_EXAMPLES asks for more of them."""

import os
from contextlib import suppress
from functools import cache
from typing import Any, Final

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import Case, GenerationMode
from schemathesis.core.result import Ok
from schemathesis.schemas import APIOperation

from tests.component.api.conftest import shared_app
from tests.component.world import World
from tradewind.api.app import ALL
from tradewind.api.services import Services
from tradewind.model.asset import AssetAliasRef, AssetRef
from tradewind.model.dag import Task
from tradewind.model.ids import UNMAPPED, TaskKey
from tradewind.storage.interface.kept_stores import XComValue

Operation = APIOperation[Any, Any, Any, Any]

EXAMPLES: Final = int(os.environ.get("TRADEWIND_TEST_EXAMPLES", "2"))
"""Requests to each operation, of each kind."""
DECLARED: Final = [route for operations in ALL for route in operations.declared]
THERE: Final[dict[str, Any]] = {
    "dag_id": "sales",
    "dag_run_id": "r1",
    "task_id": "a",
    "map_index": UNMAPPED,
    "task_try_number": 1,
    "try_number": 1,
    "version_number": 1,
    "pool_name": "default_pool",
    "group_id": "a",
    "xcom_key": "return_value",
    "asset_id": 1,
    "asset_alias_id": 1,
    "event_log_id": 1,
    "import_error_id": 1,
}
"""Who asks for what is not there is told so, before the rest of what they say is looked at."""
KINDS: Final[tuple[tuple[GenerationMode, dict[str, Any]], ...]] = (
    (GenerationMode.POSITIVE, THERE),
    (GenerationMode.NEGATIVE, THERE),
    (GenerationMode.POSITIVE, {}),
)
"""What the document allows, and what it does not, for what is there; and what it allows for whatever comes to mind."""

NOT_IN_THE_DOCUMENT: Final = {
    "delete_dag": ("204",),  # Airflow answers so, and says 200
    "create_token": ("422",),  # what they are sent is read by the routes themselves, as JSON or as a form
    "create_token_cli": ("422",),
    "change_own_password": ("429",),
}


@cache
def described() -> dict[str, Operation]:
    """All operations of the document."""
    schema = schemathesis.openapi.from_dict(shared_app().openapi())
    found = [each.ok() for each in schema.get_all_operations() if isinstance(each, Ok)]
    return {each.definition.raw["operationId"]: each for each in found}


@pytest.fixture
def any_world(world: World) -> World:
    """With something of each kind."""
    world.dag(Task("a", outlets=(AssetRef("orders", "s3://orders"), AssetAliasRef("alias", "g"))), Task("b"))
    world.trigger()
    world.scheduler()
    world.settle()
    task = TaskKey(world.run().key, "a", UNMAPPED)
    with world.database.begin() as tx:
        tx.xcoms.put([XComValue(task, "return_value", {"some": "thing"})], world.clock.now())
    return world


@pytest.mark.parametrize("operation_id", [route.operation_id for route in DECLARED])
def test_no_request_breaks_the_server(operation_id: str, services: Services) -> None:
    operation = described()[operation_id]
    foreseen = {*operation.definition.raw["responses"], *NOT_IN_THE_DOCUMENT.get(operation_id, ())}
    token = services.tokens.make("admin", services.clock.now())
    app = shared_app()
    app.state.services = services
    for mode, there in KINDS:
        known = {each.name: there[each.name] for each in operation.path_parameters if each.name in there}

        @settings(
            max_examples=EXAMPLES,
            derandomize=True,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(mode, path_parameters=known or None))
        def ask(case: Case[Any]) -> None:
            answer = case.call(app=app, headers={"Authorization": f"Bearer {token}"})
            assert answer.status_code < 500, (case.as_curl_command(), answer.text)
            assert str(answer.status_code) in foreseen, (case.as_curl_command(), answer.text)

        with suppress(Unsatisfiable):  # what takes nothing cannot be given anything wrong
            ask()
