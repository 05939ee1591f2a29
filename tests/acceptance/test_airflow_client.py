"""Airflow's own client for Python works against our server, unchanged (A8, B1)."""

import inspect
import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest
from airflow_client import client as airflow
from airflow_client.client.exceptions import ApiException, NotFoundException

from tests.acceptance.client_dags import DAG_IDS, deployed_for_clients
from tests.acceptance.deployment import until
from tests.acceptance.standalone import Standalone

RUN: Final = "by_client"


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standalone]:
    """With one run of `sums` that has ended."""
    with deployed_for_clients(tmp_path_factory.mktemp("clients")) as made:
        yield made


@pytest.fixture(scope="module")
def api(started: Standalone) -> Iterator[airflow.ApiClient]:
    """A client that has logged in."""
    host = f"http://127.0.0.1:{started.port}"
    with airflow.ApiClient(airflow.Configuration(host=host, access_token=started.token)) as client:
        yield client


def ended(api: airflow.ApiClient, run_id: str, dag_id: str = "sums") -> airflow.DAGRunResponse:
    """A run, when it has ended."""
    runs = airflow.DagRunApi(api)
    until(lambda: runs.get_dag_run(dag_id, run_id).state in ("success", "failed"), f"{run_id} to end")
    return runs.get_dag_run(dag_id, run_id)


@pytest.fixture(scope="module")
def run(api: airflow.ApiClient) -> airflow.DAGRunResponse:
    """A run with a conf, when it has ended."""
    body = airflow.TriggerDAGRunPostBody(dag_run_id=RUN, conf={"numbers": [20, 22]}, note="by a client")
    triggered = airflow.DagRunApi(api).trigger_dag_run("sums", body)
    assert (triggered.conf, triggered.run_type, triggered.triggered_by) == ({"numbers": [20, 22]}, "manual", "rest_api")
    return ended(api, RUN)


def test_dags_are_listed_paused_and_marked(api: airflow.ApiClient) -> None:
    dags = airflow.DAGApi(api)

    assert {dag.dag_id for dag in dags.get_dags().dags} | {"doomed"} == DAG_IDS
    assert [dag.dag_id for dag in dags.get_dags(tags=["clients"], order_by=["-dag_id"]).dags] == ["sums"]
    assert dags.patch_dag("spare", airflow.DAGPatchBody(is_paused=False)).is_paused is False
    patched = dags.patch_dags(airflow.DAGPatchBody(is_paused=True), dag_id_pattern="spar")
    assert [(dag.dag_id, dag.is_paused) for dag in patched.dags] == [("spare", True)]
    dags.favorite_dag("spare")
    assert [dag.dag_id for dag in dags.get_dags(is_favorite=True).dags] == ["spare"]
    dags.unfavorite_dag("spare")
    assert dags.get_dags(is_favorite=True).dags == []
    assert dags.get_dag_details("sums").params is not None
    assert [task.task_id for task in airflow.TaskApi(api).get_tasks("daily").tasks] == ["look"]


def test_a_run_is_watched_to_its_end(api: airflow.ApiClient, run: airflow.DAGRunResponse) -> None:
    states = {
        each.task_id: each.state for each in airflow.TaskInstanceApi(api).get_task_instances("sums", RUN).task_instances
    }

    assert (run.state, run.note) == ("success", "by a client")
    assert states == {"add": "success", "hesitate": "success", "squares.square": "success"}
    # The client has no word for a stream of lines, neither here nor with Airflow.
    stream = airflow.DagRunApi(api).wait_dag_run_until_finished_without_preload_content("sums", RUN, 1, ["add"])
    assert json.loads(stream.read().splitlines()[-1]) == {"state": "success", "results": {"add": 42}}


def test_the_logs_of_all_attempts_are_read(api: airflow.ApiClient, run: airflow.DAGRunResponse) -> None:
    tasks = airflow.TaskInstanceApi(api)

    def texts(try_number: int, **how: Any) -> str:
        return str(tasks.get_log("sums", run.dag_run_id, "hesitate", try_number, **how).content)

    assert [each.try_number for each in tasks.get_task_instance_tries("sums", RUN, "hesitate").task_instances] == [1, 2]
    assert "attempt 1" in texts(1)
    assert "Task failed" in texts(1)
    assert "attempt 2" in texts(2, full_content=True)
    assert "attempt 1" not in texts(2)
    answer = tasks.get_log("sums", RUN, "hesitate", 2)
    if answer.continuation_token is not None:
        assert texts(2, token=answer.continuation_token) is not None


def value_of(answer: airflow.ResponseGetXcomEntry) -> Any:
    assert answer.actual_instance is not None
    return answer.actual_instance.value


def test_xcoms_are_read_and_written(api: airflow.ApiClient, run: airflow.DAGRunResponse) -> None:
    xcoms = airflow.XComApi(api)
    at: dict[str, Any] = {"dag_id": "sums", "task_id": "add", "dag_run_id": run.dag_run_id}

    assert value_of(xcoms.get_xcom_entry(**at, xcom_key="return_value")) == 42
    xcoms.create_xcom_entry(**at, x_com_create_body=airflow.XComCreateBody(key="note", value={"a": [1]}))
    xcoms.update_xcom_entry(**at, xcom_key="note", x_com_update_body=airflow.XComUpdateBody(value={"a": [2]}))
    assert {each.key for each in xcoms.get_xcom_entries(**at).xcom_entries} == {"return_value", "note"}
    assert value_of(xcoms.get_xcom_entry(**at, xcom_key="note")) == {"a": [2]}
    xcoms.delete_xcom_entry(**at, xcom_key="note")
    with pytest.raises(NotFoundException):
        xcoms.get_xcom_entry(**at, xcom_key="note")


def test_tasks_are_cleared_and_run_again(api: airflow.ApiClient, run: airflow.DAGRunResponse) -> None:
    tasks = airflow.TaskInstanceApi(api)
    chosen = airflow.ClearTaskInstancesBodyTaskIdsInner("add")
    body = airflow.ClearTaskInstancesBody(dag_run_id=RUN, task_ids=[chosen], only_failed=False, dry_run=False)
    before = tasks.get_task_instance("sums", RUN, "add").try_number

    would = tasks.post_clear_task_instances("sums", body.model_copy(update={"dry_run": True}))
    cleared = tasks.post_clear_task_instances("sums", body)

    assert [each.task_id for each in would.task_instances] == ["add"]
    assert [each.task_id for each in cleared.task_instances] == ["add"]
    assert ended(api, run.dag_run_id).state == "success"
    assert tasks.get_task_instance("sums", RUN, "add").try_number == before + 1


def test_tasks_and_runs_are_marked(api: airflow.ApiClient) -> None:
    tasks, runs = airflow.TaskInstanceApi(api), airflow.DagRunApi(api)
    runs.trigger_dag_run("sums", airflow.TriggerDAGRunPostBody(dag_run_id="marked"))
    ended(api, "marked")
    body = airflow.PatchTaskInstanceBody(new_state=airflow.TaskInstanceState.FAILED, note="by hand")

    would = tasks.patch_task_instance_dry_run("sums", "marked", "add", body)
    marked = tasks.patch_task_instance("sums", "marked", "add", body)

    assert [each.task_id for each in would.task_instances] == ["add"]
    assert [(each.state, each.note) for each in marked.task_instances] == [("failed", "by hand")]
    for state in (airflow.DagRunMutableStates.FAILED, airflow.DagRunMutableStates.SUCCESS):
        assert runs.patch_dag_run("sums", "marked", airflow.DAGRunPatchBody(state=state)).state.value == state.value
    found = runs.get_list_dag_runs_batch("~", airflow.DAGRunsBatchBody(dag_ids=["sums"], order_by="-id"))
    assert "marked" in {each.dag_run_id for each in found.dag_runs}
    again = runs.clear_dag_run("sums", "marked", airflow.DAGRunClearBody(dry_run=False)).actual_instance
    assert isinstance(again, airflow.DAGRunResponse)
    assert again.state == "queued"
    ended(api, "marked")
    runs.delete_dag_run("sums", "marked")
    with pytest.raises(NotFoundException):
        runs.get_dag_run("sums", "marked")


def bulk(kind: str, action: str, *entities: Any, **how: Any) -> Any:
    """A body of one action, of the model that the client has for it."""
    body = getattr(airflow, f"BulkBody{kind}")
    return body.from_dict({"actions": [{"action": action, "entities": list(entities), **how}]})


def test_pools(api: airflow.ApiClient) -> None:
    pools = airflow.PoolApi(api)

    assert pools.post_pool(airflow.PoolBody(name="narrow", slots=1, description="one")).open_slots == 1
    assert pools.patch_pool("narrow", airflow.PoolPatchBody(slots=2), update_mask=["slots"]).slots == 2
    made = pools.bulk_pools(bulk("PoolBody", "create", {"name": "p1", "slots": 1}, {"name": "p2", "slots": 2}))
    assert made.create is not None
    assert made.create.success == ["p1", "p2"]
    assert {each.name for each in pools.get_pools().pools} == {"default_pool", "narrow", "p1", "p2"}
    gone = pools.bulk_pools(bulk("PoolBody", "delete", "p1", "p2", "p3", action_on_non_existence="skip"))
    assert gone.delete is not None
    assert gone.delete.success == ["p1", "p2"]
    pools.delete_pool("narrow")
    with pytest.raises(NotFoundException):
        pools.get_pool("narrow")
    with pytest.raises(ApiException, match="400"):
        pools.delete_pool("default_pool")


def test_variables(api: airflow.ApiClient) -> None:
    variables = airflow.VariableApi(api)

    made = variables.post_variable(airflow.VariableBody(key="a/b", value={"x": 1}, description="some"))
    assert (made.key, json.loads(made.value or "")) == ("a/b", {"x": 1})
    variables.patch_variable("a/b", airflow.VariableBody(key="a/b", value="plain"), update_mask=["value"])
    assert (variables.get_variable("a/b").value, variables.get_variable("a/b").description) == ("plain", "some")
    done = variables.bulk_variables(
        bulk(
            "VariableBody",
            "create",
            {"key": "v1", "value": "1"},
            {"key": "a/b", "value": "2"},
            action_on_existence="skip",
        )
    )
    assert done.create is not None
    assert done.create.success == ["v1"]
    assert {"a/b", "v1"} <= {each.key for each in variables.get_variables(variable_key_pattern="%").variables}
    variables.bulk_variables(bulk("VariableBody", "delete", "v1"))
    variables.delete_variable("a/b")
    with pytest.raises(NotFoundException):
        variables.get_variable("a/b")


def test_connections(api: airflow.ApiClient) -> None:
    connections = airflow.ConnectionApi(api)
    body = airflow.ConnectionBody(
        connection_id="bank", conn_type="http", host="localhost", port=1, password="hush", schema="s", extra="{}"
    )

    made = connections.post_connection(body)
    assert (made.host, made.password, made.var_schema) == ("localhost", "***", "s")
    patched = connections.patch_connection("bank", body.model_copy(update={"host": "other"}), update_mask=["host"])
    assert (patched.host, patched.port) == ("other", 1)
    done = connections.bulk_connections(
        bulk("ConnectionBody", "update", {"connection_id": "bank", "conn_type": "http", "login": "me"})
    )
    assert done.update is not None
    assert done.update.success == ["bank"]
    assert connections.get_connection("bank").login == "me"
    connections.delete_connection("bank")
    assert connections.get_connections(connection_id_pattern="bank").total_entries == 0
    test = airflow.ConnectionTestRequestBody(
        connection_id="disk", conn_type="fs", extra='{"path": "/"}', commit_on_success=True
    )
    token = connections.enqueue_connection_test(test).token
    until(lambda: connections.get_connection_test(token).state in ("success", "failed"), "the test to end")
    tested = connections.get_connection_test(token)
    assert (tested.state, tested.connection_id) == ("success", "disk"), tested.result_message
    assert connections.get_connection("disk").conn_type == "fs"
    connections.create_default_connections()
    assert connections.get_connections().total_entries > 0


def test_assets(api: airflow.ApiClient, run: airflow.DAGRunResponse) -> None:
    assets = airflow.AssetApi(api)
    ids = {each.name: each.id for each in assets.get_assets().assets}

    made = assets.create_asset_event(airflow.CreateAssetEventsBody(asset_id=ids["totals"], extra={"by": "hand"}))
    assert made.uri == "totals"
    events = assets.get_asset_events(asset_id=ids["totals"]).asset_events
    assert run.dag_run_id in {each.source_run_id for each in events}
    # `report` waits for prices as well, which nobody updates here.
    (waiting,) = assets.get_dag_asset_queued_events("report").queued_events
    assert waiting.asset_id == ids["totals"]
    assert "report" in {each.dag_id for each in assets.get_asset_queued_events(ids["totals"]).queued_events}
    assert assets.get_dag_asset_queued_event("report", ids["totals"]).dag_id == "report"
    with pytest.raises(NotFoundException):
        assets.get_dag_asset_queued_event("report", ids["prices"])
    materialized = assets.materialize_asset(ids["totals"], airflow.MaterializeAssetBody(dag_run_id="materialized"))
    assert (materialized.dag_id, materialized.run_type) == ("sums", "asset_materialization")
    ended(api, "materialized")


def test_what_is_kept_about_files_and_changes(api: airflow.ApiClient, run: airflow.DAGRunResponse) -> None:
    (error,) = airflow.ImportErrorApi(api).get_import_errors().import_errors
    assert "a_name_that_nobody_has" in error.stack_trace
    assert airflow.ImportErrorApi(api).get_import_error(error.import_error_id) == error
    source = airflow.DagSourceApi(api).get_dag_source("sums", _headers={"Accept": "application/json"})
    assert "def sums" in (source.content or "")
    (version,) = airflow.DagVersionApi(api).get_dag_versions("sums").dag_versions
    assert airflow.DagVersionApi(api).get_dag_version("sums", version.version_number) == version
    events = airflow.EventLogApi(api).get_event_logs(event="trigger_dag_run", dag_id="sums").event_logs
    assert run.dag_run_id in {each.run_id for each in events}
    token = airflow.DAGApi(api).get_dag("sums").file_token
    airflow.DAGParsingApi(api).reparse_dag_file(token)


def test_what_is_said_without_a_login(started: Standalone) -> None:
    host = f"http://127.0.0.1:{started.port}"
    with airflow.ApiClient(airflow.Configuration(host=host)) as nobody:
        assert airflow.MonitorApi(nobody).get_health().metadatabase.status == "healthy"
        assert airflow.VersionApi(nobody).get_version().version
        with pytest.raises(airflow.exceptions.UnauthorizedException):
            airflow.DAGApi(nobody).get_dags()


def test_backfills(api: airflow.ApiClient) -> None:
    backfills, first = airflow.BackfillApi(api), datetime(2024, 1, 1, tzinfo=UTC)
    body = airflow.BackfillPostBody(
        dag_id="daily", from_date=first, to_date=first + timedelta(days=2), max_active_runs=1
    )
    airflow.DAGApi(api).patch_dag("daily", airflow.DAGPatchBody(is_paused=False))

    would = backfills.create_backfill_dry_run(body)
    made = backfills.create_backfill(body)

    assert [each.logical_date for each in would.backfills] == [first + timedelta(days=day) for day in range(3)]
    assert (made.dag_id, made.is_paused, made.max_active_runs) == ("daily", False, 1)
    assert [each.id for each in backfills.list_backfills("daily").backfills] == [made.id]
    until(lambda: backfills.get_backfill(made.id).completed_at is not None, "the backfill to complete")
    runs = airflow.DagRunApi(api).get_dag_runs("daily", run_type=["backfill"]).dag_runs
    assert [each.state for each in runs] == ["success"] * 3

    later = body.model_copy(update={"from_date": first + timedelta(days=10), "to_date": first + timedelta(days=300)})
    made = backfills.create_backfill(later)
    assert backfills.pause_backfill(made.id).is_paused is True
    assert backfills.unpause_backfill(made.id).is_paused is False
    assert backfills.cancel_backfill(made.id).completed_at is not None
    with pytest.raises(airflow.exceptions.ConflictException):
        backfills.cancel_backfill(made.id)
    airflow.DAGApi(api).patch_dag("daily", airflow.DAGPatchBody(is_paused=True))


def test_a_dag_is_deleted(api: airflow.ApiClient) -> None:
    dags = airflow.DAGApi(api)

    dags.delete_dag("doomed")

    with pytest.raises(NotFoundException):
        dags.get_dag("doomed")


def test_a_task_is_given_the_answer_that_it_waits_for(api: airflow.ApiClient) -> None:
    """D2: listed, read, answered once; and by whom the task asked."""
    tasks = airflow.TaskInstanceApi(api)
    airflow.DagRunApi(api).trigger_dag_run("permit", airflow.TriggerDAGRunPostBody(dag_run_id="one"))
    until(
        lambda: tasks.get_hitl_details("permit", "one", state=["awaiting_input"]).total_entries == 2, "the tasks to ask"
    )

    open_ones = tasks.get_hitl_details("~", "~", response_received=False, order_by=["subject"], subject_search="it?")
    assert [each.subject for each in open_ones.hitl_details] == ["Build it?", "Paint it?"]
    asked = tasks.get_hitl_detail("permit", "one", "ask", -1)
    assert (asked.body, asked.options, asked.multiple) == ("*Soon*", ["Approve", "Reject"], False)
    assert asked.task_instance.state == "awaiting_input"
    wrong = airflow.UpdateHITLDetailPayload(chosen_options=["Approve"], params_input={"height": "high"})
    answer = airflow.UpdateHITLDetailPayload(chosen_options=["Approve"], params_input={"height": 5})
    for task_id, body, status in (("ask", wrong, 400), ("ask_others", answer, 403)):
        with pytest.raises(ApiException) as refused:
            tasks.update_hitl_detail("permit", "one", task_id, -1, body)
        assert refused.value.status == status

    taken = tasks.update_hitl_detail("permit", "one", "ask", -1, answer)

    assert (taken.responded_by.id, taken.params_input) == ("admin", {"height": 5})
    with pytest.raises(ApiException) as late:
        tasks.update_hitl_detail("permit", "one", "ask", -1, answer)
    assert late.value.status == 409
    marked = airflow.PatchTaskInstanceBody(new_state=airflow.TaskInstanceState.SUCCESS)
    tasks.patch_task_instance("permit", "one", "ask_others", marked)
    assert ended(api, "one", "permit").state == "success"
    first = tasks.get_hitl_detail_try_detail("permit", "one", "ask", -1, 1)
    assert (first.chosen_options, first.task_instance.state) == (["Approve"], "success")


def looking(api: airflow.ApiClient) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every method of the client that only looks."""
    kinds: dict[str, Any] = {name: kind for name, kind in vars(airflow).items() if name.endswith("Api")}
    for _, kind in sorted(kinds.items()):
        for method in vars(kind):
            if method.startswith(("get_", "list_")) and not method.endswith(("_info", "_content")):
                yield method, getattr(kind(api), method)


ELSEWHERE: Final = {
    "get_backfill",
    "get_dag_asset_queued_event",
    "get_connection_test",
    "get_external_log_url",
    "get_hitl_detail",
    "get_hitl_detail_try_detail",
}
"""What needs more than is there: a test of a connection, logs that are kept elsewhere, an update that waits, a task
that asks."""


def test_every_answer_is_understood(api: airflow.ApiClient, run: airflow.DAGRunResponse) -> None:
    """What the client reads, it reads strictly: a field that it does not know of, or misses, is an error."""
    assets = airflow.AssetApi(api)
    airflow.VariableApi(api).post_variable(airflow.VariableBody(key="seen", value="1"))
    airflow.ConnectionApi(api).post_connection(airflow.ConnectionBody(connection_id="seen", conn_type="http"))
    asset_id = assets.get_assets(name_pattern="totals").assets[0].id
    airflow.AssetStateStoreApi(api).set_asset_state_store("seen", asset_id, airflow.AssetStateStoreBody(value=1))
    airflow.TaskStateStoreApi(api).set_task_state_store("seen", "sums", RUN, "add", airflow.TaskStateStoreBody(value=1))
    there: dict[str, Any] = {
        "dag_id": "sums",
        "dag_run_id": run.dag_run_id,
        "task_id": "add",
        "try_number": 1,
        "task_try_number": 1,
        "key": "seen",
        "asset_id": asset_id,
        "asset_alias_id": assets.get_asset_aliases().asset_aliases[0].id,
        "event_log_id": airflow.EventLogApi(api).get_event_logs().event_logs[0].event_log_id,
        "import_error_id": airflow.ImportErrorApi(api).get_import_errors().import_errors[0].import_error_id,
        "pool_name": "default_pool",
        "variable_key": "seen",
        "connection_id": "seen",
        "xcom_key": "return_value",
        "section": "core",
        "option": "parallelism",
        "version_number": 1,
        "task_instances_batch_body": airflow.TaskInstancesBatchBody(),
        "dag_runs_batch_body": airflow.DAGRunsBatchBody(),
    }
    mapped = {**there, "task_id": "squares.square", "map_index": 0}
    for name, method in looking(api):
        if name in ELSEWHERE:
            continue
        parameters = inspect.signature(method).parameters.values()
        needed = [each.name for each in parameters if each.default is inspect.Parameter.empty]
        values = mapped if "map_index" in needed or "mapped" in name else there
        if name.endswith("_batch"):
            values = {**there, "dag_id": "~", "dag_run_id": "~"}
        assert method(**{each: values[each] for each in needed}) is not None, name
