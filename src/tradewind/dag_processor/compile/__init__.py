"""What an author wrote, compiled to what the engine reads: `sdk` objects to `model` values.

Runs in the process that has imported the author's file. Everything the author said is in the result; what cannot be
written down is refused with the names of the task and the argument. Timetables that the author wrote are asked here too
for their coming runs, and for what runs by hand are about (`plan.py`). May import `model`, `errors` and `sdk`.
Start with `dag.py`.
"""

from tradewind.dag_processor.compile.dag import compile_dag
from tradewind.dag_processor.compile.partitions import answer_partitions
from tradewind.dag_processor.compile.plan import describe_runs, plan_runs
from tradewind.dag_processor.compile.values import CompileError

__all__ = ["CompileError", "answer_partitions", "compile_dag", "describe_runs", "plan_runs"]
