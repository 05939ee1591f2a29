"""What authors wait for: importing the SDK, and compiling a large DAG."""

import compileall
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import tradewind
from benchmarks.figures import Figure, at_most
from benchmarks.harness import Plan
from tradewind.dag_processor.compile import compile_dag
from tradewind.model.dag_json import encode_dag
from tradewind.sdk import DAG
from tradewind.sdk.standard.bash import BashOperator

_MILLISECONDS = 1_000
_STATEMENTS = ("from tradewind.sdk import dag, task", "from airflow.sdk import dag, task")


def authoring(plan: Plan) -> Iterator[Figure]:
    """Import time is that of a fresh Python process with the statement, less that of one without; the code is compiled
    to bytecode before, as an installation does. The DAG is a chain of Bash tasks; compiling includes its JSON text."""
    compileall.compile_dir(Path(tradewind.__file__).parent, quiet=2)
    times = plan.pick(15, 5, 1)
    bare_s = median(_python_s("pass") for _ in range(times))
    for statement in _STATEMENTS:
        spent = [(_python_s(statement) - bare_s) * _MILLISECONDS for _ in range(times)]
        yield Figure("authoring", f"import: {statement}", "-", "ms", spent, at_most(120.0))
    tasks = plan.pick(5_000, 1_000, 10)
    compiling = [_compile_s(tasks) for _ in range(plan.repetitions)]
    target = at_most(1.0) if tasks == 5_000 else None
    yield Figure("authoring", f"compile a DAG of {tasks:,} tasks", "-", "s", compiling, target)


def _python_s(statement: str) -> float:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", statement], check=True, env=environment)
    return time.perf_counter() - began


def _compile_s(tasks: int) -> float:
    with DAG("large") as dag:
        before: BashOperator | None = None
        for number in range(tasks):
            task = BashOperator(task_id=f"t{number}", bash_command=f"echo {number}", retries=2)
            if before is not None:
                before >> task
            before = task
    began = time.perf_counter()
    encode_dag(compile_dag(dag))
    return time.perf_counter() - began
