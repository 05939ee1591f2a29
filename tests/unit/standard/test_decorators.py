"""Functions as tasks of every kind (D2, D3)."""

import os
import sys
from typing import Any

import pytest

from tests.unit.standard.running import answering, context_of
from tradewind.sdk import DAG, PokeReturnValue, task
from tradewind.sdk.exceptions import AirflowSkipException, DownstreamTasksSkipped
from tradewind.sdk.standard.bash import BashOperator
from tradewind.sdk.standard.empty import EmptyOperator
from tradewind.sdk.standard.external_python import BranchExternalPythonOperator, ExternalPythonOperator
from tradewind.sdk.standard.python import BranchPythonOperator, PythonOperator, ShortCircuitOperator
from tradewind.sdk.standard.python_sensor import PythonSensor
from tradewind.sdk.standard.virtualenv import BranchPythonVirtualenvOperator, PythonVirtualenvOperator
from tradewind.sdk.xcom_arg import PlainXComArg


def made(decorator: Any, function: Any, *args: Any, **kwargs: Any) -> Any:
    """The task that comes of calling a decorated function."""
    # The name of a lambda is no id.
    function.__name__ = function.__name__.strip("<>")
    with DAG("decorated"):
        output = decorator(function)(*args, **kwargs)
    assert isinstance(output, PlainXComArg)
    return output.operator


def nothing() -> None: ...


def first_or_second(ds: str) -> str:
    return "second" if ds else "first"


@pytest.mark.parametrize(
    ("decorator", "kind", "name"),
    [
        (task, PythonOperator, "@task"),
        (task.python, PythonOperator, "@task"),
        (task.branch, BranchPythonOperator, "@task.branch"),
        (task.short_circuit, ShortCircuitOperator, "@task.short_circuit"),
        (task.virtualenv, PythonVirtualenvOperator, "@task.virtualenv"),
        (task.branch_virtualenv, BranchPythonVirtualenvOperator, "@task.branch_virtualenv"),
        (task.external_python(python=sys.executable), ExternalPythonOperator, "@task.external_python"),
        (task.external_python(sys.executable), ExternalPythonOperator, "@task.external_python"),
        (
            task.branch_external_python(python=sys.executable),
            BranchExternalPythonOperator,
            "@task.branch_external_python",
        ),
        (task.bash, BashOperator, "@task.bash"),
        (task.sensor, PythonSensor, "@task.sensor"),
    ],
)
def test_each_decorator_makes_a_task_of_its_operator(decorator: Any, kind: type[Any], name: str) -> None:
    operator = made(decorator, nothing)

    assert isinstance(operator, kind)
    assert operator.operator_name == name
    assert operator.task_id == "nothing"
    assert set(kind.template_fields) - {"templates_dict"} <= set(operator.template_fields)


def test_a_plain_task_gets_arguments_and_context() -> None:
    operator = made(task, lambda a, b, ds: (a, b, ds), 1, b=2)

    assert operator.execute(context_of(operator)) == (1, 2, "2026-03-02")


def test_operator_arguments_go_to_the_operator() -> None:
    operator = made(task(retries=3, templates_dict={"a": "{{ ds }}"}), lambda templates_dict: templates_dict)
    context = context_of(operator)

    operator.render_template_fields(context)

    assert operator.retries == 3
    assert operator.execute(context) == {"a": "2026-03-02"}


@pytest.mark.parametrize(
    "decorator",
    [
        task.branch,
        task.branch_external_python(python=sys.executable),
    ],
)
def test_a_decorated_function_can_branch(decorator: Any) -> None:
    with DAG("decorated"):
        operator = decorator(first_or_second)().operator
        operator >> [EmptyOperator(task_id="first"), EmptyOperator(task_id="second")]

    with answering(), pytest.raises(DownstreamTasksSkipped) as skip:
        operator.execute(context_of(operator))

    assert skip.value.tasks == ["first"]


def test_a_decorated_function_can_cut_short() -> None:
    with DAG("decorated"):
        operator = task.short_circuit(task_id="cut", ignore_downstream_trigger_rules=False)(lambda: False)().operator
        operator >> EmptyOperator(task_id="first") >> EmptyOperator(task_id="second")

    with pytest.raises(DownstreamTasksSkipped) as skip:
        operator.execute(context_of(operator))

    assert skip.value.tasks == ["first"]


def test_a_decorated_function_runs_in_another_interpreter_without_its_decorator() -> None:
    with DAG("decorated"):

        @task.external_python(python=sys.executable)  # type: ignore[untyped-decorator]
        def elsewhere(a: int, ds: str) -> Any:
            import os  # noqa: PLC0415 - as authors must

            return a + 1, ds, os.getppid()

        operator = elsewhere(1).operator

    result = operator.execute(context_of(operator))

    assert result[:2] == (2, "2026-03-02")

    assert result[2] == os.getpid()


def test_a_function_returns_the_command_which_may_be_a_template() -> None:
    operator = made(task.bash(env={"WHO": "{{ ds }}"}), lambda greeting: greeting + " $WHO {{ run_id }}", "echo hello")

    result = operator.execute(context_of(operator))

    assert result == "hello 2026-03-02 scheduled__2026-03-02T00:00:00+00:00"
    assert operator.bash_command.endswith("scheduled__2026-03-02T00:00:00+00:00")


def test_a_command_keeps_the_options_of_its_operator() -> None:
    operator = made(task.bash(skip_on_exit_code=7, output_processor=str.upper), lambda: "exit 7")

    with pytest.raises(AirflowSkipException):
        operator.execute(context_of(operator))


@pytest.mark.parametrize("command", [None, "", "  ", 5])
def test_a_function_that_returns_no_command_is_refused(command: Any) -> None:
    operator = made(task.bash, lambda: command)

    with pytest.raises(TypeError, match="must return a command"):
        operator.execute(context_of(operator))


def test_a_function_can_be_waited_for() -> None:
    operator = made(
        task.sensor(poke_interval=5, mode="reschedule"), lambda ds, a: PokeReturnValue(ds == a, "v"), a="2026-03-02"
    )

    assert (operator.poke_interval, operator.mode) == (5.0, "reschedule")
    assert operator.execute(context_of(operator)) == "v"


def test_a_function_called_twice_makes_two_tasks() -> None:
    with DAG("decorated") as dag:
        for decorator in (task, task.sensor, task.bash):
            decorated = decorator(nothing)
            decorated()

    assert sorted(dag.task_ids) == ["nothing", "nothing__1", "nothing__2"]


def test_a_stub_is_only_a_place_in_the_graph() -> None:
    def documented(a: int) -> None:
        """What it does."""

    def passing() -> None:
        pass

    operator = made(task.stub(queue="java"), documented, 1)
    made(task.stub, passing)

    assert (operator.queue, operator.is_stub, operator.op_args) == ("java", True, [1])
    with pytest.raises(RuntimeError, match="came to a Python worker"):
        operator.execute(context_of(operator))


def test_a_stub_with_a_body_or_a_retry_policy_is_refused() -> None:
    def busy() -> int:
        return 1

    with pytest.raises(ValueError, match="its body can only be"):
        made(task.stub, busy)
    with pytest.raises(ValueError, match="use retries"):
        made(task.stub(retry_policy=object()), nothing)
