"""A DAG of the usual kind. The warm process defines and compiles it once before it forks.

What is looked up, parsed or built at the first use of the SDK (the configuration, tables of names, caches) is then
there for every child, which would otherwise do it again for every file.
"""

import ast
import inspect
from datetime import UTC, datetime

from tradewind.dag_processor.compile import compile_dag
from tradewind.dag_processor.parse_child.source_check import check_source, mapping_lines
from tradewind.model.dag_json import encode_dag
from tradewind.sdk.dag_context import collecting_dags
from tradewind.sdk.dags import DAG
from tradewind.sdk.standard.bash import BashOperator
from tradewind.sdk.standard.empty import EmptyOperator
from tradewind.sdk.standard.python import PythonOperator
from tradewind.sdk.standard.task_decorators import task
from tradewind.sdk.task_groups import TaskGroup


def define_sample() -> str:
    """Define a DAG and compile it. Returns its JSON."""
    tree = ast.parse(inspect.getsource(define_sample))
    check_source(tree)
    mapping_lines(tree)
    with collecting_dags(), DAG("sample", schedule="@daily", start_date=datetime(2024, 1, 1, tzinfo=UTC)) as dag:

        @task
        def numbers() -> list[int]:
            return [1, 2]

        @task(retries=1)
        def double(number: int) -> int:
            return 2 * number

        with TaskGroup("group"):
            first = EmptyOperator(task_id="first") >> BashOperator(task_id="second", bash_command="echo {{ ds }}")
        double.expand(number=numbers()) >> first >> PythonOperator(task_id="third", python_callable=print)
    return encode_dag(compile_dag(dag))
