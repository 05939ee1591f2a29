"""What the REST API tells of the deployment itself: health, jobs, version, providers, plugins (B1, D4)."""

import re
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.component.api.conftest import Connect
from tests.component.world import World
from tradewind import __version__
from tradewind.api.public.providers import BUILT_IN
from tradewind.api.services import Services
from tradewind.providers.standard import get_provider_info
from tradewind.storage.database import Database

HEALTH = "/api/v2/monitor/health"
JOBS = "/api/v2/jobs"


def start(world: World, kind: str, hostname: str = "here") -> int:
    with world.database.begin() as tx:
        return tx.jobs.start(kind, hostname=hostname, pid=1, now=world.clock.now())


def test_health_is_told_to_everybody(connect: Connect, any_world: World) -> None:
    unknown = connect(None)
    assert unknown.get(HEALTH).json() == {
        "metadatabase": {"status": "healthy"},
        "scheduler": {"status": "unhealthy", "latest_scheduler_heartbeat": None},
        "triggerer": {"status": None, "latest_triggerer_heartbeat": None},
        "dag_processor": {"status": None, "latest_dag_processor_heartbeat": None},
    }

    at = any_world.clock.now().isoformat()
    start(any_world, "dag_processor")
    any_world.clock.advance(31)
    start(any_world, "scheduler")

    health = unknown.get(HEALTH).json()
    assert health["scheduler"] == {
        "status": "healthy",
        "latest_scheduler_heartbeat": any_world.clock.now().isoformat(),
    }
    assert health["dag_processor"] == {"status": "unhealthy", "latest_dag_processor_heartbeat": at}


def test_a_service_that_has_stopped_is_not_well(client: TestClient, any_world: World) -> None:
    key = start(any_world, "scheduler")
    with any_world.database.begin() as tx:
        tx.jobs.stop(key, any_world.clock.now())  # type: ignore[arg-type]

    assert client.get(HEALTH).json()["scheduler"]["status"] == "unhealthy"


def test_a_database_that_does_not_answer_is_told(client: TestClient, services: Services) -> None:
    services.store = Database("postgresql+psycopg://nobody@127.0.0.1:1/none", frozen_after_s=1.0)

    answer = client.get(HEALTH)

    assert (answer.status_code, answer.json()["metadatabase"]) == (200, {"status": "unhealthy"})
    assert answer.json()["scheduler"]["status"] == "unhealthy"


def test_jobs_are_listed_by_kind_state_and_time(client: TestClient, any_world: World) -> None:
    began = any_world.clock.now()
    stopped = start(any_world, "scheduler", "there")
    with any_world.database.begin() as tx:
        tx.jobs.stop(stopped, began)  # type: ignore[arg-type]
    start(any_world, "dag_processor")
    any_world.clock.advance(60)
    start(any_world, "scheduler")

    def found(**query: Any) -> list[tuple[str, str]]:
        answer = client.get(JOBS, params=query)
        assert answer.status_code == 200, answer.text
        return [(job["job_type"], job["state"]) for job in answer.json()["jobs"]]

    old, processor, new = ("SchedulerJob", "success"), ("DagProcessorJob", "running"), ("SchedulerJob", "running")
    assert found() == [old, processor, new]
    assert found(order_by="-start_date") == [new, processor, old]
    assert found(is_alive=True) == [new]
    assert found(is_alive=False) == [old, processor]
    assert found(job_type="SchedulerJob", limit=1, offset=1) == [new]
    assert found(job_state="success") == [old]
    assert found(hostname="there") == [old]
    assert found(executor_class="LocalExecutor") == []
    assert found(start_date_gt=began.isoformat()) == [new]
    assert found(end_date_lte=began.isoformat()) == [old]
    assert client.get(JOBS, params={"order_by": "secret"}).status_code == 400
    first = client.get(JOBS).json()["jobs"][0]
    assert (first["id"], first["hostname"], first["dag_id"], first["unixname"]) == (stopped, "there", None, None)


def test_the_version_is_told_to_everybody(connect: Connect) -> None:
    assert connect(None).get("/api/v2/version").json() == {"version": __version__, "git_version": None}


def test_provider_packages_are_listed_without_being_imported(client: TestClient) -> None:
    answer = client.get("/api/v2/providers").json()

    own = get_provider_info()
    assert (BUILT_IN.package_name, BUILT_IN.version) == (own["package-name"], own["version"])
    assert BUILT_IN.model_dump() in answer["providers"]
    assert answer["total_entries"] == len(answer["providers"])
    assert client.get("/api/v2/providers", params={"limit": 0}).json()["providers"] == []


PLUGINS = {
    "simple.py": """
raise RuntimeError("whoever imports this runs others' code")
from airflow.plugins_manager import AirflowPlugin
view = {"name": "Docs", "href": "https://example.org", "destination": "dag"}
class Simple(AirflowPlugin):
    name = "simple"
    macros = [fold, unfold]
    listeners: list = [listener]
    external_views = [view, {"name": "without an address"}]
    fastapi_apps = [{"app": app, "url_prefix": "/mine", "name": "Mine"}]
class Other:
    pass
""",
    "under/again.py": """
import airflow.plugins_manager
class Again(airflow.plugins_manager.AirflowPlugin):
    name = "simple"
class Nameless(airflow.plugins_manager.AirflowPlugin):
    timetables = (Workdays,)
""",
    "broken.py": "class (:",
}


@pytest.fixture
def plugins(services: Services) -> None:
    for name, text in PLUGINS.items():
        path = services.settings.plugins_folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.mark.usefixtures("plugins")
def test_plugins_are_listed_without_being_imported(client: TestClient) -> None:
    answer = client.get("/api/v2/plugins").json()
    errors = client.get("/api/v2/plugins/importErrors").json()

    found = {plugin["name"]: plugin for plugin in answer["plugins"] if plugin["source"].startswith("$")}
    assert set(found) == {"simple", "Nameless"}
    simple = found["simple"]
    assert (simple["macros"], simple["listeners"], simple["source"]) == (
        ["fold", "unfold"],
        ["listener"],
        "$PLUGINS_FOLDER/simple.py",
    )
    assert [(each["name"], each["destination"]) for each in simple["external_views"]] == [("Docs", "dag")]
    assert simple["fastapi_apps"] == [{"app": "app", "url_prefix": "/mine", "name": "Mine"}]
    assert found["Nameless"]["timetables"] == ["Workdays"]
    assert errors["total_entries"] == 1
    assert errors["import_errors"][0]["source"] == "$PLUGINS_FOLDER/broken.py"
    assert re.match("SyntaxError: ", errors["import_errors"][0]["error"])


def test_without_plugins_there_are_none_in_the_folder(client: TestClient) -> None:
    sources = [plugin["source"] for plugin in client.get("/api/v2/plugins").json()["plugins"]]
    assert not any(source.startswith("$") for source in sources)


def test_who_may(connect: Connect) -> None:
    for path, least in (("providers", "op"), ("plugins", "op"), ("plugins/importErrors", "op"), ("jobs", "viewer")):
        assert connect(None).get(f"/api/v2/{path}").status_code == 401
        assert connect("guest").get(f"/api/v2/{path}").status_code == 403
        assert connect(least).get(f"/api/v2/{path}").status_code == 200
    assert connect("user").get("/api/v2/providers").status_code == 403
