"""Questions of tasks about runs, answered from the database of the test."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from tradewind.errors import RunExists, UnknownDag
from tradewind.model.run import Run
from tradewind.model.states import RunState, RunType
from tradewind.model.task_answers import AssetEventResult, DagResult, DagRunResult, PrevSuccessfulDagRunResult
from tradewind.operations.choose_tasks import Selection
from tradewind.operations.clear_tasks import clear_tasks
from tradewind.operations.trigger_run import RunRequest, trigger_run
from tradewind.sdk.exceptions import AirflowNotFoundException
from tradewind.storage.interface import Transaction
from tradewind.testing.memory.seat import Seat


def as_result(run: Run, consumed_asset_events: Sequence[AssetEventResult] = ()) -> DagRunResult:
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
        triggering_user_name=run.triggered_by,
        consumed_asset_events=tuple(consumed_asset_events),
        note=run.note,
    )


class StoredRuns:
    """See `sdk.runtime.DagRunRuntime`."""

    seat: Seat

    def get_dag(self, dag_id: str) -> DagResult | None:
        record = self.seat.premises.transact(lambda tx: tx.dags.find(dag_id))
        if record is None:
            return None
        dag = self.seat.premises.dags.get(dag_id)
        return DagResult(
            dag_id=dag_id,
            is_paused=record.is_paused,
            relative_fileloc=None if dag is None else dag.filepath,
            owners=None if dag is None else dag.owner,
            tags=() if dag is None else tuple(sorted(dag.tags)),
        )

    def get_dag_run(self, dag_id: str, run_id: str) -> DagRunResult | None:
        run = self.seat.premises.transact(lambda tx: tx.runs.find(dag_id, run_id))
        return None if run is None else as_result(run)

    def get_dag_run_state(self, dag_id: str, run_id: str) -> str | None:
        run = self.get_dag_run(dag_id, run_id)
        return None if run is None else run.state

    def count_dag_runs(
        self,
        dag_id: str,
        *,
        logical_dates: Sequence[datetime] | None = None,
        run_ids: Sequence[str] | None = None,
        states: Sequence[str] | None = None,
    ) -> int:
        runs = self.chosen_runs(dag_id, logical_dates, run_ids)
        return sum(states is None or run.state.value in states for run in runs)

    def get_previous_dag_run(
        self, dag_id: str, *, logical_date: datetime, state: str | None = None
    ) -> DagRunResult | None:
        found = self._runs_before(dag_id, logical_date, state)
        return as_result(found[-1]) if found else None

    def get_previous_successful_dag_run(self) -> PrevSuccessfulDagRunResult:
        seat = self.seat
        this = seat.premises.transact(lambda tx: tx.runs.find(seat.dag_id, seat.run_id))
        before = [] if this is None else self._runs_before(seat.dag_id, this.ordering_at, RunState.SUCCESS.value)
        if not before:
            return PrevSuccessfulDagRunResult()
        run = as_result(before[-1])
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
        conf: Mapping[str, Any] | None = None,
        reset_dag_run: bool = False,
        partition_key: str | None = None,
        note: str | None = None,
    ) -> bool:
        premises = self.seat.premises
        request = RunRequest(
            dag_id,
            run_id,
            RunType.OPERATOR_TRIGGERED,
            logical_date=logical_date,
            run_after=run_after,
            conf=None if conf is None else dict(conf),
            note=note,
        )

        def work(tx: Transaction) -> bool:
            now = premises.clock.now()
            try:
                trigger_run(tx, request, premises.structures, now, suffix="")
            except RunExists:
                if reset_dag_run:
                    clear_tasks(tx, Selection(dag_id, run_id), premises.structures, now)
                return reset_dag_run
            return True

        try:
            return premises.transact(work)
        except UnknownDag:
            raise AirflowNotFoundException(
                f"there is no DAG {dag_id!r} in this test: give it to run_dag as one of other_dags"
            ) from None

    def chosen_runs(
        self, dag_id: str, logical_dates: Sequence[datetime] | None, run_ids: Sequence[str] | None
    ) -> list[Run]:
        """The runs of a DAG that are among these, by date."""
        dates = None if logical_dates is None else set(logical_dates)
        ids = None if run_ids is None else set(run_ids)
        return [
            run
            for run in self.seat.premises.transact(lambda tx: tx.runs.of_dag(dag_id))
            if (dates is None or run.logical_date in dates) and (ids is None or run.run_id in ids)
        ]

    def _runs_before(self, dag_id: str, instant: datetime, state: str | None) -> list[Run]:
        runs = self.seat.premises.transact(lambda tx: tx.runs.of_dag(dag_id))
        return [run for run in runs if run.ordering_at < instant and (state is None or run.state.value == state)]
