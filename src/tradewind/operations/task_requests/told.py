"""What tasks tell without waiting for an answer, of many attempts at once.

What came before the end of an attempt is stored together with it, so that a batch of small tasks is a handful of
statements whatever their number.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from tradewind.model.assignment import Asker
from tradewind.model.ids import UNMAPPED, RunKey, TaskKey
from tradewind.model.json_value import JsonValue
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.kept_stores import XComValue


class Told(NamedTuple):
    """A method of `sdk.runtime.Runtime` that returns nothing, and its arguments."""

    asker: Asker
    what: str
    arguments: Mapping[str, Any]


@dataclass(slots=True)
class _Words:
    """All that was told; of what was told twice, the last."""

    xcoms: dict[tuple[TaskKey, str], XComValue] = field(default_factory=dict)
    fields: dict[TaskKey, Mapping[str, JsonValue]] = field(default_factory=dict)
    names: dict[TaskKey, str] = field(default_factory=dict)
    tellers: dict[TaskKey, set[TaskKey]] = field(default_factory=dict)
    """By whom something was said: who said it."""


def store_told(tx: Transaction, told: Sequence[Told], now: datetime) -> dict[TaskKey, str]:
    """Store `set_xcom`, `set_rendered_fields` and `set_rendered_map_index`, each attempt's words in their order.

    Returns who spoke of task instances that do not exist, and what is to be said about it. Nothing of those words is
    stored; the others are.
    """
    words = _collect(told, _run_keys(tx, told))
    known = {task.key for task in tx.tasks.snapshots(words.tellers)}
    tx.xcoms.put([value for value in words.xcoms.values() if value.task in known], now)
    tx.rendered.put({task: fields for task, fields in words.fields.items() if task in known})
    tx.rendered.name_instances({task: name for task, name in words.names.items() if task in known})
    return {
        teller: f"there is no task {task.task_id!r} with map index {task.map_index} in the run that was named"
        for task, tellers in words.tellers.items()
        if task not in known
        for teller in tellers
    }


def _collect(told: Iterable[Told], run_keys: Mapping[tuple[str, str], RunKey]) -> _Words:
    words = _Words()
    for asker, what, arguments in told:
        task = asker.key
        match what:
            case "set_xcom":
                task = _target(arguments, run_keys)
                key = arguments["key"]
                words.xcoms[task, key] = XComValue(
                    task,
                    key,
                    arguments["value"],
                    arguments.get("mapped_length"),
                    arguments.get("dag_result", False),
                )
            case "set_rendered_fields":
                words.fields[task] = arguments["fields"]
            case "set_rendered_map_index":
                words.names[task] = arguments["rendered_map_index"]
            case _:
                raise ValueError(f"{what} has an answer")
        words.tellers.setdefault(task, set()).add(asker.key)
    return words


def _target(arguments: Mapping[str, Any], run_keys: Mapping[tuple[str, str], RunKey]) -> TaskKey:
    run_key = run_keys.get((arguments["dag_id"], arguments["run_id"]), _NO_RUN)
    return TaskKey(run_key, arguments["task_id"], arguments.get("map_index", UNMAPPED))


_NO_RUN = RunKey(0)


def _run_keys(tx: Transaction, told: Iterable[Told]) -> dict[tuple[str, str], RunKey]:
    """The runs that are spoken of: nearly always the askers' own."""
    known: dict[tuple[str, str], RunKey] = {}
    asked: set[tuple[str, str]] = set()
    for asker, what, arguments in told:
        known[asker.dag_id, asker.run_id] = asker.key.run_key
        if what == "set_xcom":
            asked.add((arguments["dag_id"], arguments["run_id"]))
    for dag_id, run_id in sorted(asked - known.keys()):
        run = tx.runs.find(dag_id, run_id)
        if run is not None:
            known[dag_id, run_id] = run.key
    return known
