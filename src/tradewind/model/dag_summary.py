"""What lists of DAGs show of a version, and may be asked for."""

from dataclasses import dataclass
from typing import Final

from tradewind.model.dag import Dag
from tradewind.model.states import RunType
from tradewind.model.timetable_words import is_partitioned, timetable_words

_MOST: Final = 2**31 - 1
"""What a column for a number takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DagSummary:
    """A version of a DAG in a line."""

    display_name: str
    description: str | None = None
    owners: str = ""
    """Of all tasks, each once, with commas between."""
    timetable_type: str = ""
    timetable_summary: str | None = None
    timetable_description: str | None = None
    timetable_periodic: bool = False
    timetable_partitioned: bool = False
    has_asset_schedule: bool = False
    max_active_tasks: int = 0
    max_active_runs: int = 0
    max_consecutive_failed_runs: int = 0
    has_task_limits: bool = False
    allowed_run_types: tuple[RunType, ...] | None = None
    tags: tuple[str, ...] = ()


def summary_of(dag: Dag) -> DagSummary:
    """Of this version."""
    words = timetable_words(dag.timetable)
    return DagSummary(
        display_name=dag.display_name or dag.dag_id,
        description=dag.description,
        owners=", ".join(sorted({task.owner for task in dag.tasks})),
        timetable_type=words.type_name,
        timetable_summary=words.summary,
        timetable_description=words.description,
        timetable_periodic=dag.timetable.periodic,
        timetable_partitioned=is_partitioned(dag.timetable),
        has_asset_schedule=dag.assets is not None,
        max_active_tasks=min(dag.max_active_tasks, _MOST),
        max_active_runs=min(dag.max_active_runs, _MOST),
        max_consecutive_failed_runs=min(dag.max_consecutive_failed_runs, _MOST),
        has_task_limits=any(
            task.max_active_per_dag is not None or task.max_active_per_run is not None for task in dag.tasks
        ),
        allowed_run_types=dag.allowed_run_types,
        # MySQL takes two that differ only in spaces at their ends for the same.
        tags=tuple(sorted({tag.strip() for tag in dag.tags} - {""})),
    )
