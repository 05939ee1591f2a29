"""Functions run in other interpreters, for real (D2)."""

import datetime as dt
import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pendulum
import pytest

from tests.unit.standard.running import answering, context_of, run_of
from tradewind.model.task_answers import ConnectionResult
from tradewind.sdk import DAG
from tradewind.sdk.exceptions import AirflowException, AirflowSkipException, DownstreamTasksSkipped
from tradewind.sdk.standard.empty import EmptyOperator
from tradewind.sdk.standard.exceptions import DeserializingResultError
from tradewind.sdk.standard.external_python import BranchExternalPythonOperator, ExternalPythonOperator
from tradewind.sdk.standard.virtualenv import PythonVirtualenvOperator


def external(function: Any, context: dict[str, Any] | None = None, **kwargs: Any) -> Any:
    """Run a function with this very interpreter, in a process of its own."""
    with DAG("elsewhere", start_date=dt.datetime(2026, 1, 1, tzinfo=dt.UTC)):
        task = ExternalPythonOperator(task_id="function", python=sys.executable, python_callable=function, **kwargs)
    return task.execute(context_of(task, **(context or {})))


def own_process(a: int, b: int, ds: str) -> Any:
    import os  # noqa: PLC0415 - as authors must: nothing from outside the function is there

    return a + b, ds, os.getpid()


def test_a_function_gets_arguments_and_context_in_another_process() -> None:
    total, ds, pid = external(own_process, op_args=[1], op_kwargs={"b": 2})

    assert (total, ds) == (3, "2026-03-02")
    assert pid != os.getpid()


def failing() -> None:
    raise KeyError("orders")


def ending_with(code: int) -> None:
    import sys  # noqa: PLC0415

    sys.exit(code)


def test_what_the_function_raised_is_in_the_error() -> None:
    with pytest.raises(AirflowException, match=r"task 'function' ended with exit code 1: KeyError: 'orders'"):
        external(failing)


def test_some_exit_codes_skip() -> None:
    with pytest.raises(AirflowSkipException, match="exit code 42"):
        external(ending_with, op_args=[42], skip_on_exit_code=[42, 43])
    with pytest.raises(AirflowException, match="exit code 42"):
        external(ending_with, op_args=[42])
    with pytest.raises(AirflowSkipException, match="exit code 0"):
        external(ending_with, op_args=[0], skip_on_exit_code=0)


def environment_of() -> Any:
    import os  # noqa: PLC0415

    return {name: os.environ.get(name) for name in ("INHERITED", "OWN")}


def test_environment_variables_are_inherited_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INHERITED", "yes")

    assert external(environment_of, env_vars={"OWN": "mine"}) == {"INHERITED": "yes", "OWN": "mine"}
    assert external(environment_of, env_vars={"OWN": "mine"}, inherit_env=False) == {"INHERITED": None, "OWN": "mine"}


def dates(logical_date: Any, start: Any) -> Any:
    return type(logical_date).__module__, logical_date.isoformat(), start


def test_dates_of_the_context_arrive_as_dates() -> None:
    logical_date = pendulum.datetime(2026, 3, 2)

    module, text, start = external(dates, {"logical_date": logical_date}, op_kwargs={"start": logical_date})

    assert (module, text) == ("pendulum.datetime", "2026-03-02T00:00:00+00:00")
    assert start == logical_date


def everything(**context: Any) -> Any:
    return sorted(context)


def conf_of(dag_run: Any, params: Any) -> Any:
    return dag_run.conf, params, type(params).__name__


def test_a_function_with_double_star_gets_what_can_be_passed() -> None:
    given = external(everything, {"macros": sys.stdout})

    assert {"dag_run", "ds", "logical_date", "params", "run_id"} <= set(given)
    assert not {"dag", "task", "ti", "macros"} & set(given)


def test_objects_of_the_context_arrive_where_tradewind_is_installed() -> None:
    run = run_of("elsewhere", conf={"table": "orders"})

    assert external(conf_of, {"dag_run": run, "params": {"limit": 5}}) == ({"table": "orders"}, {"limit": 5}, "dict")


def test_an_argument_that_cannot_be_passed_is_named() -> None:
    with pytest.raises(AirflowException, match=r"arguments \['handle'\] of task 'function' cannot be passed"):
        external(everything, op_kwargs={"handle": sys.stdout})


def unreadable() -> Any:
    import sys  # noqa: PLC0415
    import types  # noqa: PLC0415

    class OnlyThere:
        """Known in that process alone."""

    OnlyThere.__module__, OnlyThere.__qualname__ = "only_there", "OnlyThere"
    sys.modules["only_there"] = types.SimpleNamespace(OnlyThere=OnlyThere)  # type: ignore[assignment]
    return OnlyThere()


def test_a_result_that_cannot_be_read_says_what_to_do() -> None:
    with pytest.raises(DeserializingResultError, match="return plain values"):
        external(unreadable)


def beside() -> Any:
    import module_beside_the_dags  # type: ignore[import-not-found] # noqa: PLC0415

    return module_beside_the_dags.NAME


def test_modules_of_the_bundle_can_be_imported(tmp_path: Path) -> None:
    (tmp_path / "module_beside_the_dags.py").write_text("NAME = 'found'\n")
    with DAG("elsewhere"):
        task = ExternalPythonOperator(task_id="function", python=sys.executable, python_callable=beside)
    context = context_of(task)
    context["ti"].bundle_instance = SimpleNamespace(path=tmp_path)

    assert task.execute(context) == "found"


async def awaited(ds: str) -> str:
    import asyncio  # noqa: PLC0415

    await asyncio.sleep(0)
    return ds


def test_a_coroutine_function_is_awaited_there() -> None:
    assert external(awaited) == "2026-03-02"


def generating() -> Any:
    yield 1


@pytest.mark.parametrize(
    ("function", "arguments", "error", "message"),
    [
        (lambda: 1, {}, ValueError, "defined with `def`"),
        (print, {}, ValueError, "defined with `def`"),
        (generating, {}, ValueError, "'generating', because it uses `yield`"),
        (failing, {"serializer": "json"}, AirflowException, "use one of pickle, cloudpickle, dill"),
        (failing, {"python": ""}, ValueError, "needs python"),
    ],
)
def test_what_cannot_work_is_refused_when_the_dag_is_read(
    function: Any, arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with DAG("elsewhere"), pytest.raises(error, match=message):
        ExternalPythonOperator(**{"task_id": "f", "python": sys.executable, "python_callable": function, **arguments})


@pytest.mark.parametrize(
    ("python", "message"),
    [("python3", "must be an absolute path"), ("/nowhere/python", "is not a file on this worker")],
)
def test_an_interpreter_that_cannot_be_used_is_named(python: str, message: str) -> None:
    with DAG("elsewhere"):
        task = ExternalPythonOperator(task_id="function", python=python, python_callable=failing)

    with pytest.raises(ValueError, match=message):
        task.execute(context_of(task))


def choose(ds: str) -> str:
    return "left" if ds else "right"


def test_a_function_elsewhere_can_branch() -> None:
    with DAG("elsewhere"):
        task = BranchExternalPythonOperator(task_id="choose", python=sys.executable, python_callable=choose)
        task >> [EmptyOperator(task_id="left"), EmptyOperator(task_id="right")]

    with pytest.raises(DownstreamTasksSkipped) as skip:
        task.execute(context_of(task))

    assert skip.value.tasks == ["right"]


def test_a_requirements_file_is_rendered(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("tidewater=={{ params.version }}\n")
    with DAG("elsewhere", template_searchpath=str(tmp_path)):
        task = PythonVirtualenvOperator(
            task_id="function", python_callable=failing, requirements="requirements.txt", serializer="dill"
        )

    task.resolve_template_files()
    task.render_template_fields(context_of(task, params={"version": "1.0"}))

    assert [each.strip() for each in task.requirements] == ["tidewater==1.0"]


def test_a_serializer_is_installed_where_nothing_else_would_bring_it() -> None:
    def requirements(*names: str, **kwargs: Any) -> list[str]:
        with DAG("elsewhere"):
            return PythonVirtualenvOperator(
                task_id="f", python_callable=failing, requirements=names, **kwargs
            )._requirements()

    assert requirements("b", "a", serializer="cloudpickle", system_site_packages=False) == ["a", "b", "cloudpickle"]
    assert requirements("cloudpickle>=3", serializer="cloudpickle", system_site_packages=False) == ["cloudpickle>=3"]
    assert requirements("a", serializer="dill") == ["a"]


def test_package_indexes_come_from_connections_too() -> None:
    with DAG("elsewhere"):
        task = PythonVirtualenvOperator(
            task_id="f",
            python_callable=failing,
            index_urls="https://one.example/simple",
            index_urls_from_connection_ids="mirror",
        )

    mirror = ConnectionResult(conn_id="mirror", host="https://two.example/simple", login="me", password="p/w")
    with answering(connections={"mirror": mirror}):
        urls = task._all_index_urls()

    assert urls == ["https://one.example/simple", "https://me:p%2Fw@two.example/simple"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"python_version": 3.12}, "must be a text such as '3.12'"),
        ({"python_version": "2.7", "op_args": [1]}, "cannot pass arguments to Python 2.7"),
    ],
)
def test_versions_that_cannot_work_are_refused(arguments: dict[str, Any], message: str) -> None:
    with DAG("elsewhere"), pytest.raises(AirflowException, match=message):
        PythonVirtualenvOperator(task_id="f", python_callable=failing, **arguments)
