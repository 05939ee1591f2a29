"""Writing the script that runs one function in another interpreter.

The DAG file itself cannot be imported there, so the script holds the function's own source behind the text of
`isolated_runner`. Its arguments are four files: the function's arguments, its result, `string_args`, and the text of
the exception if it raises one.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tradewind.sdk.standard import isolated_runner
from tradewind.sdk.standard.role_decorators import result, setup, teardown
from tradewind.sdk.standard.task_decorators import task

plain_dates = isolated_runner._plain_dates  # noqa: SLF001 - private there only because user code shares its namespace

_TASK_DECORATORS = {"task": task, "setup": setup, "teardown": teardown, "result": result}


def function_source(function: Callable[..., Any]) -> str:
    """The source of the function as a module of its own, without the decorators that made it a task."""
    lines = textwrap.dedent(inspect.getsource(function)).splitlines()
    try:
        definition = _definition(ast.parse("\n".join(lines)))
    except IndentationError:
        # A multi-line string that begins in the first column keeps dedent from working.
        lines = ["if True:", *inspect.getsource(function).splitlines()]
        definition = _definition(ast.parse("\n".join(lines)))
    dropped = {
        number
        for decorator in definition.decorator_list
        if _makes_a_task(decorator, function)
        for number in range(decorator.lineno, (decorator.end_lineno or decorator.lineno) + 1)
    }
    return "\n".join(line for number, line in enumerate(lines, start=1) if number not in dropped) + "\n"


def write_python_script(
    jinja_context: Mapping[str, Any],
    filename: str,
    render_template_as_native_obj: bool = False,  # noqa: ARG001 - see below
) -> None:
    """Write the script.

    The parameters are those of Airflow, whose providers call this too: of `jinja_context`, `python_callable` (its
    name), `python_callable_source` and `pickling_library` are needed, `op_args`, `op_kwargs`, `string_args_global`,
    `modified_dag_module_name` and `pendulum_version_mismatch` are optional. No template is involved, so
    `render_template_as_native_obj` changes nothing.
    """
    Path(filename).write_text("\n".join(_script(jinja_context)) + "\n", encoding="utf-8")


def _script(values: Mapping[str, Any]) -> Iterator[str]:
    name = values["python_callable"]
    yield inspect.getsource(isolated_runner)
    yield values["python_callable_source"]
    yield ""
    if values.get("modified_dag_module_name"):
        yield f"_stand_in_for({values['modified_dag_module_name']!r}, {name})"
    if values.get("string_args_global", True):
        yield "virtualenv_string_args = _read_string_args()"
    has_arguments = bool(values.get("op_args") or values.get("op_kwargs"))
    translate_dates = bool(values.get("pendulum_version_mismatch"))
    yield (
        f"_run_function({name}, {values['pickling_library']!r}, "
        f"has_arguments={has_arguments}, translate_dates={translate_dates})"
    )


def _definition(module: ast.Module) -> ast.FunctionDef | ast.AsyncFunctionDef:
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            return node
    raise ValueError("only functions that are defined with `def` can run in another interpreter")


def _makes_a_task(decorator: ast.expr, function: Callable[..., Any]) -> bool:
    # `@task.virtualenv(...)`, `@sdk.task`, `@setup`, or whatever the author imported them as.
    while not isinstance(decorator, ast.Name):
        if isinstance(decorator, ast.Call):
            decorator = decorator.func
        elif isinstance(decorator, ast.Attribute) and decorator.attr not in _TASK_DECORATORS:
            decorator = decorator.value
        else:
            return isinstance(decorator, ast.Attribute)
    meant = function.__globals__.get(decorator.id)
    return decorator.id in _TASK_DECORATORS or any(meant is each for each in _TASK_DECORATORS.values())
