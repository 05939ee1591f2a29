"""Attempts for tests: a task in a run, and what came of it."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from tests.instants import utc
from tests.unit.sdk_runtime.memory_runtime import MemoryRuntime
from tradewind.model.assignment import Assignment
from tradewind.model.ids import AttemptKey, RunKey
from tradewind.model.task import EndReport
from tradewind.model.task_answers import DagRunResult
from tradewind.sdk.dags import DAG
from tradewind.sdk.operator import BaseOperator
from tradewind.worker.task_life.allowed_classes import allow_declared_classes
from tradewind.worker.task_life.life import TaskLife
from tradewind.worker.task_life.outcome import Outcome, report

DAY = utc("2026-01-31")
NOON = utc("2026-02-01 12:00")
ATTEMPT = AttemptKey(RunKey(1), "t", -1, 1)


class Calls(BaseOperator):
    """Calls a function with the context."""

    template_fields = ("text",)
    template_ext = (".sql",)

    def __init__(self, *, call: Callable[[Any], Any] = lambda _: None, text: Any = "", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.call = call
        self.text = text

    def execute(self, context: Any) -> Any:
        return self.call(context)


@dataclass
class Attempt:
    """What came of an attempt."""

    outcome: Outcome
    life: TaskLife
    runtime: MemoryRuntime
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def report(self) -> EndReport:
        """What the engine is told."""
        return report(self.outcome, ATTEMPT, at=NOON, started_at=NOON)

    @property
    def xcoms(self) -> dict[str, Any]:
        """What the task pushed, by key, as it is stored."""
        return {place[3]: next(iter(values.values())) for place, values in self.runtime.xcoms.items()}


def raises(error: BaseException) -> Callable[[Any], None]:
    """A call that ends like that."""

    def call(_: Any) -> None:
        raise error

    return call


def one_task(call: Callable[[Any], Any] = lambda _: None, *, dag: dict[str, Any] | None = None, **kwargs: Any) -> DAG:
    """A DAG with the task `t`."""
    with DAG("d", schedule=None, **(dag or {})) as made:
        Calls(task_id="t", call=call, **kwargs)
    return made


def attempt(dag: DAG, task_id: str = "t", *, runtime: MemoryRuntime | None = None, **given: Any) -> Attempt:
    """Run a task once, to the very end. `given` are fields of the assignment and, in `run`, of the DAG run."""
    run = DagRunResult(
        dag_id=dag.dag_id,
        run_id="r",
        run_after=NOON,
        run_type="manual",
        state="running",
        **{"logical_date": DAY, "data_interval_start": DAY, "data_interval_end": NOON, **given.pop("run", {})},
    )
    runtime = runtime or MemoryRuntime()
    if "next_kwargs" in given:
        given["next_kwargs"] = json.dumps(given["next_kwargs"])
    options = {name: given.pop(name) for name in ("listeners", "clears_state") if name in given}
    allow_declared_classes(dag)
    environment: dict[str, str] = {}
    assignment = Assignment(id=UUID(int=7), task_id=task_id, dag_run=run, started_at=NOON, **given)
    life = TaskLife(dag, assignment, runtime, environment=environment, **options)
    outcome = life.run()
    life.finish(outcome)
    return Attempt(outcome, life, runtime, environment)
