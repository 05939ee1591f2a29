"""Random values of `tradewind.model` for property tests.

`dags()` makes whole DAGs that `check_dag` accepts: every trigger rule, nested groups, mapped tasks and
groups, setups and teardowns. The other strategies are its parts, for tests that need only those.

Drawing is what property tests spend their time on. Hence strategies are made once where possible, not at each
draw, and a set of edges is drawn as a number, not as a list.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

from tradewind.model.asset import (
    AllAssets,
    AnyAsset,
    AssetAccess,
    AssetAliasRef,
    AssetExpression,
    AssetRef,
    WatcherRef,
)
from tradewind.model.dag import CallbackEvent, CallbackRef, Dag, EdgeLabel, Retry, Task, TaskGroup
from tradewind.model.json_value import JsonValue
from tradewind.model.mapping import Concat, FixedLength, MapLength, OutputLength, Product, Zip
from tradewind.model.partition import (
    AllowedKeys,
    CustomMapper,
    CustomWindow,
    Direction,
    FanOut,
    FixedKey,
    Mapper,
    MapperChain,
    MapperProduct,
    Period,
    PeriodWindow,
    RollUp,
    SameKey,
    SegmentWindow,
    StartOfPeriod,
    WaitForAll,
    WaitForCount,
)
from tradewind.model.slot_policy import Match, OnDeadline
from tradewind.model.states import RunType, TaskRole, TriggerRule, WeightRule
from tradewind.model.timetable import (
    AssetAndTime,
    AssetMapper,
    AssetOrTime,
    AssetTriggered,
    Continuous,
    CronDataInterval,
    CronPartition,
    CronTrigger,
    Custom,
    Delta,
    DeltaDataInterval,
    DeltaTrigger,
    Events,
    MultipleCronTrigger,
    Never,
    Once,
    PartitionedAssets,
    PartitionedAtRuntime,
    Timetable,
    TimeTimetable,
)

identifiers = st.text("abyz09_-.äβ", min_size=1, max_size=8).filter(lambda text: ".." not in text and text != ".")
texts = st.text(max_size=12)
instants = st.datetimes(datetime(1970, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
later_instants = st.datetimes(datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
seconds = st.floats(0, 1e7)
counts = st.integers(1, 1000)
zones = st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata"])
crons = st.sampled_from(["@daily", "*/5 * * * *", "0 2 * * 1-5", "30 1 29 2 *"])
deltas = st.builds(Delta, st.integers(0, 24), st.integers(0, 400), st.integers(0, 86_399), st.integers(0, 999_999))

json_values: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(texts, parts, max_size=3),
    max_leaves=6,
)

teams = st.lists(identifiers, max_size=2).map(tuple)
declared_assets = st.builds(
    AssetRef,
    identifiers,
    identifiers,
    identifiers,
    json_values,
    st.lists(st.builds(WatcherRef, identifiers, identifiers, json_values), max_size=2).map(tuple),
    st.builds(AssetAccess, teams, st.none() | teams, st.booleans()),
)
asset_names: st.SearchStrategy[AssetRef | AssetAliasRef] = st.one_of(
    st.builds(AssetRef, identifiers, st.none() | texts), st.builds(AssetAliasRef, identifiers), declared_assets
)
asset_expressions: st.SearchStrategy[AssetExpression] = st.recursive(
    asset_names,
    lambda parts: st.one_of(
        st.builds(AllAssets, st.lists(parts, min_size=1, max_size=3).map(tuple)),
        st.builds(AnyAsset, st.lists(parts, min_size=1, max_size=3).map(tuple)),
    ),
    max_leaves=4,
)

windows = st.one_of(
    st.builds(PeriodWindow, st.sampled_from(Period), st.sampled_from(Direction)),
    st.builds(SegmentWindow, st.lists(identifiers, min_size=1, max_size=3).map(tuple)),
    st.builds(CustomWindow, identifiers, json_values),
)
waits = st.builds(WaitForAll) | st.builds(WaitForCount, st.integers(-9, 9).filter(bool))
key_limits = st.none() | counts
mappers: st.SearchStrategy[Mapper] = st.recursive(
    st.one_of(
        st.builds(SameKey, key_limits),
        st.builds(AllowedKeys, st.lists(identifiers, max_size=3).map(tuple), key_limits),
        st.builds(FixedKey, identifiers, key_limits),
        st.builds(StartOfPeriod, st.sampled_from(Period), texts, zones, texts, key_limits),
        st.builds(CustomMapper, identifiers, json_values, key_limits),
    ),
    lambda parts: st.one_of(
        st.builds(MapperChain, st.lists(parts, min_size=2, max_size=3).map(tuple), key_limits),
        st.builds(MapperProduct, st.lists(parts, min_size=2, max_size=3).map(tuple), texts, key_limits),
        st.builds(FanOut, parts, windows, parts, key_limits),
        st.builds(RollUp, parts, windows, waits, key_limits),
    ),
    max_leaves=3,
)

run_immediately = st.none() | st.booleans() | deltas
time_timetables: st.SearchStrategy[TimeTimetable] = st.one_of(
    st.builds(Never),
    st.builds(Once),
    st.builds(Continuous),
    st.builds(CronTrigger, crons, zones, deltas, run_immediately),
    st.builds(MultipleCronTrigger, st.lists(crons, min_size=1, max_size=3).map(tuple), zones, deltas, run_immediately),
    st.builds(CronPartition, crons, zones, st.integers(-5, 5), run_immediately, texts),
    st.builds(CronDataInterval, crons, zones),
    st.builds(DeltaTrigger, deltas, deltas),
    st.builds(DeltaDataInterval, deltas),
    st.builds(Events, st.sets(instants, max_size=3).map(sorted).map(tuple), st.booleans(), st.none() | texts),
    st.builds(PartitionedAtRuntime),
    st.builds(Custom, identifiers, json_values, texts, texts, st.booleans()),
)
timetables: st.SearchStrategy[Timetable] = st.one_of(
    time_timetables,
    st.builds(AssetTriggered),
    st.builds(AssetOrTime, time_timetables),
    st.builds(
        AssetAndTime,
        time_timetables,
        st.sampled_from(Match),
        st.none() | deltas,
        st.none() | deltas,
        st.sampled_from(OnDeadline),
        texts,
        st.booleans(),
    ),
    st.builds(
        PartitionedAssets, st.lists(st.builds(AssetMapper, asset_names, mappers), max_size=2).map(tuple), mappers
    ),
)

callbacks = st.lists(st.builds(CallbackRef, st.sampled_from(CallbackEvent), texts), max_size=2).map(tuple)
retries = st.builds(Retry, st.integers(0, 9), seconds, st.floats(0, 10), st.none() | seconds)


_length_shapes: st.SearchStrategy[MapLength] = st.recursive(
    st.builds(FixedLength, st.integers(0, 5)) | st.builds(OutputLength, st.sampled_from("0123456789")),
    lambda parts: st.one_of(
        st.builds(Product, st.lists(parts, min_size=1, max_size=3).map(tuple)),
        st.builds(Zip, st.lists(parts, min_size=1, max_size=3).map(tuple), st.booleans()),
        st.builds(Concat, st.lists(parts, min_size=1, max_size=3).map(tuple)),
    ),
    max_leaves=3,
)


def map_lengths(task_ids: Sequence[str]) -> st.SearchStrategy[MapLength]:
    """Lengths that depend on nothing but the given tasks."""

    def named(shape: MapLength) -> MapLength:
        if isinstance(shape, FixedLength):
            return shape
        if isinstance(shape, OutputLength):
            number = int(shape.task_id)
            return OutputLength(task_ids[number % len(task_ids)]) if task_ids else FixedLength(number)
        return replace(shape, parts=tuple(map(named, shape.parts)))

    return _length_shapes.map(named)


_stems = st.sampled_from(["task_", "t-", "Ünïcode.", "任务", "0"])


@st.composite
def dags(draw: st.DrawFn, max_tasks: int = 8) -> Dag:
    """Valid DAGs of at most so many tasks. A task comes after all that it depends on."""
    task_ids = [f"{draw(_stems)}{number}" for number in range(draw(st.integers(0, max_tasks)))]
    group_ids = [f"{draw(_stems)}group{number}" for number in range(draw(st.integers(0, 3)))]
    places = _place(draw, task_ids, group_ids)
    fail_fast = draw(st.integers(0, 3)) == 3
    tasks: dict[str, Task] = {}
    for task_id in places.upstream:
        tasks[task_id] = _task(draw, task_id, places, tasks, fail_fast=fail_fast)
    return replace(
        draw(_dag_settings),
        tasks=tuple(tasks.values()),
        groups=tuple(places.groups.values()),
        edge_labels=tuple(
            EdgeLabel(up, task.task_id, draw(texts)) for task in list(tasks.values())[:2] for up in task.upstream[:1]
        ),
        fail_fast=fail_fast,
        dag_id=draw(identifiers),
        timetable=draw(timetables),
    )


@dataclass(frozen=True, slots=True)
class _Places:
    """Where each task stands: after which tasks, in which group."""

    upstream: dict[str, list[str]]
    group_of: dict[str, str | None]
    groups: dict[str, TaskGroup]

    def around(self, group_id: str | None) -> list[TaskGroup]:
        """The group and all that it is inside of."""
        found = []
        while group_id is not None:
            found.append(self.groups[group_id])
            group_id = self.groups[group_id].parent_id
        return found

    def is_mapped(self, group_id: str | None) -> bool:
        return any(group.mapping is not None for group in self.around(group_id))

    def members(self, group_id: str) -> list[str]:
        return [
            task_id
            for task_id, own in self.group_of.items()
            if any(group.group_id == group_id for group in self.around(own))
        ]

    def ancestors(self, task_id: str) -> list[str]:
        found: dict[str, None] = {}
        waiting = list(self.upstream[task_id])
        while waiting:
            up = waiting.pop()
            if up not in found:
                found[up] = None
                waiting.extend(self.upstream[up])
        return list(found)


def _place(draw: st.DrawFn, task_ids: Sequence[str], group_ids: Sequence[str]) -> _Places:
    places = _Places({}, {}, {})
    for group_id in group_ids:
        places.groups[group_id] = TaskGroup(group_id, _one_or_none(draw, list(places.groups)), tooltip=draw(texts))
    for task_id in task_ids:
        earlier = list(places.upstream)
        # Two numbers: with one, half of all possible edges would be there.
        chosen = draw(st.integers(0, 2 ** len(earlier) - 1)) & draw(st.integers(0, 2 ** len(earlier) - 1))
        places.upstream[task_id] = [up for number, up in enumerate(earlier) if chosen >> number & 1]
        places.group_of[task_id] = _one_or_none(draw, group_ids)
    # Outer groups first, so that an inner one knows whether it may still be mapped.
    for group_id in group_ids:
        if not places.is_mapped(group_id) and draw(st.booleans()):
            _map_group(draw, group_id, places)
    return places


def _one_or_none(draw: st.DrawFn, names: Sequence[str]) -> str | None:
    number = draw(st.integers(-1, len(names) - 1))
    return None if number < 0 else names[number]


def _map_group(draw: st.DrawFn, group_id: str, places: _Places) -> None:
    members = places.members(group_id)
    order = list(places.upstream)
    before = order[: order.index(members[0])] if members else []
    mapping = draw(map_lengths(before))
    places.groups[group_id] = replace(places.groups[group_id], mapping=mapping)
    for member in members:
        for source in _sources(mapping):
            if source not in places.upstream[member]:
                places.upstream[member].append(source)


def _sources(mapping: MapLength) -> list[str]:
    if isinstance(mapping, FixedLength):
        return []
    if isinstance(mapping, OutputLength):
        return [mapping.task_id]
    return [source for part in mapping.parts for source in _sources(part)]


def _task(draw: st.DrawFn, task_id: str, places: _Places, earlier: Mapping[str, Task], *, fail_fast: bool) -> Task:
    upstream = places.upstream[task_id]
    group_id = places.group_of[task_id]
    role = draw(_roles)
    after_setup = any(earlier[up].role is TaskRole.SETUP for up in upstream)
    if role is not TaskRole.TEARDOWN and after_setup:
        rule = TriggerRule.ALL_SUCCESS
    else:
        rule = draw(_fail_fast_rules if fail_fast else _rules)
    mapping = None
    if not places.is_mapped(group_id) and draw(st.booleans()):
        mapping = draw(map_lengths(places.ancestors(task_id)))
    return replace(
        draw(_task_settings),
        task_id=task_id,
        upstream=tuple(upstream),
        group_id=group_id,
        trigger_rule=rule,
        role=role,
        fails_run=role is TaskRole.TEARDOWN and draw(st.booleans()),
        mapping=mapping,
    )


_roles = st.sampled_from([TaskRole.WORK, TaskRole.WORK, TaskRole.SETUP, TaskRole.TEARDOWN])
_rules = st.sampled_from(TriggerRule)
_fail_fast_rules = st.sampled_from([TriggerRule.ALL_SUCCESS, TriggerRule.ALL_DONE_SETUP_SUCCESS])


@st.composite
def _some_of(draw: st.DrawFn, settings: Mapping[str, st.SearchStrategy[object]]) -> dict[str, Any]:
    """Up to four settings: a random DAG should look like one that somebody wrote."""
    numbers = {draw(st.integers(0, len(settings) - 1)) for _ in range(draw(st.integers(0, 4)))}
    names = list(settings)
    return {names[number]: draw(settings[names[number]]) for number in sorted(numbers)}


_task_settings: st.SearchStrategy[Task] = _some_of(
    {
        "operator": identifiers,
        "is_empty": st.booleans(),
        "retry": retries,
        "depends_on_past": st.booleans(),
        "ignore_first_depends_on_past": st.booleans(),
        "wait_for_past_depends_before_skipping": st.booleans(),
        "wait_for_downstream": st.booleans(),
        "start_at": instants,
        "end_at": later_instants,
        "pool": identifiers,
        "pool_slots": counts,
        "priority_weight": st.integers(-(2**31), 2**31 - 1),
        "weight_rule": st.sampled_from(WeightRule),
        "queue": identifiers,
        "executor": identifiers,
        "max_active_per_dag": counts,
        "max_active_per_run": counts,
        "execution_timeout_s": seconds,
        "callbacks": callbacks,
        "inlets": st.lists(asset_names, max_size=2).map(tuple),
        "outlets": st.lists(asset_names, max_size=2).map(tuple),
        "owner": texts,
        "display_name": texts,
        "doc": texts,
        "details": json_values,
    },
).map(lambda settings: Task(task_id="unnamed", **settings))

_dag_settings: st.SearchStrategy[Dag] = _some_of(
    {
        "assets": asset_expressions,
        "timezone": zones,
        "start_at": instants,
        "end_at": later_instants,
        "catchup": st.booleans(),
        "max_active_tasks": counts,
        "max_active_runs": counts,
        "max_consecutive_failed_runs": st.integers(0, 9),
        "run_timeout_s": seconds,
        "allowed_run_types": st.lists(st.sampled_from(RunType), unique=True).map(tuple),
        "callbacks": callbacks,
        "is_paused_upon_creation": st.booleans(),
        "pins_bundle_version": st.booleans(),
        "description": texts,
        "display_name": texts,
        "doc": texts,
        "owner_links": st.lists(st.tuples(texts, texts), max_size=2).map(tuple),
        "tags": st.lists(texts.filter(str.isprintable), max_size=2).map(tuple),
        "params": json_values,
        "details": json_values,
    },
).map(lambda settings: Dag(dag_id="unnamed", **settings))
