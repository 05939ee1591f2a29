"""Questions about XComs."""

from collections.abc import Sequence

from tradewind.errors import UnknownTask
from tradewind.model.ids import UNMAPPED, RunKey, TaskKey
from tradewind.model.json_value import JsonValue
from tradewind.model.task_answers import XComElement, XComResult
from tradewind.operations.task_requests.request import TaskRequest
from tradewind.storage.interface.kept_stores import XComPlace, XComValue


class XComRequest(TaskRequest):
    """See `sdk.runtime.XComRuntime`."""

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
        run_key = self._run_with_xcom(dag_id, run_id, task_id, key, map_index, include_prior_dates)
        return None if run_key is None else self.tx.xcoms.find(XComPlace(run_key, task_id, key), map_index)

    def set_xcom(
        self,
        *,
        dag_id: str,
        run_id: str,
        task_id: str,
        key: str,
        value: JsonValue,
        map_index: int = UNMAPPED,
        dag_result: bool = False,
        mapped_length: int | None = None,
    ) -> None:
        task = TaskKey(self.need_run_key(dag_id, run_id), task_id, map_index)
        if task != self.asker.key and not self.tx.tasks.snapshots([task]):
            raise UnknownTask(dag_id, task_id, map_index)
        self.tx.xcoms.put([XComValue(task, key, value, mapped_length, dag_result)], self.now)

    def delete_xcom(self, *, dag_id: str, run_id: str, task_id: str, key: str, map_index: int | None = None) -> None:
        run_key = self.find_run_key(dag_id, run_id)
        if run_key is not None:
            self.tx.xcoms.delete(XComPlace(run_key, task_id, key), map_index)

    def count_xcoms(self, *, dag_id: str, run_id: str, task_id: str, key: str) -> int:
        run_key = self.find_run_key(dag_id, run_id)
        return 0 if run_key is None else self.tx.xcoms.count(XComPlace(run_key, task_id, key))

    def get_xcom_item(self, *, dag_id: str, run_id: str, task_id: str, key: str, offset: int) -> XComResult | None:
        run_key = self.find_run_key(dag_id, run_id)
        return None if run_key is None else self.tx.xcoms.item(XComPlace(run_key, task_id, key), offset)

    def get_xcom_element(
        self, *, dag_id: str, run_id: str, task_id: str, key: str, map_index: int, index: int
    ) -> XComElement | None:
        run_key = self.find_run_key(dag_id, run_id)
        return None if run_key is None else self.tx.xcoms.element(XComPlace(run_key, task_id, key), map_index, index)

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
    ) -> Sequence[JsonValue]:
        run_key = self._run_with_xcom(dag_id, run_id, task_id, key, None, include_prior_dates)
        return [] if run_key is None else self.tx.xcoms.cut(XComPlace(run_key, task_id, key), slice(start, stop, step))

    def _run_with_xcom(
        self, dag_id: str, run_id: str, task_id: str, key: str, map_index: int | None, include_prior_dates: bool
    ) -> RunKey | None:
        """Whose value is meant: this run's, or with prior dates that of the latest run that has one."""
        if not include_prior_dates:
            return self.find_run_key(dag_id, run_id)
        run = self.find_run(dag_id, run_id)
        return None if run is None else self.tx.xcoms.latest_run(run, task_id, key, map_index)
