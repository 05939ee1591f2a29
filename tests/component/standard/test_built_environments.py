"""Environments are really built, with either tool, and functions run in them (D2)."""

import datetime as dt
import subprocess
import sys
from pathlib import Path
from typing import Any

import pendulum
import pytest

from tests.component.standard.wheels import write_wheel
from tests.unit.standard.running import answering, context_of
from tradewind.sdk import DAG, task
from tradewind.sdk.exceptions import AirflowException, DownstreamTasksSkipped
from tradewind.sdk.standard.empty import EmptyOperator
from tradewind.sdk.standard.environments import inspect_environment, prepare_virtualenv
from tradewind.sdk.standard.virtualenv import BranchPythonVirtualenvOperator, PythonVirtualenvOperator


@pytest.mark.parametrize("method", ["uv", "pip"])
def test_an_environment_is_built_with_either_tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    monkeypatch.setenv("TRADEWIND__STANDARD__VENV_INSTALL_METHOD", method)
    wheel = write_wheel(tmp_path)
    (tmp_path / "requirements.txt").write_text("tidewater==1.0\n")
    place = tmp_path / "environment"
    place.mkdir()

    python = prepare_virtualenv(
        str(place),
        sys.executable,
        system_site_packages=False,
        requirements_file_path=str(tmp_path / "requirements.txt"),
        pip_install_options=["--find-links", str(wheel.parent)],
        index_urls=[],
    )

    version = subprocess.check_output([python, "-c", "import tidewater; print(tidewater.VERSION)"], text=True)
    assert version == "1.0\n"
    found = inspect_environment(python)
    assert found.python == sys.version_info[:3]
    assert (found.tradewind, found.pendulum, found.pendulum_major) == (None, None, None)


def use_package(logical_date: Any) -> Any:
    import sys  # noqa: PLC0415

    import tidewater  # type: ignore[import-not-found] # noqa: PLC0415

    return tidewater.VERSION, sys.prefix, logical_date, virtualenv_string_args  # type: ignore[name-defined] # noqa: F821


def in_environment(folder: Path, **kwargs: Any) -> PythonVirtualenvOperator:
    """A task that needs the package."""
    with DAG("elsewhere"):
        return PythonVirtualenvOperator(
            task_id="function",
            python_callable=use_package,
            requirements=["tidewater==1.0"],
            system_site_packages=False,
            pip_install_options=["--find-links", str(folder)],
            index_urls=[],
            string_args=["one", "two"],
            **kwargs,
        )


def test_an_environment_is_built_for_the_function_and_removed(tmp_path: Path) -> None:
    write_wheel(tmp_path)
    task = in_environment(tmp_path)

    with answering():
        version, prefix, logical_date, strings = task.execute(
            context_of(task, logical_date=pendulum.datetime(2026, 3, 2))
        )

    assert version == "1.0"
    assert not Path(prefix).exists()
    # There is no pendulum in that environment.
    assert type(logical_date) is dt.datetime
    assert strings == ["one", "two"]


def test_an_environment_can_be_kept_for_all_tasks_like_it(tmp_path: Path) -> None:
    write_wheel(tmp_path)
    cache = tmp_path / "cache"

    def prefix_of(**answers: Any) -> Path:
        task = in_environment(tmp_path, venv_cache_path=cache)
        with answering(**answers):
            return Path(task.execute(context_of(task))[1])

    first, again = prefix_of(), prefix_of()
    (tmp_path / "tidewater-1.0-py3-none-any.whl").unlink()
    still = prefix_of()

    assert first == again == still
    assert first.parent == cache
    # Without the wheel, a new environment cannot be built: the new key was heard.
    with pytest.raises(AirflowException, match="could not be built"):
        prefix_of(variables={"python_virtualenv_operator_cache_key": "2"})


def choose(ds: str) -> str:
    return "left" if ds else "right"


def test_a_function_in_an_environment_can_branch() -> None:
    with DAG("elsewhere"):
        task = BranchPythonVirtualenvOperator(task_id="choose", python_callable=choose)
        task >> [EmptyOperator(task_id="left"), EmptyOperator(task_id="right")]

    with answering(), pytest.raises(DownstreamTasksSkipped) as skip:
        task.execute(context_of(task))

    assert skip.value.tasks == ["right"]


def test_a_decorated_function_in_an_environment_can_branch() -> None:
    with DAG("elsewhere"):
        operator = task.branch_virtualenv(system_site_packages=False)(choose)().operator
        operator >> [EmptyOperator(task_id="left"), EmptyOperator(task_id="right")]

    with answering(), pytest.raises(DownstreamTasksSkipped) as skip:
        operator.execute(context_of(operator))

    assert skip.value.tasks == ["right"]
