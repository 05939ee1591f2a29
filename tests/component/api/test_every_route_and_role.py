"""Every route, asked by everybody: who may, and who sees what (D6).

The routes are those that are declared, so that a new one is asked too. What each role may is written here once more, in
one table: it is what the rules in `api/auth/access.py` are held to.
"""

import dataclasses
import re
from collections.abc import Mapping
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.component.api.conftest import GUEST, Connect
from tests.component.world import World
from tradewind.api.app import ALL, make_app
from tradewind.api.auth.access import Action, Level, Principal, Resource
from tradewind.api.execution.tokens import Running, tokens_of
from tradewind.api.operation import Declared
from tradewind.api.services import Services
from tradewind.model.dag import Dag, Task
from tradewind.model.states import RunState

ROLES = ("viewer", "user", "op", "admin")
WHO_MAY: Mapping[Resource, tuple[str, str]] = {
    Resource.ASSET: ("viewer", "user"),
    Resource.AUDIT_LOG: ("op", "op"),
    Resource.CONFIG: ("op", "op"),
    Resource.CONNECTION: ("op", "op"),
    Resource.DAG: ("viewer", "user"),
    Resource.IMPORT_ERROR: ("viewer", "op"),
    Resource.JOB: ("viewer", "op"),
    Resource.OWN_ACCOUNT: (GUEST, GUEST),
    Resource.PLUGIN: ("op", "op"),
    Resource.POOL: ("viewer", "op"),
    Resource.PROVIDER: ("op", "op"),
    Resource.USER: ("admin", "admin"),
    Resource.VARIABLE: ("op", "op"),
}
"""The least role that may look, and the least that may change something."""

FOR_EVERYBODY = {
    *("login", "logout", "create_token", "create_token_cli", "create_token_all_admins", "login_all_admins"),
    *("show_login_page", "log_in_with_cookie", "begin_oidc_login", "end_oidc_login"),
    *("get_health", "get_version"),
}
"""Routes that need no login. Whoever adds one adds it here, and says why in its review."""
FOR_WORKERS = {
    "begin_supervisor",
    "end_supervisor",
    "exchange",
    "heartbeat",
    "begin_connection_test",
    "end_connection_test",
    "begin_deadline_callback",
    "renew_deadline_callback",
    "answer_deadline_callback",
    "end_deadline_callback",
}
"""Routes of the Execution API: for who holds the token of an attempt, and for nobody who has logged in."""
ALSO_REFUSED = {"create_api_token", "get_config", "get_config_value"}
"""Routes that refuse some who have the right, for another reason: no such user, or nothing is to be shown at all."""

GRANTED, FOREIGN = "granted", "foreign"
ROUTES = [declared for operations in ALL for declared in operations.declared]
OF_DAG = [route for route in ROUTES if route.need is not None and route.need.resource is Resource.DAG]
_PARAMETER = re.compile(r"{(\w+)}")


@pytest.fixture
def any_world(world: World) -> World:
    """What is asked for here does not depend on the database: one kind will do."""
    for dag_id in (GRANTED, FOREIGN):
        world.publish(Dag(dag_id, (Task(f"{dag_id}_task"),), tags=(f"{dag_id}_tag",), description=f"{dag_id}_text"))
        world.trigger(dag_id, f"{dag_id}_run")
    world.scheduler()
    world.settle()
    return world


def path_of(route: Declared, dag_id: str) -> str:
    """With something in place of each parameter."""
    return _PARAMETER.sub(lambda found: dag_id if found[1] == "dag_id" else "1", route.path)


def may(route: Declared, role: str, dag_id: str) -> bool:
    """As the table says."""
    assert route.need is not None
    looks = route.need.action is Action.READ
    least = WHO_MAY[route.need.resource][0 if looks else 1]
    if role == GUEST:
        is_granted = route.need.resource is Resource.DAG and looks
        return least == GUEST or (is_granted and ("{dag_id}" not in route.path or dag_id in (GRANTED, "~")))
    return least == GUEST or ROLES.index(role) >= ROLES.index(least)


def test_the_table_knows_every_resource() -> None:
    assert set(WHO_MAY) == set(Resource)


def test_what_needs_no_login_is_known() -> None:
    assert {route.operation_id for route in ROUTES if route.need is None} == FOR_EVERYBODY | FOR_WORKERS


@pytest.mark.parametrize("role", [None, GUEST, *ROLES])
def test_nobody_who_has_logged_in_may_use_what_is_for_workers(connect: Connect, role: str | None) -> None:
    client = connect(role)
    routes = [route for route in ROUTES if route.path.startswith("/execution")]

    assert {route.operation_id for route in routes} == FOR_WORKERS
    assert {client.request(route.method, route.path, json={}).status_code for route in routes} == {401}


def test_tokens_of_attempts_count_nowhere_else(connect: Connect, services: Services) -> None:
    running = Running(1, "granted_task", -1, 1, GRANTED, "granted_run", 1)
    client = connect(None)
    client.headers["Authorization"] = f"Bearer {tokens_of(services).make(running, services.clock.now())}"
    routes = [route for route in ROUTES if route.need is not None]

    found = {route.operation_id: client.request(route.method, path_of(route, GRANTED)).status_code for route in routes}

    assert found == dict.fromkeys(found, 401)


def test_no_route_changes_something_for_those_who_may_only_look() -> None:
    looks = {route.operation_id for route in ROUTES if route.need is not None and route.need.action is Action.READ}
    changes = {route.operation_id for route in ROUTES if route.method in ("PUT", "PATCH", "DELETE")}

    assert looks & changes == set()


@pytest.mark.parametrize("role", [None, GUEST, *ROLES])
def test_who_may_is_let_through_and_nobody_else(connect: Connect, role: str | None) -> None:
    client = connect(role)
    wrong: list[str] = []
    for route in ROUTES:
        if route.need is None:
            continue
        for dag_id in (GRANTED, FOREIGN, "~", "no_such_dag"):
            if "{dag_id}" not in route.path and dag_id != GRANTED:
                continue
            answer = client.request(route.method, path_of(route, dag_id))
            if role is None:
                is_right = answer.status_code == 401
            elif not may(route, role, dag_id):
                is_right = answer.status_code in (403, 404) and FOREIGN not in answer.text
            elif route.operation_id in ALSO_REFUSED:
                is_right = answer.status_code != 401
            else:
                is_right = answer.status_code not in (401, 403)
            if not is_right or answer.status_code >= 500:
                wrong.append(f"{route.method} {path_of(route, dag_id)} ({route.operation_id}): {answer.status_code}")

    assert wrong == []


def lists(dag_id: str = "~") -> list[tuple[Declared, str]]:
    """Routes that look at many DAGs at once."""
    return [
        (route, path_of(route, dag_id).replace("dagRuns/1", "dagRuns/~").replace("taskInstances/1", "taskInstances/~"))
        for route in OF_DAG
        if route.need is not None and route.need.action is Action.READ
        if "{dag_id}" not in route.path or route.path.startswith("/api/v2/dags/{dag_id}/dagRuns")
    ]


def ask(client: TestClient, route: Declared, path: str) -> Any:
    """With a body that asks for nothing in particular, where there has to be one."""
    return client.request(route.method, path, json={} if route.method == "POST" else None)


def test_lists_show_a_guest_only_what_is_granted(connect: Connect) -> None:
    """CVE-2023-42780, CVE-2024-27906 and others: lists that showed what one by one was refused."""
    guest, admin = connect(GUEST), connect("admin")
    shown: set[str] = set()
    leaks: list[str] = []
    for route, path in lists():
        everything, answer = ask(admin, route, path), ask(guest, route, path)
        if everything.status_code == 200 and FOREIGN in everything.text:
            shown.add(route.operation_id)
            if answer.status_code == 200 and GRANTED not in answer.text:
                leaks.append(f"{route.operation_id} hides what is granted")
        if FOREIGN in answer.text:
            leaks.append(f"{route.operation_id} shows what is not granted: {path}")

    assert leaks == []
    assert {"get_dags", "get_dag_runs", "get_task_instances", "get_dag_tags", "get_dag_stats"} <= shown


def test_lists_do_not_count_what_they_do_not_show(connect: Connect) -> None:
    guest = connect(GUEST)

    totals: dict[str, int] = {}
    for route, path in lists():
        answer = ask(guest, route, path)
        if answer.is_success and answer.headers["content-type"] == "application/json":
            totals[route.operation_id] = answer.json().get("total_entries") or 0

    assert {name for name, total in totals.items() if total > 1} == set()


def test_filters_tell_nothing_about_what_is_not_shown(connect: Connect) -> None:
    """Who asks for another's DAG by name gets what they would get if there were none."""
    guest = connect(GUEST)
    for path in ("/api/v2/dags", "/api/v2/dags/~/dagRuns", "/api/v2/dagTags"):
        for names in ({"dag_id_pattern": FOREIGN}, {"dag_id": FOREIGN}, {"tags": f"{FOREIGN}_tag"}):
            answer = guest.get(path, params=names)
            assert FOREIGN not in answer.text, (path, names)


@pytest.fixture
def editor(services: Services) -> TestClient:
    """May do anything to `granted`, and nothing to `foreign`."""
    everything = Principal("editor", Level.NOBODY, {GRANTED: frozenset(Action)})
    app = make_app(dataclasses.replace(services, find_principal=lambda _: everything))
    token = services.tokens.make("editor", services.clock.now())
    return TestClient(app, headers={"Authorization": f"Bearer {token}"})


def test_who_may_change_one_dag_changes_no_other(editor: TestClient, any_world: World) -> None:
    before = state(any_world, FOREIGN)
    refused: list[str] = []
    for route in OF_DAG:
        if route.need is None or route.need.action is Action.READ or "{dag_id}" not in route.path:
            continue
        answer = editor.request(route.method, path_of(route, FOREIGN), json={})
        if answer.status_code not in (403, 404):
            refused.append(f"{route.operation_id}: {answer.status_code}")

    assert refused == []
    assert state(any_world, FOREIGN) == before


BULK: list[tuple[str, str, Any]] = [
    ("PATCH", "/api/v2/dags?dag_id_pattern=%25", {"is_paused": True}),
    ("PATCH", "/api/v2/dags?dag_id_pattern=foreign", {"is_paused": True}),
    *(
        (
            "PATCH",
            "/api/v2/dags/~/dagRuns",
            {"actions": [{"action": action, "entities": [{"dag_id": FOREIGN, "dag_run_id": "foreign_run", **more}]}]},
        )
        for action, more in (("update", {"state": "failed"}), ("delete", {}))
    ),
    *(
        (
            "PATCH",
            "/api/v2/dags/~/dagRuns/~/taskInstances",
            {
                "actions": [
                    {
                        "action": action,
                        "entities": [
                            {"dag_id": FOREIGN, "dag_run_id": "foreign_run", "task_id": "foreign_task", **more}
                        ],
                    }
                ]
            },
        )
        for action, more in (("update", {"new_state": "failed"}), ("delete", {}))
    ),
    ("PATCH", "/api/v2/dags/granted/dagRuns", {"actions": [{"action": "delete", "entities": ["foreign_run"]}]}),
    (
        "PATCH",
        "/api/v2/dags/granted/dagRuns",
        {"actions": [{"action": "delete", "entities": [{"dag_id": FOREIGN, "dag_run_id": "foreign_run"}]}]},
    ),
]


@pytest.mark.parametrize(("method", "path", "body"), BULK)
def test_nor_with_many_others_at_once(
    editor: TestClient, any_world: World, method: str, path: str, body: dict[str, Any]
) -> None:
    before = state(any_world, FOREIGN)

    answer = editor.request(method, path, json=body)

    assert answer.status_code < 500
    assert state(any_world, FOREIGN) == before, answer.text


@pytest.mark.parametrize(("method", "path", "body"), [each for each in BULK if "granted" not in each[1]])
def test_who_may_change_all_can_do_so(
    client: TestClient, any_world: World, method: str, path: str, body: dict[str, Any]
) -> None:
    """Else the tests above would prove nothing."""
    before = state(any_world, FOREIGN)

    answer = client.request(method, path, json=body)

    assert state(any_world, FOREIGN) != before, answer.text


def state(world: World, dag_id: str) -> tuple[Any, ...]:
    """All that there is to change."""
    with world.database.begin() as tx:
        (record,) = tx.dags.lock([dag_id])
    runs: list[tuple[str, RunState]] = [(run.run_id, run.state) for run in world.runs(dag_id)]
    return record.is_paused, runs, [(run.run_id, world.states(run.run_id, dag_id)) for run in world.runs(dag_id)]
