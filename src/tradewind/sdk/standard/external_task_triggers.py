"""Triggers that fire when runs or tasks of a DAG reach a state."""

import asyncio
from collections.abc import AsyncIterator, Collection
from datetime import datetime
from typing import Any

from tradewind.sdk.runtime import current_runtime
from tradewind.sdk.standard.external_states import ExternalTarget, count_runs_with_all, count_runs_with_any
from tradewind.sdk.triggers import BaseTrigger, TriggerEvent


class WorkflowTrigger(BaseTrigger):
    """Fires when tasks, a task group or a whole run of another DAG reach one of the given states.

    One in `failed_states` or `skipped_states` is enough; `allowed_states` must be reached in every run asked for.
    """

    def __init__(
        self,
        external_dag_id: str,
        run_ids: list[str] | None = None,
        execution_dates: list[datetime] | None = None,
        logical_dates: list[datetime] | None = None,
        external_task_ids: Collection[str] | None = None,
        external_task_group_id: str | None = None,
        failed_states: Collection[str] | None = None,
        skipped_states: Collection[str] | None = None,
        allowed_states: Collection[str] | None = None,
        poke_interval: float = 2.0,
        soft_fail: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.external_dag_id = external_dag_id
        self.run_ids = run_ids
        self.execution_dates = execution_dates
        # What Airflow 2 called the logical date.
        self.logical_dates = logical_dates or execution_dates
        self.external_task_ids = external_task_ids
        self.external_task_group_id = external_task_group_id
        self.failed_states = failed_states
        self.skipped_states = skipped_states
        self.allowed_states = allowed_states
        self.poke_interval = poke_interval
        self.soft_fail = soft_fail

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """What another process needs to make the same trigger."""
        names = (
            "external_dag_id",
            "run_ids",
            "logical_dates",
            "external_task_ids",
            "external_task_group_id",
            "failed_states",
            "skipped_states",
            "allowed_states",
            "poke_interval",
            "soft_fail",
        )
        return f"{__name__}.WorkflowTrigger", {name: getattr(self, name) for name in names}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """Ask again and again how many are there."""
        target = ExternalTarget(
            dag_id=self.external_dag_id,
            task_ids=tuple(self.external_task_ids or ()),
            task_group_id=self.external_task_group_id,
            run_ids=None if self.run_ids is None else tuple(self.run_ids),
            logical_dates=None if self.logical_dates is None else tuple(self.logical_dates),
        )
        wanted = len(self.run_ids or self.logical_dates or ())
        while True:
            for status, states in (("failed", self.failed_states), ("skipped", self.skipped_states)):
                reached = await asyncio.to_thread(count_runs_with_any, target, states) if states else 0
                if reached:
                    yield TriggerEvent({"status": status})
                    return
            there = await asyncio.to_thread(count_runs_with_all, target, self.allowed_states or ())
            if there == wanted:
                yield TriggerEvent({"status": "success"})
                return
            await asyncio.sleep(self.poke_interval)


class DagStateTrigger(BaseTrigger):
    """Fires when all the runs reached one of the states; the event tells the state of each run."""

    def __init__(
        self,
        dag_id: str,
        states: list[str],
        run_ids: list[str] | None = None,
        execution_dates: list[datetime] | None = None,
        poll_interval: float = 5.0,
    ) -> None:
        super().__init__()
        self.dag_id = dag_id
        self.states = states
        self.run_ids = run_ids
        self.execution_dates = execution_dates
        self.poll_interval = poll_interval

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """What another process needs to make the same trigger."""
        names = ("dag_id", "states", "run_ids", "execution_dates", "poll_interval")
        return f"{__name__}.DagStateTrigger", {name: getattr(self, name) for name in names}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """Ask again and again how many are there."""
        wanted = len(self.run_ids or self.execution_dates or ())
        while await asyncio.to_thread(self._count) != wanted:  # noqa: ASYNC110 - nobody in this process could tell
            await asyncio.sleep(self.poll_interval)
        path, arguments = self.serialize()
        states = {run_id: await asyncio.to_thread(self._state, run_id) for run_id in self.run_ids or ()}
        yield TriggerEvent((path, {**arguments, **states}))

    def _count(self) -> int:
        return current_runtime().count_dag_runs(
            self.dag_id, run_ids=self.run_ids, logical_dates=self.execution_dates, states=[str(s) for s in self.states]
        )

    def _state(self, run_id: str) -> str | None:
        return current_runtime().get_dag_run_state(self.dag_id, run_id)
