"""Questions about DAGs and their runs."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from tradewind.errors import DagUnusable, RunExists
from tradewind.model.json_value import JsonValue
from tradewind.model.run import Run
from tradewind.model.states import RunState, RunType, TriggeredBy
from tradewind.model.task_answers import AssetEventResult, DagResult, DagRunResult, PrevSuccessfulDagRunResult
from tradewind.operations.choose_tasks import Selection
from tradewind.operations.clear_tasks import clear_tasks
from tradewind.operations.task_requests.request import TaskRequest
from tradewind.operations.trigger_run import RunRequest, trigger_run
from tradewind.storage.interface import DagRecord
from tradewind.storage.interface.lookup_store import RunFilter


def as_result(
    run: Run, consumed_asset_events: Sequence[AssetEventResult] = (), *, has_too_many_asset_events: bool = False
) -> DagRunResult:
    """A run as tasks get to see it."""
    interval = run.data_interval
    conf: Any = run.conf
    return DagRunResult(
        dag_id=run.dag_id,
        run_id=run.run_id,
        run_after=run.run_after,
        run_type=run.run_type.value,
        state=run.state.value,
        logical_date=run.logical_date,
        data_interval_start=None if interval is None else interval.start,
        data_interval_end=None if interval is None else interval.end,
        start_date=run.started_at,
        end_date=run.finished_at,
        clear_number=run.clear_number,
        conf=dict(conf or {}),
        triggering_user_name=run.triggering_user_name,
        consumed_asset_events=tuple(consumed_asset_events),
        has_too_many_asset_events=has_too_many_asset_events,
        note=run.note,
        partition_key=run.partition_key,
        partition_date=run.partition_date,
    )


class RunRequests(TaskRequest):
    """See `sdk.runtime.DagRunRuntime`."""

    def get_dag(self, dag_id: str) -> DagResult | None:
        record = self.tx.dags.find(dag_id)
        if record is None:
            return None
        owners, tags = self._owners_and_tags(record)
        origins = {} if record.version_key is None else self.tx.versions.origins([record.version_key])
        return DagResult(
            dag_id=dag_id,
            is_paused=record.is_paused,
            bundle_name=record.file and record.file.bundle,
            bundle_version=next((origin.bundle_version for origin in origins.values()), None),
            relative_fileloc=record.file and record.file.path,
            owners=owners,
            tags=tags,
            next_dagrun=None if record.next_run is None else record.next_run.logical_date,
        )

    def get_dag_run(self, dag_id: str, run_id: str) -> DagRunResult | None:
        run = self.find_run(dag_id, run_id)
        return None if run is None else as_result(run)

    def get_dag_run_state(self, dag_id: str, run_id: str) -> str | None:
        run = self.find_run(dag_id, run_id)
        return None if run is None else run.state.value

    def count_dag_runs(
        self,
        dag_id: str,
        *,
        logical_dates: Sequence[datetime] | None = None,
        run_ids: Sequence[str] | None = None,
        states: Sequence[str] | None = None,
    ) -> int:
        which = RunFilter(dag_id=dag_id, logical_dates=logical_dates, run_ids=run_ids, states=states)
        return self.tx.lookups.count_runs(which)

    def get_previous_dag_run(
        self, dag_id: str, *, logical_date: datetime, state: str | None = None
    ) -> DagRunResult | None:
        run = self.tx.lookups.run_before(dag_id, logical_date, state)
        return None if run is None else as_result(run)

    def get_previous_successful_dag_run(self) -> PrevSuccessfulDagRunResult:
        this = self.find_run(self.asker.dag_id, self.asker.run_id)
        if this is None:
            return PrevSuccessfulDagRunResult()
        run = self.get_previous_dag_run(this.dag_id, logical_date=this.ordering_at, state=RunState.SUCCESS.value)
        if run is None:
            return PrevSuccessfulDagRunResult()
        return PrevSuccessfulDagRunResult(
            data_interval_start=run.data_interval_start,
            data_interval_end=run.data_interval_end,
            start_date=run.start_date,
            end_date=run.end_date,
        )

    def trigger_dag_run(
        self,
        dag_id: str,
        run_id: str,
        *,
        logical_date: datetime | None = None,
        run_after: datetime | None = None,
        conf: Mapping[str, JsonValue] | None = None,
        reset_dag_run: bool = False,
        partition_key: str | None = None,
        note: str | None = None,
    ) -> bool:
        request = RunRequest(
            dag_id,
            run_id,
            RunType.OPERATOR_TRIGGERED,
            logical_date=logical_date,
            run_after=run_after,
            conf=None if conf is None else dict(conf),
            note=note,
            triggered_by=TriggeredBy.OPERATOR,
            partition_key=partition_key,
        )
        try:
            trigger_run(self.tx, request, self.structures, self.now, suffix="")
        except RunExists:
            run = self.find_run(dag_id, run_id)
            if run is not None and self.is_repeat and self._was_asked_for(run):
                return True
            # It may also be another run that has the same logical date: that one is left as it is.
            if not reset_dag_run or run is None:
                return False
            clear_tasks(self.tx, Selection(dag_id, run_id), self.structures, self.now)
        return True

    def _was_asked_for(self, run: Run) -> bool:
        """Whether the running task may have asked for it: it was queued, or cleared, since this attempt began."""
        task = self.tx.lookups.task(self.asker.key)
        if task is None or task.started_at is None or run.queued_at is None:
            return False
        return run.queued_at >= task.started_at

    def _owners_and_tags(self, record: DagRecord) -> tuple[str | None, tuple[str, ...]]:
        """As its current version has them. A version that cannot be read says nothing."""
        if record.version_key is None:
            return None, ()
        try:
            dag = self.structures.get(self.tx, record.version_key).dag
        except DagUnusable:
            return None, ()
        owners = dict.fromkeys(task.owner for task in dag.tasks)
        return ", ".join(owners) or None, dag.tags
