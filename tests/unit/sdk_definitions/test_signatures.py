"""Every constructor of the definitions takes what Airflow 3.3's takes: names, order, kinds and defaults (D2, D3)."""

import importlib
import inspect
from enum import StrEnum
from typing import Any

import pytest

# What Tradewind takes besides, by keyword and with a default that changes nothing.
OUR_OWN = {"dst_skipped", "dst_repeated"}
# Python's own notation for parameters, with `...` for a default that is built anew each time.
SIGNATURES = {
    "assets.Asset": "name=None, uri=None, *, group=None, extra=None, watchers=None, access_control=None",
    "assets.Dataset": "name=None, uri=None, *, group=None, extra=None, watchers=None, access_control=None",
    "assets.Model": "name=None, uri=None, *, group=None, extra=None, watchers=None, access_control=None",
    "assets.AssetAccessControl": "producer_teams=..., consumer_teams=None, allow_global=True",
    "assets.AssetAlias": "name, *, group='asset'",
    "assets.AssetAll": "*objects",
    "assets.AssetAny": "*objects",
    "assets.AssetWatcher": "name, trigger",
    "assets.Metadata": "asset, extra=..., alias=None",
    "asset_decorator.asset": (
        "*, schedule, is_paused_upon_creation=None, dag_id=None, dag_display_name=None, description=None, params=None,"
        " on_success_callback=None, on_failure_callback=None, access_control=None, owner_links=..., tags=...,"
        " name=None, uri=None, group='asset', extra=..., watchers=..."
    ),
    "asset_decorator.asset.multi": (
        "*, schedule, is_paused_upon_creation=None, dag_id=None, dag_display_name=None, description=None, params=None,"
        " on_success_callback=None, on_failure_callback=None, access_control=None, owner_links=..., tags=..., outlets"
    ),
    "callback.AsyncCallback": "callback_callable, kwargs=None",
    "callback.SyncCallback": "callback_callable, kwargs=None, executor=None",
    "deadline.BaseDeadlineReference": "",
    "deadline.DeadlineAlert": "reference, interval, callback, name=None",
    "deadline.DeadlineReference": "",
    "deadline.DeadlineReference.AVERAGE_RUNTIME": "max_runs=0, min_runs=None",
    "deadline.DeadlineReference.FIXED_DATETIME": "dt",
    "deadline.DeadlineReference.register_custom_reference": "reference_class, deadline_reference_type=None",
    "deadline.VariableInterval": "key",
    "deadline.deadline_reference": "deadline_reference_type=None",
    "param.Param": "default=NOTSET, description=None, source=None, **kwargs",
    "param.ParamsDict": "dict_obj=None, suppress_exception=False",
    "param.DagParam": "current_dag, name, default=NOTSET",
    "partition_mappers.AllowedKeyMapper": "allowed_keys, *, max_downstream_keys=None",
    "partition_mappers.ChainMapper": "mapper0, mapper1, /, *mappers, max_downstream_keys=None",
    "partition_mappers.FanOutMapper": ("*, upstream_mapper, window, downstream_mapper=None, max_downstream_keys=None"),
    "partition_mappers.FixedKeyMapper": "downstream_key, *, max_downstream_keys=None",
    "partition_mappers.IdentityMapper": "*, max_downstream_keys=None",
    "partition_mappers.PartitionMapper": "*, max_downstream_keys=None",
    "partition_mappers.ProductMapper": "mapper0, mapper1, /, *mappers, delimiter='|', max_downstream_keys=None",
    "partition_mappers.RollupMapper": "*, max_downstream_keys=None, upstream_mapper, window, wait_policy=...",
    **{
        f"partition_mappers.StartOf{period}Mapper": (
            "*, max_downstream_keys=None, timezone='UTC', input_format='%Y-%m-%dT%H:%M:%S', output_format=None"
        )
        for period in ("Hour", "Day", "Week", "Month", "Quarter", "Year")
    },
    **{
        f"partition_windows.{name}Window": "*, direction='forward'"
        for name in ("", "Hour", "Day", "Week", "Month", "Quarter", "Year")
    },
    "partition_windows.SegmentWindow": "segments",
    "retry_policy.ExceptionRetryPolicy": "rules, default=<RetryAction.DEFAULT: 'default'>",
    "retry_policy.RetryDecision": "action=<RetryAction.DEFAULT: 'default'>, retry_delay=None, reason=None",
    "retry_policy.RetryDecision.fail": "reason=None",
    "retry_policy.RetryDecision.retry": "delay=None, reason=None",
    "retry_policy.RetryPolicy": "",
    "retry_policy.RetryPolicy.evaluate": "self, exception, try_number, max_tries, context=None",
    "retry_policy.RetryRule": (
        "exception, action=<RetryAction.RETRY: 'retry'>, retry_delay=None, reason=None, match_subclasses=True"
    ),
    "timetables.AssetOrTimeSchedule": "*, assets, timetable",
    "timetables.AssetAndTimeSchedule": (
        "*, timetable, assets, match='any', fresh_within=None, deadline=None, on_deadline='run',"
        " key_format='%Y-%m-%dT%H:%M:%S', gate_backfill=False"
    ),
    "timetables.CronDataIntervalTimetable": "expression, timezone",
    "timetables.CronPartitionTimetable": (
        "cron, *, timezone, run_offset=None, run_immediately=False, key_format='%Y-%m-%dT%H:%M:%S'"
    ),
    "timetables.CronTriggerTimetable": (
        "expression, timezone, *, interval=datetime.timedelta(0), run_immediately=False"
    ),
    "timetables.DeltaDataIntervalTimetable": "delta",
    "timetables.DeltaTriggerTimetable": "delta, *, interval=datetime.timedelta(0)",
    "timetables.EventsTimetable": "event_dates, *, restrict_to_events=False, presorted=False, description=None",
    "timetables.MultipleCronTriggerTimetable": (
        "*crons, timezone, interval=datetime.timedelta(0), run_immediately=False"
    ),
    "timetables.PartitionedAssetTimetable": (
        "assets, partition_mapper_config=..., default_partition_mapper=IdentityMapper(max_downstream_keys=None)"
    ),
    "timetables.PartitionedAtRuntime": "",
    "wait_policies.MinimumCount": "n",
    "wait_policies.WaitForAll": "",
    "custom_timetable.DataInterval": "start, end",
    "custom_timetable.DagRunInfo": "run_after, data_interval, partition_date=None, partition_key=None",
    "custom_timetable.TimeRestriction": "earliest, latest, catchup",
    "custom_timetable.Timetable.next_dagrun_info": "self, *, last_automated_data_interval, restriction",
    "custom_timetable.Timetable.next_dagrun_info_v2": "self, *, last_dagrun_info, restriction",
    "custom_timetable.Timetable.infer_manual_data_interval": "self, *, run_after",
    "custom_timetable.Timetable.generate_run_id": "self, *, run_type, run_after, data_interval, **extra",
}

# Built anew each time, though our own default says so in another way.
BUILT_ANEW = {
    ("partition_mappers.RollupMapper", "wait_policy"),
    ("timetables.PartitionedAssetTimetable", "partition_mapper_config"),
}


def found(path: str) -> Any:
    module, *names = path.split(".")
    thing: Any = importlib.import_module(f"tradewind.sdk.{module}")
    for name in names:
        thing = getattr(thing, name)
    return thing


def written(path: str) -> str:
    """The signature as Python writes it, without annotations."""
    parameters = []
    for parameter in inspect.signature(found(path)).parameters.values():
        if parameter.name in OUR_OWN:
            assert parameter.kind is inspect.Parameter.KEYWORD_ONLY
            continue
        default = parameter.default
        if (path, parameter.name) in BUILT_ANEW or repr(default) == "<factory>":
            default = ...
        parameters.append(parameter.replace(annotation=inspect.Parameter.empty, default=_Shown.of(default)))
    return str(inspect.Signature(parameters))[1:-1]


class _Shown:
    """A default that is written as in the table."""

    def __init__(self, text: str) -> None:
        self.text = text

    @classmethod
    def of(cls, default: Any) -> Any:
        if default is inspect.Parameter.empty:
            return default
        if default is ...:
            return cls("...")
        return cls(repr(default.value if isinstance(default, StrEnum) else default))

    def __repr__(self) -> str:
        return self.text


@pytest.mark.parametrize(("path", "signature"), SIGNATURES.items())
def test_a_constructor_takes_what_airflow_takes(path: str, signature: str) -> None:
    assert written(path) == signature


@pytest.mark.parametrize(
    ("path", "members"),
    [
        ("states.DagRunState", "queued running success failed"),
        (
            "states.TaskInstanceState",
            (
                "removed scheduled queued running success restarting failed up_for_retry up_for_reschedule"
                " upstream_failed skipped deferred awaiting_input"
            ),
        ),
        (
            "states.TriggerRule",
            (
                "all_success all_failed all_done all_done_min_one_success all_done_setup_success one_success one_failed"
                " one_done none_failed none_skipped always none_failed_min_one_success all_skipped"
            ),
        ),
        ("states.WeightRule", "downstream upstream absolute"),
        ("retry_policy.RetryAction", "retry fail default"),
        ("partition_windows.Window.Direction", "backward forward"),
    ],
)
def test_an_enumeration_has_airflows_words(path: str, members: str) -> None:
    assert [member.value for member in found(path)] == members.split()
    assert [member.name for member in found(path)] == members.upper().split()


def test_asset_ref_is_by_keyword_only() -> None:
    assert written("assets.Asset.ref") == "*, name='', uri=''"
