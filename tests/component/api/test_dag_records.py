"""Tags, versions, sources, warnings, numbers of runs and import errors by the REST API (B1)."""

from typing import Any

from fastapi.testclient import TestClient

from tests.component.api.conftest import Connect
from tests.component.api.dag_files import store_file
from tests.component.world import World
from tradewind.model.dag import Dag, Task
from tradewind.model.dag_file import FileName, FileWarning
from tradewind.model.states import RunState

API = "/api/v2"


def test_tags_are_listed_once_each(client: TestClient, connect: Connect, any_world: World) -> None:
    any_world.dag(dag_id="granted", tags=("blue", "red"))
    any_world.dag(dag_id="other", tags=("red", "green"))

    def tags(who: TestClient = client, **query: Any) -> list[str]:
        found: list[str] = who.get(f"{API}/dagTags", params=query).json()["tags"]
        return found

    assert tags() == ["blue", "green", "red"]
    assert tags(order_by="-name", limit=1) == ["red"]
    assert tags(tag_name_pattern="RE") == ["green", "red"]
    assert tags(tag_name_prefix_pattern="r|b") == ["blue", "red"]
    assert tags(connect("guest")) == ["blue", "red"]
    assert client.get(f"{API}/dagTags", params={"limit": 1}).json()["total_entries"] == 3


def test_versions_are_listed(client: TestClient, connect: Connect, any_world: World) -> None:
    store_file(any_world, "a.py", Dag("granted", display_name="Mine"), bundle_version="one")
    store_file(any_world, "a.py", Dag("granted", tasks=(Task("t"),), display_name="Mine"), bundle_version="two")
    any_world.dag(dag_id="other")

    versions = client.get(f"{API}/dags/granted/dagVersions").json()

    assert versions["total_entries"] == 2
    assert [(each["version_number"], each["bundle_version"]) for each in versions["dag_versions"]] == [
        (1, "one"),
        (2, "two"),
    ]
    assert versions["dag_versions"][1] == client.get(f"{API}/dags/granted/dagVersions/2").json()
    assert versions["dag_versions"][1]["dag_display_name"] == "Mine"

    def numbers(dag_id: str = "granted", who: TestClient = client, **query: Any) -> list[tuple[str, int]]:
        found = who.get(f"{API}/dags/{dag_id}/dagVersions", params=query).json()["dag_versions"]
        return [(each["dag_id"], each["version_number"]) for each in found]

    assert numbers(order_by="-version_number", limit=1) == [("granted", 2)]
    assert numbers(version_number=1) == [("granted", 1)]
    assert numbers(bundle_name="dags-folder", bundle_version="two") == [("granted", 2)]
    assert numbers("~") == [("granted", 1), ("granted", 2), ("other", 1)]
    assert numbers("~", connect("guest")) == [("granted", 1), ("granted", 2)]
    assert client.get(f"{API}/dags/none/dagVersions").status_code == 404
    assert client.get(f"{API}/dags/granted/dagVersions/3").status_code == 404
    assert connect("guest").get(f"{API}/dags/other/dagVersions").status_code == 403


def test_the_source_is_that_of_a_version(client: TestClient, connect: Connect, any_world: World) -> None:
    store_file(any_world, "a.py", Dag("granted"), source="# für eins")
    store_file(any_world, "a.py", Dag("granted", tasks=(Task("t"),)), source="# two")
    any_world.dag(dag_id="without")

    def source(dag_id: str = "granted", accept: str = "*/*", **query: Any) -> Any:
        return client.get(f"{API}/dagSources/{dag_id}", headers={"accept": accept}, params=query)

    assert source().json() == {
        "content": "# two",
        "dag_id": "granted",
        "version_number": 2,
        "dag_display_name": "granted",
    }
    assert source(accept="application/json", version_number=1).json()["content"] == "# für eins"
    text = source(accept="text/plain, application/json;q=0.5", version_number=1)
    assert (text.text, text.headers["content-type"]) == ("# für eins", "text/plain; charset=utf-8")
    assert source(accept="application/xml").status_code == 406
    assert source(version_number=9).status_code == 404
    assert source("none").status_code == 404
    assert source("without").status_code == 404
    assert connect("guest").get(f"{API}/dagSources/without").status_code == 403


def test_runs_are_counted_by_state(client: TestClient, connect: Connect, any_world: World) -> None:
    for dag_id in ("granted", "other", "idle"):
        any_world.dag(dag_id=dag_id, display_name=dag_id.title())
    any_world.trigger("granted", "r1")
    any_world.trigger("granted", "r2")
    any_world.mark_run(RunState.FAILED, "granted", "r2")
    any_world.trigger("other", "r1")

    stats = client.get(f"{API}/dagStats").json()

    assert [each["dag_id"] for each in stats["dags"]] == ["granted", "other"]
    assert stats["dags"][0] == {
        "dag_id": "granted",
        "dag_display_name": "Granted",
        "stats": [
            {"state": "queued", "count": 1},
            {"state": "running", "count": 0},
            {"state": "success", "count": 0},
            {"state": "failed", "count": 1},
        ],
    }
    chosen = client.get(f"{API}/dagStats", params={"dag_ids": ["other", "idle", "none"]}).json()
    assert ([each["dag_id"] for each in chosen["dags"]], chosen["total_entries"]) == (["other"], 1)
    guest = connect("guest")
    assert [each["dag_id"] for each in guest.get(f"{API}/dagStats").json()["dags"]] == ["granted"]
    assert guest.get(f"{API}/dagStats", params={"dag_ids": "other"}).json()["dags"] == []


def test_warnings_about_a_file_are_about_its_dags(client: TestClient, connect: Connect, any_world: World) -> None:
    warnings = (FileWarning("version_inflation", "now() differs each time", 3), FileWarning("slow_file", "took 9 s"))
    store_file(any_world, "a.py", Dag("granted"), Dag("other"), warnings=warnings)

    found = client.get(f"{API}/dagWarnings").json()

    assert found["total_entries"] == 2
    assert found["dag_warnings"][0] == {
        "dag_id": "granted",
        "warning_type": "runtime varying value",
        "message": "now() differs each time",
        "timestamp": "2026-01-01T00:00:00Z",
        "dag_display_name": "granted",
    }
    assert connect("guest").get(f"{API}/dagWarnings").json()["total_entries"] == 1
    assert client.get(f"{API}/dagWarnings", params={"dag_id": "other"}).json()["total_entries"] == 1
    assert client.get(f"{API}/dagWarnings", params={"warning_type": "asset conflict"}).json()["total_entries"] == 0
    assert client.get(f"{API}/dagWarnings", params={"warning_type": "odd"}).status_code == 422
    assert client.get(f"{API}/dagWarnings", params={"order_by": "-timestamp"}).status_code == 200


def test_import_errors_are_listed(client: TestClient, any_world: World) -> None:
    store_file(any_world, "good.py", Dag("good"))
    store_file(any_world, "sub/Bad.py", error="SyntaxError: no")
    store_file(any_world, "worse.py", error="RuntimeError: boom")

    def names(**query: Any) -> list[str]:
        found = client.get(f"{API}/importErrors", params=query)
        assert found.status_code == 200, found.text
        return [error["filename"] for error in found.json()["import_errors"]]

    assert names() == ["sub/Bad.py", "worse.py"]
    assert names(order_by="-stacktrace") == ["sub/Bad.py", "worse.py"]
    assert names(order_by="-filename", limit=1) == ["worse.py"]
    assert names(filename_pattern="bad") == ["sub/Bad.py"]
    assert names(filename_prefix_pattern="sub/") == ["sub/Bad.py"]
    assert names(filename="worse.py", bundle_name="dags-folder") == ["worse.py"]
    assert names(bundle_name="another") == []
    first = client.get(f"{API}/importErrors").json()["import_errors"][0]
    assert first == client.get(f"{API}/importErrors/{first['import_error_id']}").json()
    assert (first["stack_trace"], first["timestamp"]) == ("SyntaxError: no", "2026-01-01T00:00:00Z")
    assert client.get(f"{API}/importErrors/999999").status_code == 404


def test_a_traceback_is_for_those_who_may_see_all_dags_of_the_file(connect: Connect, any_world: World) -> None:
    """(D4) It shows lines of the file."""
    store_file(any_world, "mine.py", Dag("granted"))
    store_file(any_world, "secret.py", Dag("other"))
    store_file(any_world, "mine.py", error="mine")
    store_file(any_world, "secret.py", error="secret")
    guest = connect("guest")

    def traces() -> list[str]:
        return [each["stack_trace"] for each in guest.get(f"{API}/importErrors").json()["import_errors"]]

    assert traces() == ["mine"]

    store_file(any_world, "mine.py", Dag("granted"), Dag("new"))
    store_file(any_world, "mine.py", error="mine")
    assert len(traces()) == 1
    assert traces()[0].startswith("REDACTED")
    all_errors = connect("viewer").get(f"{API}/importErrors").json()["import_errors"]
    assert [each["stack_trace"] for each in all_errors] == ["mine", "secret"]
    (hidden,) = (each["import_error_id"] for each in all_errors if each["filename"] == "secret.py")
    assert guest.get(f"{API}/importErrors/{hidden}").status_code == 404


def test_a_file_is_parsed_again_when_asked_for(client: TestClient, connect: Connect, any_world: World) -> None:
    store_file(any_world, "a.py", Dag("granted"))
    token = client.get(f"{API}/dags/granted").json()["file_token"]

    assert connect("viewer").put(f"{API}/parseDagFile/{token}").status_code == 403
    assert connect("guest").put(f"{API}/parseDagFile/{token}").status_code == 403
    assert connect("user").put(f"{API}/parseDagFile/{token}").status_code == 201

    with any_world.database.begin() as tx:
        assert [file.name for file in tx.files.requested(["dags-folder"])] == [FileName("dags-folder", "a.py")]
    for wrong in ("abc", "%F0%9F", "bnVsbA", "WyJhIiwiYiJd"):
        assert client.put(f"{API}/parseDagFile/{wrong}").status_code == 404


ODD = (
    "dags?dag_id_pattern=%00",
    "dags?tags=%00&owners=%00",
    "dags?dag_id_prefix_pattern=%F4%8F%BF%BF",
    "dags?dag_id_pattern=%25%5C",
    "dags?offset=9223372036854775808",
    "dags?limit=99999999999999999999",
    "dags?dag_run_start_date_gte=0001-01-01T00:00:00Z",
    "dags?dag_run_end_date_lt=9999-12-31T23:59:59Z",
    "dags?order_by=dag_id&order_by=-dag_id",
    "dags/%00",
    "dags/%00/details",
    "dags/granted'--/tasks",
    "dags/..%2F..%2Fetc",
    "dags/granted/dagVersions/99999999999999999999",
    "dags/granted/dagVersions?version_number=-99999999999999999999",
    "dagSources/granted?version_number=99999999999999999999",
    "importErrors/99999999999999999999",
    "importErrors?filename=%00",
    "dagStats?dag_ids=%00",
    "dagTags?tag_name_pattern=%00",
    "dagWarnings?dag_id=%00",
)


def test_odd_requests_are_answered_or_refused(client: TestClient, any_world: World) -> None:
    """(D6) Whatever is asked for, nothing breaks."""
    store_file(any_world, "a.py", Dag("granted", tags=("red",)))

    answers = {path: client.get(f"{API}/{path}").status_code for path in ODD}

    assert {path: status for path, status in answers.items() if status not in {200, 400, 404, 422}} == {}
