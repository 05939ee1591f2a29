"""The context of a running task, and what templates reach through it (D3)."""

import datetime as dt
import threading
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.unit.sdk_runtime.memory_runtime import MemoryRuntime
from tradewind.model.task_answers import ConnectionResult
from tradewind.sdk.context import (
    KNOWN_CONTEXT_KEYS,
    Context,
    context_copy_partial,
    context_merge,
    context_to_airflow_vars,
    get_current_context,
    get_parsing_context,
    parsing_for,
    set_current_context,
)
from tradewind.sdk.context_accessors import ConnectionAccessor, MacrosAccessor, VariableAccessors
from tradewind.sdk.exceptions import AirflowNotFoundException
from tradewind.sdk.jinja_environment import create_template_env
from tradewind.sdk.variable import VariableNotFound


def test_there_is_no_context_outside_a_task() -> None:
    with pytest.raises(RuntimeError, match="works only while a task runs"):
        get_current_context()


def test_innermost_context_is_the_current_one() -> None:
    outer, inner = Context(run_id="outer"), Context(run_id="inner")

    with set_current_context(outer):
        with set_current_context(inner):
            assert get_current_context() is inner
        assert get_current_context() is outer


def test_threads_that_a_task_starts_see_its_context() -> None:
    seen: list[Context] = []

    with set_current_context(Context(run_id="r")) as context:
        thread = threading.Thread(target=lambda: seen.append(get_current_context()))
        thread.start()
        thread.join()

    assert seen == [context]


def test_contexts_that_overlap_leave_the_right_one() -> None:
    one, other = set_current_context(Context(run_id="one")), set_current_context(Context(run_id="one"))
    first = one.__enter__()
    second = other.__enter__()
    seen: list[bool] = []

    thread = threading.Thread(target=lambda: seen.append(get_current_context() is second))
    thread.start()
    thread.join()
    other.__exit__(None, None, None)

    assert get_current_context() is first
    assert seen == [True]
    one.__exit__(None, None, None)


def test_parsing_context_is_empty_unless_a_file_is_read_for_one_task() -> None:
    assert get_parsing_context() == (None, None)

    with parsing_for("dag", "task"):
        assert get_parsing_context().dag_id == "dag"
        assert get_parsing_context().task_id == "task"

    assert get_parsing_context() == (None, None)


def test_context_has_the_keys_that_airflow_documents() -> None:
    assert {
        "ds",
        "logical_date",
        "ti",
        "task_instance",
        "var",
        "conn",
        "macros",
        "asset_state_store",
    } <= KNOWN_CONTEXT_KEYS


def test_contexts_are_merged_and_cut() -> None:
    context = Context(run_id="r")

    context_merge(context, {"ds": "2026-01-31"}, ts="now")

    assert context == {"run_id": "r", "ds": "2026-01-31", "ts": "now"}
    assert context_copy_partial(context, {"ds"}) == {"ds": "2026-01-31"}


def test_names_of_the_task_are_exported_to_programs() -> None:
    run = SimpleNamespace(logical_date=dt.datetime(2026, 1, 31, tzinfo=dt.UTC), run_id="r", team_name=None)
    context: dict[str, Any] = {
        "task": SimpleNamespace(owner="me", email=["a@b", "c@d"]),
        "task_instance": SimpleNamespace(dag_id="d", task_id="t", try_number=2),
        "dag_run": run,
    }

    assert context_to_airflow_vars(context, in_env_var_format=True, extra={"more": "x"}) == {
        "AIRFLOW_CTX_DAG_ID": "d",
        "AIRFLOW_CTX_TASK_ID": "t",
        "AIRFLOW_CTX_TRY_NUMBER": "2",
        "AIRFLOW_CTX_DAG_RUN_ID": "r",
        "AIRFLOW_CTX_LOGICAL_DATE": "2026-01-31T00:00:00+00:00",
        "AIRFLOW_CTX_DAG_OWNER": "me",
        "AIRFLOW_CTX_DAG_EMAIL": "a@b,c@d",
        "AIRFLOW_CTX_MORE": "x",
    }
    assert context_to_airflow_vars(context)["airflow.ctx.dag_id"] == "d"


@pytest.fixture
def context(runtime: MemoryRuntime) -> dict[str, Any]:
    """What a template sees."""
    runtime.variables |= {"place": "here", "settings": '{"a": {"b": 1}}', "odd-key": "odd"}
    runtime.connections["db"] = ConnectionResult(conn_id="db", host="h", extra='{"k": "v"}')
    return {"var": VariableAccessors(), "conn": ConnectionAccessor(), "macros": MacrosAccessor()}


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{{ var.value.place }}", "here"),
        ("{{ var.json.settings.a.b }}", "1"),
        ("{{ var.value.get('odd-key') }}", "odd"),
        ("{{ var.value.get('nope', 'default') }}", "default"),
        ("{{ var.json.get('nope', {'x': 1}).x }}", "1"),
        ("{{ var['value'].place }}", "here"),
        ("{{ conn.db.host }} {{ conn.db.extra_dejson.k }}", "h v"),
        ("{{ conn.get('nope', 'default') }}", "default"),
        ("{{ macros.ds_add('2026-01-31', 1) }}", "2026-02-01"),
        ("{{ macros.timedelta(days=1).days }}", "1"),
    ],
)
def test_template_reaches_variables_connections_and_macros(
    context: dict[str, Any], template: str, expected: str
) -> None:
    assert create_template_env().from_string(template).render(context) == expected


def test_missing_variable_in_a_template_is_named(context: dict[str, Any]) -> None:
    with pytest.raises(VariableNotFound, match="nope"):
        create_template_env().from_string("{{ var.value.nope }}").render(context)
    with pytest.raises(VariableNotFound, match="nope"):
        create_template_env().from_string("{{ var.value.get('nope') }}").render(context)


def test_missing_connection_in_a_template_is_named(context: dict[str, Any]) -> None:
    with pytest.raises(AirflowNotFoundException, match="nope"):
        create_template_env().from_string("{{ conn.nope.host }}").render(context)


def test_accessors_have_no_variable_under_names_of_python(context: dict[str, Any]) -> None:
    assert not hasattr(context["var"].value, "__html__")
    assert not hasattr(context["conn"], "__html__")
    assert not hasattr(context["macros"], "__html__")
    with pytest.raises(KeyError):
        cast("Any", context["var"])["other"]
