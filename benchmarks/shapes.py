"""The DAGs that benchmarks run. All tasks are alike; only the edges differ."""

from collections.abc import Iterator
from typing import Any

from tradewind.model.dag import Dag, Task


def chain(dag_id: str, length: int, **values: Any) -> Dag:
    """Tasks one after another."""
    return Dag(dag_id, tasks=tuple(_chain("t", length)), **values)


def chains(dag_id: str, count: int, length: int, **values: Any) -> Dag:
    """Chains beside each other, in one DAG."""
    return Dag(dag_id, tasks=tuple(task for i in range(count) for task in _chain(f"c{i:05}_", length)), **values)


def wide(dag_id: str, count: int, **values: Any) -> Dag:
    """Tasks without any edge."""
    return Dag(dag_id, tasks=tuple(Task(f"t{i:05}") for i in range(count)), **values)


def layers(dag_id: str, count: int, width: int, **values: Any) -> Dag:
    """Layers of `width - 1` tasks, each followed by one task that joins them and that the next layer waits for."""
    return Dag(dag_id, tasks=tuple(_layers(count, width)), **values)


def many(count: int, length: int, **values: Any) -> list[Dag]:
    """DAGs that are chains."""
    return [chain(f"dag_{i:04}", length, **values) for i in range(count)]


def _chain(prefix: str, length: int) -> Iterator[Task]:
    for i in range(length):
        yield Task(f"{prefix}{i:05}", upstream=(f"{prefix}{i - 1:05}",) if i else ())


def _layers(count: int, width: int) -> Iterator[Task]:
    before: tuple[str, ...] = ()
    for layer in range(count):
        names = tuple(f"l{layer:03}_{i:03}" for i in range(width - 1))
        for name in names:
            yield Task(name, upstream=before)
        join = f"l{layer:03}_join"
        yield Task(join, upstream=names)
        before = (join,)
