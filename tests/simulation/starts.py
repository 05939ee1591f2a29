"""Tasks that begin with a trigger: which do, what their triggers say, and what the code of authors would tell of it."""

import json
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from tradewind.model.dag import Dag, StartTrigger, Task
from tradewind.model.states import TaskRole
from tradewind.triggerer.protocol import Ready, Start

_CLASS = "simulated.Trigger"
_ENDINGS = {"event": 6, "success": 3, "failed": 2, "skipped": 1, "error": 1, "never": 1}


@dataclass(frozen=True, slots=True)
class DrawnStart:
    """What a task begins with."""

    is_for_code: bool
    """Whether only code can tell."""
    kwargs: dict[str, Any]
    timeout_s: float | None


def with_starts(seed: int, dag: Dag) -> Dag:
    """The same with some tasks that begin with a trigger."""
    rng = Random(f"starts {seed} {dag.dag_id}")
    share = rng.choice((0.0, 0.1, 0.5))
    tasks = tuple(_starting(seed, dag, task) if rng.random() < share else task for task in dag.tasks)
    return replace(dag, tasks=tasks)


def draw_start(seed: int, dag_id: str, task_id: str) -> DrawnStart:
    """The same for the same task, whoever asks."""
    rng = Random(f"start {seed} {dag_id} {task_id}")
    (ending,) = rng.choices(tuple(_ENDINGS), tuple(_ENDINGS.values()))
    after_s = rng.choice((0.0, 0.5, 3.0, 12.0))
    timeout_s = rng.choice((0.5, 5.0, 20.0)) if ending == "never" else None
    return DrawnStart(rng.random() < 0.5, {"ending": ending, "after_s": after_s, "says": task_id}, timeout_s)


def ready(seed: int, start: Start) -> Ready:
    """What the code of its DAG says of a trigger."""
    drawn = draw_start(seed, start.task.dag_id, start.task.task_id)
    kwargs, next_kwargs = json.dumps(drawn.kwargs), json.dumps({"own": drawn.kwargs["says"]})
    return Ready(start.trigger, _CLASS, kwargs, "go_on", next_kwargs, drawn.timeout_s, None, None)


def _starting(seed: int, dag: Dag, task: Task) -> Task:
    if task.is_empty or task.role is not TaskRole.WORK:
        return task
    drawn = draw_start(seed, dag.dag_id, task.task_id)
    known = StartTrigger(_CLASS, "go_on", drawn.kwargs, {"own": drawn.kwargs["says"]}, drawn.timeout_s)
    return replace(task, starts_from_trigger=True, start_trigger=None if drawn.is_for_code else known)
