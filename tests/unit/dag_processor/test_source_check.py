"""What the source alone tells: values that change with every look, look-ups at the top level (A5)."""

import ast

import pytest

from tradewind.dag_processor.parse_child.source_check import check_source, mapping_lines

IMPORTS = """\
import datetime, random, time, uuid
from datetime import datetime as dt
import pendulum as pdl
from airflow.sdk import DAG, dag, task, Variable
from airflow.hooks.base import BaseHook
from airflow.providers.standard.operators.bash import BashOperator
"""


def found(text: str) -> list[tuple[str, int]]:
    """(kind, line below the imports) of each notice."""
    offset = IMPORTS.count("\n")
    return [(notice.kind, (notice.line or 0) - offset) for notice in check_source(ast.parse(IMPORTS + text))]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("DAG('a', start_date=datetime.datetime.now())", 1),
        ("DAG('a', start_date=dt.now())", 1),
        ("DAG('a', start_date=dt.now() - datetime.timedelta(1))", 1),
        ("DAG('a', start_date=datetime.date.today())", 1),
        ("DAG('a', start_date=pdl.now().subtract(days=1))", 1),
        ("DAG(f'a_{uuid.uuid4()}')", 1),
        ("DAG('a', tags=[str(random.random())])", 1),
        ("with DAG('a'):\n    BashOperator(task_id='x', bash_command=f'echo {time.time()}')", 2),
        ("START = dt.now()\nDAG('a', start_date=START)", 2),
        ("args = {'start_date': dt.now()}\nDAG('a', default_args=args)", 2),
        ("a = dt.now()\nb = a\nDAG('a', start_date=b)", 3),
        ("@dag(start_date=dt.now())\ndef d(): ...", 1),
        ("@dag\ndef d():\n    BashOperator(task_id='x', bash_command=str(dt.now()))", 3),
        ("def make():\n    with DAG('a', start_date=dt.now()): ...", 2),
        ("for i in range(3):\n    DAG('a', start_date=dt.now())", 2),
        ("if True:\n    x = dt.now()\n    DAG('a', start_date=x)", 3),
        ("@task\ndef t(x): ...\nwith DAG('a'):\n    t(dt.now())", 4),
        ("@task\ndef t(x): ...\nt.expand(x=[dt.now()])", 3),
        ("BashOperator.partial(task_id='x', env={'t': time.time()}).expand(y=[1])", 1),
        ("try:\n    DAG('a', start_date=dt.now())\nexcept ValueError: ...", 2),
    ],
)
def test_a_value_that_changes_with_every_look_is_found(text: str, line: int) -> None:
    assert ("version_inflation", line) in found(text)


@pytest.mark.parametrize(
    "text",
    [
        "DAG('a', start_date=datetime.datetime(2024, 1, 1))",
        "@task\ndef t():\n    return dt.now()",
        "@task\ndef t():\n    BashOperator(task_id='x', bash_command=str(dt.now())).execute({})",
        "def callback(context):\n    print(dt.now())\nDAG('a', on_failure_callback=callback)",
        "DAG('a', on_failure_callback=lambda c: dt.now())",
        "began = time.time()\nprint(time.time() - began)",
        "x = dt.now()\nx = dt(2024, 1, 1)\nDAG('a', start_date=x)",
        "import functools\nfunctools.partial(print, dt.now())",
        "class Own(BashOperator):\n    def execute(self, context):\n        return dt.now()",
        "now()\nDAG('a', start_date=my.now())",
    ],
)
def test_what_does_not_shape_a_dag_is_nobodys_business(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("x = Variable.get('a')", 1),
        ("with DAG('a'):\n    BashOperator(task_id='x', bash_command=Variable.get('a'))", 2),
        ("BaseHook.get_connection('a').host", 1),
        ("def make():\n    DAG(Variable.get('a'))", 2),
    ],
)
def test_a_look_up_at_the_top_level_is_found(text: str, line: int) -> None:
    assert ("top_level_lookup", line) in found(text)


def test_a_look_up_inside_a_task_is_fine() -> None:
    assert found("@task\ndef t():\n    return Variable.get('a')") == []


def test_each_line_is_told_once_and_in_order() -> None:
    text = "DAG('b', start_date=dt.now(), end_date=dt.now())\nx = Variable.get('a')\nDAG('a', start_date=dt.now())"

    assert found(text) == [("version_inflation", 1), ("top_level_lookup", 2), ("version_inflation", 3)]


def test_lines_of_expanded_tasks_are_found_by_name_and_by_task_id() -> None:
    text = (
        "add.expand(x=y)\n"
        "add.override(task_id='other').expand(x=y)\n"
        "add.partial(z=1).expand_kwargs(y)\n"
        "BashOperator.partial(task_id='bash').expand(env=y)\n"
        "things[0].expand(x=1)\n"
    )

    assert mapping_lines(ast.parse(text)) == {"add": 1, "other": 2, "bash": 4}
