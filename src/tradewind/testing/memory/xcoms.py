"""XComs in memory."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from tradewind.model.task_answers import XComResult
from tradewind.testing.memory.seat import Seat


class MemoryXComs:
    """See `sdk.runtime.XComRuntime`."""

    seat: Seat

    def get_xcom(
        self,
        *,
        dag_id: str,
        run_id: str,
        task_id: str,
        key: str,
        map_index: int | None = None,
        include_prior_dates: bool = False,
    ) -> XComResult | None:
        for values in self._places(dag_id, run_id, task_id, key, include_prior_dates):
            index = min(values) if map_index is None else map_index
            if index in values:
                return XComResult(key, json.loads(values[index]))
        return None

    def set_xcom(
        self,
        *,
        dag_id: str,
        run_id: str,
        task_id: str,
        key: str,
        value: Any,
        map_index: int = -1,
        dag_result: bool = False,
        mapped_length: int | None = None,
    ) -> None:
        self.seat.memory.xcoms.setdefault((dag_id, run_id, task_id, key), {})[map_index] = json.dumps(value)

    def delete_xcom(self, *, dag_id: str, run_id: str, task_id: str, key: str, map_index: int | None = None) -> None:
        place = (dag_id, run_id, task_id, key)
        values = self.seat.memory.xcoms.get(place, {})
        values.pop(min(values, default=-1) if map_index is None else map_index, None)
        if not values:
            self.seat.memory.xcoms.pop(place, None)

    def count_xcoms(self, *, dag_id: str, run_id: str, task_id: str, key: str) -> int:
        return len(self.seat.memory.xcoms.get((dag_id, run_id, task_id, key), {}))

    def get_xcom_item(self, *, dag_id: str, run_id: str, task_id: str, key: str, offset: int) -> XComResult | None:
        values = self._in_order(self.seat.memory.xcoms.get((dag_id, run_id, task_id, key), {}))
        return XComResult(key, json.loads(values[offset])) if -len(values) <= offset < len(values) else None

    def get_xcom_slice(
        self,
        *,
        dag_id: str,
        run_id: str,
        task_id: str,
        key: str,
        start: int | None = None,
        stop: int | None = None,
        step: int | None = None,
        include_prior_dates: bool = False,
    ) -> Sequence[Any]:
        values = next(self._places(dag_id, run_id, task_id, key, include_prior_dates), {})
        return [json.loads(text) for text in self._in_order(values)[slice(start, stop, step)]]

    def _places(
        self, dag_id: str, run_id: str, task_id: str, key: str, include_prior_dates: bool
    ) -> Iterator[dict[int, str]]:
        """The values of this run, then if wanted those of earlier runs, the latest first."""
        run_ids = self._this_and_earlier_runs(dag_id, run_id) if include_prior_dates else [run_id]
        for each in run_ids:
            values = self.seat.memory.xcoms.get((dag_id, each, task_id, key))
            if values:
                yield values

    def _this_and_earlier_runs(self, dag_id: str, run_id: str) -> list[str]:
        runs = self.seat.premises.transact(lambda tx: tx.runs.of_dag(dag_id))
        this = next((run for run in runs if run.run_id == run_id), None)
        if this is None:
            return [run_id]
        earlier = [run for run in runs if run.ordering_at < this.ordering_at]
        return [run_id, *(run.run_id for run in reversed(earlier))]

    @staticmethod
    def _in_order(values: dict[int, str]) -> list[str]:
        return [values[index] for index in sorted(values)]
