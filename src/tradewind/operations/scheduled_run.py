"""The run that a tick of a timetable gets, at once or when its assets are there."""

from tradewind.decide.timetables import partition_of, run_id_named
from tradewind.model.dag import Dag
from tradewind.model.ids import VersionKey
from tradewind.model.planned_runs import PlannedRuns
from tradewind.model.run import NewRun
from tradewind.model.run_ids import new_run_id
from tradewind.model.states import RunType, TriggeredBy
from tradewind.model.timetable import RunInfo


def scheduled_run(dag: Dag, info: RunInfo, version_key: VersionKey, plan: PlannedRuns | None) -> NewRun:
    """`plan`: for a timetable of the author's own, which may name the run and its partition."""
    partition = partition_of(dag.timetable, info.run_after, plan)
    key, date = (None, None) if partition is None else partition
    # Unique for the DAG without throwing dice: a timetable makes one run for each instant.
    suffix = f"{int(info.run_after.timestamp()) % 10**8:08d}"
    usual_id = new_run_id(
        RunType.SCHEDULED, info.run_after, logical_date=info.logical_date, suffix=suffix, partition_key=key
    )
    return NewRun(
        dag_id=dag.dag_id,
        run_id=run_id_named(plan, info.run_after) or usual_id,
        run_type=RunType.SCHEDULED,
        run_after=info.run_after,
        version_key=version_key,
        logical_date=info.logical_date,
        data_interval=info.data_interval,
        triggered_by=TriggeredBy.TIMETABLE,
        partition_key=key,
        partition_date=date,
    )
