"""What a task returned, as XComs, and its length if tasks are mapped over it."""

from collections.abc import Mapping
from typing import Any

from tradewind.sdk.configuration import conf
from tradewind.sdk.exceptions import AirflowException, UnmappableXComTypePushed, XComForMappingNotPushed
from tradewind.sdk.expansion import is_mappable
from tradewind.sdk.task_instance import RuntimeTaskInstance
from tradewind.sdk.xcom import resolve_xcom_backend
from tradewind.sdk.xcom_arg import XCOM_RETURN_KEY


class UnmappableXComLengthPushed(AirflowException):
    """A task that others are mapped over returned more elements than `[core] max_map_length` allows."""


def push_result(result: Any, task: Any, ti: RuntimeTaskInstance) -> int | None:
    """Leave the result for other tasks. Returns its length, if tasks are mapped over it."""
    value = result if task.do_xcom_push else None
    # The copies of a mapped task are counted instead.
    mapped_length = _mapped_length(value) if ti.map_index < 0 and is_mapped_over(task) else None
    if value is None:
        return None
    if task.multiple_outputs:
        for key, item in _outputs(value).items():
            ti.xcom_push(key, item)
    resolve_xcom_backend().set(
        XCOM_RETURN_KEY,
        value,
        dag_id=ti.dag_id,
        task_id=ti.task_id,
        run_id=ti.run_id,
        map_index=ti.map_index,
        dag_result=task.dag is not None and task.dag.result_task_id == ti.task_id,
        _mapped_length=mapped_length,
    )
    return mapped_length


def is_mapped_over(task: Any) -> bool:
    """Whether a task or group behind this one gets one copy per element of what this one returns."""
    for follower in task.downstream_list:
        mapped = [follower, *follower.iter_mapped_task_groups()]
        if any(before.task_id == task.task_id for each in mapped for before in each.iter_mapped_dependencies()):
            return True
    return False


def _mapped_length(value: Any) -> int:
    if value is None:
        raise XComForMappingNotPushed
    if not is_mappable(value):
        raise UnmappableXComTypePushed(value)
    length, longest = len(value), conf.getint("core", "max_map_length", fallback=1024)
    if length > longest:
        raise UnmappableXComLengthPushed(
            f"tasks are mapped over what this one returned, but {length} elements are more than the"
            f" {longest} of [core] max_map_length"
        )
    return length


def _outputs(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise TypeError(f"a task with multiple_outputs has to return a dict, not a {type(value).__name__}")
    wrong = next((key for key in value if not isinstance(key, str)), None)
    if wrong is not None:
        raise TypeError(f"a task with multiple_outputs has to return a dict with texts as keys, but one is {wrong!r}")
    return value
