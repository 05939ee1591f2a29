"""The script that carries a function into another interpreter."""

import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pendulum
import pytest

from tests.instants import utc
from tradewind.sdk import setup, task
from tradewind.sdk import task as other_name
from tradewind.sdk.standard.isolated_script import function_source, plain_dates, write_python_script


def plain(a, b=2):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN201, RUF100
    # a comment stays
    return a + b


def test_the_source_of_a_plain_function_is_itself() -> None:
    source = function_source(plain)

    assert source.startswith("def plain(a, b=2):")
    assert "# a comment stays" in source


def test_the_decorators_that_make_a_task_are_removed_whatever_they_are_called() -> None:
    @setup
    @task.virtualenv(  # type: ignore[untyped-decorator]
        requirements=["pendulum"],
        system_site_packages=False,
    )
    def one() -> int:
        return 1

    @other_name.external_python(python="/usr/bin/python3")  # type: ignore[untyped-decorator]
    async def two() -> int:
        return 2

    assert function_source(cast("Any", one).function) == "def one() -> int:\n    return 1\n"
    assert function_source(two.function) == "async def two() -> int:\n    return 2\n"


def keeping(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


def test_other_decorators_stay_so_that_what_they_did_is_not_lost_in_silence() -> None:
    @keeping
    def function() -> int:
        return 1

    assert function_source(function).startswith("@keeping\ndef function()")


def test_a_text_in_the_first_column_does_not_break_the_source() -> None:
    def function() -> str:
        return """
select 1
"""

    source = function_source(function)

    compile(source, "script", "exec")
    assert "select 1" in source


def test_a_lambda_has_no_source_of_its_own() -> None:
    with pytest.raises(ValueError, match="defined with `def`"):
        function_source(lambda: 1)


def run_script(folder: Path, source: str, arguments: Any = None, **values: Any) -> Any:
    """Write the script, run it with this interpreter, and read its result."""
    (folder / "in").write_bytes(pickle.dumps(arguments))
    (folder / "strings").write_text("one\ntwo")
    name = source.split("(", maxsplit=1)[0].rsplit(maxsplit=1)[-1]
    context = {"python_callable": name, "python_callable_source": source, "pickling_library": "pickle", **values}
    write_python_script(context, str(folder / "script.py"))
    files = [str(folder / each) for each in ("script.py", "in", "out", "strings", "error")]
    subprocess.run([sys.executable, *files], check=True, capture_output=True)
    result = (folder / "out").read_bytes()
    return pickle.loads(result) if result else None  # noqa: S301 - this test wrote it


def test_arguments_go_in_and_the_result_comes_out(tmp_path: Path) -> None:
    arguments = {"args": [1], "kwargs": {"b": [2]}}

    assert run_script(tmp_path, "def f(a, b): return {'sum': a + b[0]}", arguments, op_args=[1]) == {"sum": 3}
    assert run_script(tmp_path, "def f(): return None") is None


def test_a_coroutine_is_awaited_there(tmp_path: Path) -> None:
    assert run_script(tmp_path, "async def f(): return 5") == 5


def test_string_args_are_a_global_of_the_function(tmp_path: Path) -> None:
    assert run_script(tmp_path, "def f(): return virtualenv_string_args") == ["one", "two"]
    assert (
        run_script(tmp_path, "def f(): return 'virtualenv_string_args' in globals()", string_args_global=False) is False
    )


def test_what_the_function_raised_is_left_in_a_file(tmp_path: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        run_script(tmp_path, "def f(): raise KeyError('orders')")

    assert (tmp_path / "error").read_text() == "KeyError: 'orders'"


def test_pickled_values_find_the_function_in_its_dag_file(tmp_path: Path) -> None:
    # Made by hand, as pickle would refuse to name a module that does not exist here.
    by_reference = b"cmy_dag_file\nf\n."
    (tmp_path / "in").write_bytes(by_reference)
    source = "def f(): import pickle, sys; return pickle.load(open(sys.argv[1], 'rb')) is f"
    context = {"python_callable": "f", "python_callable_source": source, "pickling_library": "pickle"}
    write_python_script(
        {**context, "modified_dag_module_name": "my_dag_file", "string_args_global": False}, str(tmp_path / "script.py")
    )

    files = [str(tmp_path / each) for each in ("script.py", "in", "out", "strings", "error")]
    subprocess.run([sys.executable, *files], check=True)

    assert pickle.loads((tmp_path / "out").read_bytes()) is True  # noqa: S301 - this test wrote it


def test_dates_become_plain_and_keep_their_zone() -> None:
    paris = pendulum.datetime(2026, 7, 1, 12, tz="Europe/Paris")
    offset = pendulum.parse("2026-07-01T12:00:00+02:30")

    plain_paris, [plain_offset] = plain_dates([paris, (offset,)])

    assert type(plain_paris) is type(utc("2026-07-01"))
    assert plain_paris == paris
    assert str(plain_paris.tzinfo) == "Europe/Paris"
    assert plain_offset == offset
    assert plain_dates({"a": 1}) == {"a": 1}


def test_dates_are_pendulum_dates_again_in_the_function(tmp_path: Path) -> None:
    arguments = {"args": [utc("2026-07-01")], "kwargs": {}}
    source = "def f(a): return [type(a).__module__, a.add(days=1)]"

    module, tomorrow = run_script(tmp_path, source, arguments, op_args=[1], pendulum_version_mismatch=True)

    assert module == "pendulum.datetime"
    assert type(tomorrow) is type(utc("2026-07-01"))
    assert tomorrow == utc("2026-07-02")
