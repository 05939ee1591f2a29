"""What DAG authors import.

Every name of Airflow's `airflow.sdk` is here under the same name. Start with `dags.py` (DAG), `operator.py`
(BaseOperator) and `taskflow.py` (functions as tasks). Names are loaded when they are first used, so that a DAG file
pays only for what it needs; nothing here does I/O when it is imported. May import `model` and `errors`; third-party
libraries are loaded only by the modules that need them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tradewind.sdk.dag_decorator import dag as dag
    from tradewind.sdk.dags import DAG as DAG
    from tradewind.sdk.operator import BaseOperator as BaseOperator
    from tradewind.sdk.task_decorators import task as task
    from tradewind.sdk.task_group_decorator import task_group as task_group
    from tradewind.sdk.task_groups import TaskGroup as TaskGroup

__version__ = "1.3.2"
"""The version of Airflow's Task SDK whose names and behaviour these are."""

_MODULES = {
    "assets": "Asset AssetAccessControl AssetAlias AssetAll AssetAny AssetWatcher Metadata",
    "asset_decorator": "asset",
    "async_operator": "BaseAsyncOperator",
    "branch": "BaseBranchOperator BranchMixIn",
    "callback": "AsyncCallback SyncCallback",
    "configuration": "conf",
    "connection": "Connection",
    "context": "Context get_current_context get_parsing_context",
    "dags": "DAG",
    "dag_decorator": "dag",
    "deadline": "BaseDeadlineReference DeadlineAlert DeadlineReference deadline_reference",
    "edges": "EdgeModifier Label chain chain_linear cross_downstream",
    "hook": "BaseHook",
    "notifier": "BaseNotifier",
    "object_storage": "ObjectStoragePath",
    "operator": "BaseOperator",
    "operator_link": "BaseOperatorLink",
    "param": "Param ParamsDict",
    "partition_mappers": (
        "AllowedKeyMapper ChainMapper FanOutMapper FixedKeyMapper IdentityMapper PartitionMapper ProductMapper"
        " RollupMapper StartOfDayMapper StartOfHourMapper StartOfMonthMapper StartOfQuarterMapper StartOfWeekMapper"
        " StartOfYearMapper"
    ),
    "partition_windows": "DayWindow HourWindow MonthWindow QuarterWindow SegmentWindow WeekWindow Window YearWindow",
    "resumable_job": "ResumableJobMixin",
    "retry_policy": "ExceptionRetryPolicy RetryAction RetryDecision RetryPolicy RetryRule",
    "role_decorators": "result setup teardown",
    "sensor": "BaseSensorOperator PokeReturnValue",
    "skip": "SkipMixin",
    "state_store": "NEVER_EXPIRE",
    "states": "DagRunState TaskInstanceState TriggerRule WeightRule",
    "task_decorators": "task",
    "task_groups": "TaskGroup",
    "task_group_decorator": "task_group",
    "task_instance": "TaskInstance",
    "template": "literal",
    "timetables": (
        "AssetOrTimeSchedule CronDataIntervalTimetable CronPartitionTimetable CronTriggerTimetable"
        " DeltaDataIntervalTimetable DeltaTriggerTimetable EventsTimetable MultipleCronTriggerTimetable"
        " PartitionedAssetTimetable PartitionedAtRuntime"
    ),
    "variable": "Variable",
    "wait_policies": "MinimumCount WaitForAll",
    "xcom": "BaseXCom",
    "xcom_arg": "XComArg",
}
_SUBMODULES = ("lineage", "macros", "timezone")
_HOME = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = sorted([*_HOME, "__version__", "lineage", "macros"])  # noqa: PLE0605 - the table above is the list


def __getattr__(name: str) -> Any:
    """Load a name from its module."""
    if name in _HOME:
        value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    elif name in _SUBMODULES:
        value = import_module(f"{__name__}.{name}")
    else:
        raise AttributeError(f"tradewind.sdk has no {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_SUBMODULES})
