"""Which executors the tasks of a DAG mean."""

from collections.abc import Mapping
from dataclasses import replace

from tradewind.model.dag import Dag
from tradewind.model.dag_check import InvalidDag
from tradewind.model.deadline import rules_of, with_callback_executors


def name_executors(dag: Dag, executors: Mapping[str, str]) -> Dag:
    """The DAG with the names that schedulers know, for whatever its tasks call their executors.

    `executors` has the name for each word that a task may use. Returns the same DAG where nothing changes.

    Raises:
        InvalidDag: a task, or the callback of a deadline, asks for an executor that there is not.
    """
    words = {task.executor for task in dag.tasks if task.executor is not None}
    rules = [rule for rule in rules_of(dag) if rule.executor is not None]
    words |= {rule.executor for rule in rules if rule.executor is not None}
    if all(executors.get(word) == word for word in words):
        return dag
    possible = ", ".join(sorted(set(executors.values())))
    problems = tuple(
        f"the deadline {rule.name or rule.number!r} asks for the executor {rule.executor!r} for its callback;"
        f" [core] executor has only {possible}"
        for rule in rules
        if rule.executor not in executors
    )
    problems += tuple(
        f"the task {task.task_id!r} asks for the executor {task.executor!r}; [core] executor has only {possible}"
        for task in dag.tasks
        if task.executor is not None and task.executor not in executors
    )
    if problems:
        raise InvalidDag(dag.dag_id, problems)
    return replace(
        dag,
        tasks=tuple(
            task if task.executor is None else replace(task, executor=executors[task.executor]) for task in dag.tasks
        ),
        details=with_callback_executors(dag, executors) if rules else dag.details,
    )
