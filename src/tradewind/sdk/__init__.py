"""What DAG authors import.

Every name of Airflow's `airflow.sdk` is here under the same name. Start with `dags.py` (DAG), `operator.py`
(BaseOperator) and `taskflow.py` (functions as tasks). Names are loaded when they are first used, so that a DAG file
pays only for what it needs; nothing here does I/O when it is imported. May import `model` and `errors`; third-party
libraries are loaded only by the modules that need them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # What type checkers and editors see; the table below is what Python reads. A test compares the two.
    from tradewind.sdk import lineage as lineage
    from tradewind.sdk import macros as macros
    from tradewind.sdk import timezone as timezone
    from tradewind.sdk.asset_decorator import asset as asset
    from tradewind.sdk.assets import Asset as Asset
    from tradewind.sdk.assets import AssetAccessControl as AssetAccessControl
    from tradewind.sdk.assets import AssetAlias as AssetAlias
    from tradewind.sdk.assets import AssetAll as AssetAll
    from tradewind.sdk.assets import AssetAny as AssetAny
    from tradewind.sdk.assets import AssetWatcher as AssetWatcher
    from tradewind.sdk.assets import Metadata as Metadata
    from tradewind.sdk.async_operator import BaseAsyncOperator as BaseAsyncOperator
    from tradewind.sdk.branch import BaseBranchOperator as BaseBranchOperator
    from tradewind.sdk.branch import BranchMixIn as BranchMixIn
    from tradewind.sdk.callback import AsyncCallback as AsyncCallback
    from tradewind.sdk.callback import SyncCallback as SyncCallback
    from tradewind.sdk.configuration import conf as conf
    from tradewind.sdk.connection import Connection as Connection
    from tradewind.sdk.context import Context as Context
    from tradewind.sdk.context import get_current_context as get_current_context
    from tradewind.sdk.context import get_parsing_context as get_parsing_context
    from tradewind.sdk.dag_decorator import dag as dag
    from tradewind.sdk.dags import DAG as DAG
    from tradewind.sdk.deadline import BaseDeadlineReference as BaseDeadlineReference
    from tradewind.sdk.deadline import DeadlineAlert as DeadlineAlert
    from tradewind.sdk.deadline import DeadlineReference as DeadlineReference
    from tradewind.sdk.deadline import deadline_reference as deadline_reference
    from tradewind.sdk.edges import EdgeModifier as EdgeModifier
    from tradewind.sdk.edges import Label as Label
    from tradewind.sdk.edges import chain as chain
    from tradewind.sdk.edges import chain_linear as chain_linear
    from tradewind.sdk.edges import cross_downstream as cross_downstream
    from tradewind.sdk.hook import BaseHook as BaseHook
    from tradewind.sdk.notifier import BaseNotifier as BaseNotifier
    from tradewind.sdk.object_storage import ObjectStoragePath as ObjectStoragePath
    from tradewind.sdk.operator import BaseOperator as BaseOperator
    from tradewind.sdk.operator_link import BaseOperatorLink as BaseOperatorLink
    from tradewind.sdk.param import Param as Param
    from tradewind.sdk.param import ParamsDict as ParamsDict
    from tradewind.sdk.partition_mappers import AllowedKeyMapper as AllowedKeyMapper
    from tradewind.sdk.partition_mappers import ChainMapper as ChainMapper
    from tradewind.sdk.partition_mappers import FanOutMapper as FanOutMapper
    from tradewind.sdk.partition_mappers import FixedKeyMapper as FixedKeyMapper
    from tradewind.sdk.partition_mappers import IdentityMapper as IdentityMapper
    from tradewind.sdk.partition_mappers import PartitionMapper as PartitionMapper
    from tradewind.sdk.partition_mappers import ProductMapper as ProductMapper
    from tradewind.sdk.partition_mappers import RollupMapper as RollupMapper
    from tradewind.sdk.partition_mappers import StartOfDayMapper as StartOfDayMapper
    from tradewind.sdk.partition_mappers import StartOfHourMapper as StartOfHourMapper
    from tradewind.sdk.partition_mappers import StartOfMonthMapper as StartOfMonthMapper
    from tradewind.sdk.partition_mappers import StartOfQuarterMapper as StartOfQuarterMapper
    from tradewind.sdk.partition_mappers import StartOfWeekMapper as StartOfWeekMapper
    from tradewind.sdk.partition_mappers import StartOfYearMapper as StartOfYearMapper
    from tradewind.sdk.partition_windows import DayWindow as DayWindow
    from tradewind.sdk.partition_windows import HourWindow as HourWindow
    from tradewind.sdk.partition_windows import MonthWindow as MonthWindow
    from tradewind.sdk.partition_windows import QuarterWindow as QuarterWindow
    from tradewind.sdk.partition_windows import SegmentWindow as SegmentWindow
    from tradewind.sdk.partition_windows import WeekWindow as WeekWindow
    from tradewind.sdk.partition_windows import Window as Window
    from tradewind.sdk.partition_windows import YearWindow as YearWindow
    from tradewind.sdk.resumable_job import ResumableJobMixin as ResumableJobMixin
    from tradewind.sdk.retry_policy import ExceptionRetryPolicy as ExceptionRetryPolicy
    from tradewind.sdk.retry_policy import RetryAction as RetryAction
    from tradewind.sdk.retry_policy import RetryDecision as RetryDecision
    from tradewind.sdk.retry_policy import RetryPolicy as RetryPolicy
    from tradewind.sdk.retry_policy import RetryRule as RetryRule
    from tradewind.sdk.sensor import BaseSensorOperator as BaseSensorOperator
    from tradewind.sdk.sensor import PokeReturnValue as PokeReturnValue
    from tradewind.sdk.skip import SkipMixin as SkipMixin
    from tradewind.sdk.standard.role_decorators import result as result
    from tradewind.sdk.standard.role_decorators import setup as setup
    from tradewind.sdk.standard.role_decorators import teardown as teardown
    from tradewind.sdk.standard.task_decorators import task as task
    from tradewind.sdk.state_store import NEVER_EXPIRE as NEVER_EXPIRE
    from tradewind.sdk.states import DagRunState as DagRunState
    from tradewind.sdk.states import TaskInstanceState as TaskInstanceState
    from tradewind.sdk.states import TriggerRule as TriggerRule
    from tradewind.sdk.states import WeightRule as WeightRule
    from tradewind.sdk.task_group_decorator import task_group as task_group
    from tradewind.sdk.task_groups import TaskGroup as TaskGroup
    from tradewind.sdk.task_instance import TaskInstance as TaskInstance
    from tradewind.sdk.template import literal as literal
    from tradewind.sdk.timetables import AssetAndTimeSchedule as AssetAndTimeSchedule
    from tradewind.sdk.timetables import AssetOrTimeSchedule as AssetOrTimeSchedule
    from tradewind.sdk.timetables import CronDataIntervalTimetable as CronDataIntervalTimetable
    from tradewind.sdk.timetables import CronPartitionTimetable as CronPartitionTimetable
    from tradewind.sdk.timetables import CronTriggerTimetable as CronTriggerTimetable
    from tradewind.sdk.timetables import DeltaDataIntervalTimetable as DeltaDataIntervalTimetable
    from tradewind.sdk.timetables import DeltaTriggerTimetable as DeltaTriggerTimetable
    from tradewind.sdk.timetables import EventsTimetable as EventsTimetable
    from tradewind.sdk.timetables import MultipleCronTriggerTimetable as MultipleCronTriggerTimetable
    from tradewind.sdk.timetables import PartitionedAssetTimetable as PartitionedAssetTimetable
    from tradewind.sdk.timetables import PartitionedAtRuntime as PartitionedAtRuntime
    from tradewind.sdk.variable import Variable as Variable
    from tradewind.sdk.wait_policies import MinimumCount as MinimumCount
    from tradewind.sdk.wait_policies import WaitForAll as WaitForAll
    from tradewind.sdk.xcom import BaseXCom as BaseXCom
    from tradewind.sdk.xcom_arg import XComArg as XComArg

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
    "standard.role_decorators": "result setup teardown",
    "sensor": "BaseSensorOperator PokeReturnValue",
    "skip": "SkipMixin",
    "state_store": "NEVER_EXPIRE",
    "states": "DagRunState TaskInstanceState TriggerRule WeightRule",
    "standard.task_decorators": "task",
    "task_groups": "TaskGroup",
    "task_group_decorator": "task_group",
    "task_instance": "TaskInstance",
    "template": "literal",
    "timetables": (
        "AssetAndTimeSchedule AssetOrTimeSchedule CronDataIntervalTimetable CronPartitionTimetable"
        " CronTriggerTimetable"
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
