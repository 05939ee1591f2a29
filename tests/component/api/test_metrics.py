"""`GET /metrics`: the deployment as the database has it, and the requests of the server (B8)."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_open_metrics
from prometheus_client.parser import text_string_to_metric_families as parse_plain

from tests.component.world import PatientExecutor, World
from tradewind.api.app import make_app
from tradewind.api.auth.tokens import Tokens
from tradewind.api.metrics_page import DeploymentFigures
from tradewind.api.public import monitor
from tradewind.api.services import Services
from tradewind.errors import DatabaseUnavailable
from tradewind.model.dag import Task
from tradewind.secrets.encryption import Encryption
from tradewind.settings import DatabaseSettings, Settings
from tradewind.storage.database import Database
from tradewind.task_logs.reader import LogReader
from tradewind.telemetry.engine_metrics import EngineMetrics
from tradewind.telemetry.hub import Hub
from tradewind.telemetry.prometheus import Registry
from tradewind.telemetry.scrape import MetricsPage

Values = dict[str, dict[tuple[str, ...], float]]


@pytest.fixture
def services(world: World, tmp_path: Path) -> Services:
    """Of a server whose metrics are kept for Prometheus."""
    registry, hub = Registry("airflow"), Hub()
    hub.attach(EngineMetrics(registry), measures=True)
    return Services(
        settings=Settings(home=tmp_path, database=DatabaseSettings(sql_alchemy_conn="sqlite://")),
        store=world.database,
        clock=world.clock,
        tokens=Tokens(
            "a secret of the tests, which is long enough for the algorithm that signs the tokens of the server"
        ),
        cipher=Encryption([]),
        logs=LogReader(tmp_path / "logs"),
        find_principal=lambda _: None,
        hub=hub,
        metrics_page=MetricsPage(
            registry=registry, deployment=DeploymentFigures(world.database, world.clock, "airflow")
        ),
    )


@pytest.fixture
def connect(services: Services) -> Iterator[Callable[..., TestClient]]:
    app = make_app(services, [monitor.operations])
    made: list[TestClient] = []

    def connect(address: str = "127.0.0.1") -> TestClient:
        made.append(TestClient(app, base_url="http://localhost", client=(address, 5000)))
        return made[-1]

    yield connect
    for each in made:
        each.close()


def values(client: TestClient) -> Values:
    """By the name of the metric and the values of its labels."""
    found: Values = {}
    for family in parse_plain(client.get("/metrics").text):
        for sample in family.samples:
            found.setdefault(sample.name, {})[tuple(sample.labels.values())] = sample.value
    return found


def test_the_deployment_is_shown_as_the_database_has_it(connect: Callable[..., TestClient], world: World) -> None:
    world.pool("gpu", 4)
    world.dag(Task("train", pool="gpu", pool_slots=3))
    world.trigger()
    world.scheduler(PatientExecutor(world.clock))
    world.settle()
    client = connect()

    shown = values(client)

    assert shown["airflow_pool_open_slots"][("gpu",)] == 1
    assert shown["airflow_pool_running_slots"][("gpu",)] == 3
    assert shown["airflow_dagruns"] == {("queued",): 0, ("running",): 1}
    assert shown["airflow_task_instances"][("running",)] == 1
    assert shown["airflow_ti_running"][("sales", "default", "train")] == 1
    assert shown["airflow_dagbag_size"][()] == 1
    assert [age for (_, kind), age in shown["airflow_job_heartbeat_age"].items() if kind == "scheduler"] == [0]


def test_figures_are_read_again_after_a_few_seconds_only(connect: Callable[..., TestClient], world: World) -> None:
    client = connect()
    before = values(client)
    world.pool("gpu", 4)
    soon = values(client)
    world.clock.sleep(5)

    later = values(client)

    assert ("gpu",) not in before["airflow_pool_open_slots"] | soon["airflow_pool_open_slots"]
    assert later["airflow_pool_open_slots"][("gpu",)] == 4


def test_requests_are_counted_by_their_route(connect: Callable[..., TestClient]) -> None:
    """Not by their path, which anybody may make up."""
    client = connect()
    for path in ("/api/v2/monitor/health", "/api/v2/monitor/health", "/nowhere/1", "/nowhere/2"):
        client.get(path)
    client.request("BREW", "/api/v2/monitor/health")

    shown = values(client)["airflow_api_server_requests_total"]

    assert shown[("GET", "/api/v2/monitor/health", "200")] == 2
    assert shown[("GET", "none", "404")] == 2
    assert {method for method, _, _ in shown} == {"GET", "none"}
    assert values(client)["airflow_api_server_request_duration_seconds_count"][("GET", "/api/v2/monitor/health")] == 2


def test_clients_that_ask_for_open_metrics_get_it(connect: Callable[..., TestClient]) -> None:
    answer = connect().get("/metrics", headers={"Accept": "application/openmetrics-text; version=1.0.0"})

    assert answer.headers["content-type"].startswith("application/openmetrics-text; version=1.0.0")
    families = parse_open_metrics(answer.text)  # type: ignore[no-untyped-call]
    assert "airflow_dagruns" in {family.name for family in families}


def test_only_this_machine_may_ask_unless_a_token_says_otherwise(
    connect: Callable[..., TestClient], services: Services
) -> None:
    assert services.metrics_page is not None
    near, far = connect(), connect("10.0.0.7")

    assert [client.get("/metrics").status_code for client in (near, far)] == [200, 403]
    assert near.get("/metrics", headers={"X-Forwarded-For": "10.0.0.7"}).status_code == 403
    services.metrics_page = replace(services.metrics_page, token="sesame")
    refused = far.get("/metrics")
    assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
    assert far.get("/metrics", headers={"Authorization": "Bearer sesame"}).status_code == 200
    services.metrics_page = None
    assert near.get("/metrics").status_code == 404


def test_a_database_that_is_away_takes_only_its_own_figures_with_it(
    connect: Callable[..., TestClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    client = connect()
    client.get("/api/v2/monitor/health")

    def away(*_: object) -> None:
        raise DatabaseUnavailable("gone")

    monkeypatch.setattr(Database, "read", away)
    shown = values(client)

    assert "airflow_dagruns" not in shown
    assert shown["airflow_api_server_requests_total"]
