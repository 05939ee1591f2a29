"""The stored form of a DAG: what it looks like, and what is refused."""

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from enum import Enum
from typing import Any

import pytest

from tradewind.model.asset import AllAssets, AnyAsset, AssetAliasRef, AssetRef
from tradewind.model.closed_json import closed_codec
from tradewind.model.dag import CallbackEvent, CallbackRef, Dag, EdgeLabel, Retry, Task, TaskGroup
from tradewind.model.dag_json import (
    FORMAT_VERSION,
    MAX_NESTING,
    DagFormatError,
    DagFormatTooNew,
    decode_dag,
    encode_dag,
    structure_hash,
)
from tradewind.model.mapping import Concat, FixedLength, MapLength, OutputLength, Product, Zip
from tradewind.model.partition import Period, PeriodWindow, RollUp, StartOfPeriod
from tradewind.model.slot_policy import Match, OnDeadline
from tradewind.model.states import RunType, TaskRole, TriggerRule, WeightRule
from tradewind.model.timetable import (
    AssetAndTime,
    AssetMapper,
    AssetOrTime,
    Continuous,
    CronDataInterval,
    CronTrigger,
    Custom,
    Delta,
    DeltaTrigger,
    Events,
    MultipleCronTrigger,
    PartitionedAssets,
    Timetable,
)

NOON = datetime(2024, 1, 31, 12, tzinfo=UTC)

# Written by hand: if a name or a default changes in the model, stored DAGs change their meaning, and this says so.
STORED = {
    "format": 1,
    "dag": {
        "dag_id": "sales",
        "tasks": [
            {"task_id": "open", "role": "setup", "outlets": [{"kind": "asset", "uri": "s3://raw"}]},
            {
                "task_id": "load",
                "operator": "SqlOperator",
                "upstream": ["open"],
                "group_id": "inner",
                "retry": {"retries": 2, "delay_s": 1.5, "multiplier": 2.0, "max_delay_s": 60.0},
                "mapping": {
                    "kind": "product",
                    "parts": [
                        {"kind": "fixed", "length": 3},
                        {"kind": "zip", "parts": [{"kind": "output", "task_id": "open"}], "longest": True},
                        {"kind": "concat", "parts": [{"kind": "output", "task_id": "open"}]},
                    ],
                },
                "depends_on_past": True,
                "start_at": "2024-01-31T12:00:00Z",
                "pool": "db",
                "pool_slots": 2,
                "priority_weight": -5,
                "weight_rule": "absolute",
                "max_active_per_run": 4,
                "execution_timeout_s": 90.0,
                "callbacks": [{"event": "retry", "name": "tell"}],
                "inlets": [{"kind": "alias", "name": "any_raw"}],
            },
            {
                "task_id": "close",
                "upstream": ["load"],
                "role": "teardown",
                "trigger_rule": "all_done_setup_success",
                "fails_run": True,
            },
        ],
        "groups": [{"group_id": "outer"}, {"group_id": "inner", "parent_id": "outer", "tooltip": "in"}],
        "edge_labels": [{"upstream": "open", "downstream": "load", "label": "then"}],
        "timetable": {
            "kind": "cron_trigger",
            "expression": "@daily",
            "timezone": "Europe/Berlin",
            "interval": {"days": 1},
            "run_immediately": {"seconds": 30},
        },
        "assets": {
            "kind": "any",
            "parts": [
                {"kind": "asset", "name": "a"},
                {"kind": "all", "parts": [{"kind": "alias", "name": "b"}]},
            ],
        },
        "catchup": True,
        "max_active_runs": 1,
        "allowed_run_types": ["scheduled", "backfill"],
        "owner_links": [["me", "mailto:me@example.org"]],
        "tags": ["gold"],
        "params": {"day": {"default": 1, "none": None}},
    },
}

SALES = Dag(
    "sales",
    tasks=(
        Task("open", role=TaskRole.SETUP, outlets=(AssetRef(uri="s3://raw"),)),
        Task(
            "load",
            operator="SqlOperator",
            upstream=("open",),
            group_id="inner",
            retry=Retry(2, 1.5, 2.0, 60.0),
            mapping=Product(
                (
                    FixedLength(3),
                    Zip((OutputLength("open"),), longest=True),
                    Concat((OutputLength("open"),)),
                )
            ),
            depends_on_past=True,
            start_at=NOON,
            pool="db",
            pool_slots=2,
            priority_weight=-5,
            weight_rule=WeightRule.ABSOLUTE,
            max_active_per_run=4,
            execution_timeout_s=90.0,
            callbacks=(CallbackRef(CallbackEvent.RETRY, "tell"),),
            inlets=(AssetAliasRef("any_raw"),),
        ),
        Task(
            "close",
            upstream=("load",),
            role=TaskRole.TEARDOWN,
            trigger_rule=TriggerRule.ALL_DONE_SETUP_SUCCESS,
            fails_run=True,
        ),
    ),
    groups=(TaskGroup("outer"), TaskGroup("inner", "outer", tooltip="in")),
    edge_labels=(EdgeLabel("open", "load", "then"),),
    timetable=CronTrigger("@daily", "Europe/Berlin", Delta(days=1), Delta(seconds=30)),
    assets=AnyAsset((AssetRef("a"), AllAssets((AssetAliasRef("b"),)))),
    catchup=True,
    max_active_runs=1,
    allowed_run_types=(RunType.SCHEDULED, RunType.BACKFILL),
    owner_links=(("me", "mailto:me@example.org"),),
    tags=("gold",),
    params={"day": {"default": 1, "none": None}},
)


def document(**fields: Any) -> str:
    return json.dumps({"format": 1, "dag": {"dag_id": "d"} | fields})


def refusal(text: str | bytes) -> DagFormatError:
    with pytest.raises(DagFormatError) as refused:
        decode_dag(text)
    return refused.value


def test_a_stored_dag_is_read_completely() -> None:
    """A1: a scheduler knows of a DAG what is stored, and nothing else."""
    assert decode_dag(json.dumps(STORED)) == SALES


def test_a_dag_is_stored_as_documented() -> None:
    assert json.loads(encode_dag(SALES)) == STORED


def test_a_field_with_its_default_is_not_written() -> None:
    assert encode_dag(Dag("d", tasks=(Task("a"),))) == '{"dag":{"dag_id":"d","tasks":[{"task_id":"a"}]},"format":1}'


def test_a_field_with_its_default_may_be_written() -> None:
    assert decode_dag(document(catchup=False, tasks=[], params=None)) == Dag("d")


def test_text_is_ascii_whatever_the_dag_says() -> None:
    dag = Dag("d", doc="späť 🙂 \x00")

    assert encode_dag(dag).isascii()
    assert decode_dag(encode_dag(dag).encode()) == dag


def test_an_instant_is_written_in_utc() -> None:
    dag = Dag("d", start_at=datetime(2024, 1, 31, 14, 0, 0, 5, timezone(timedelta(hours=2))))

    assert '"start_at":"2024-01-31T12:00:00.000005Z"' in encode_dag(dag)
    assert decode_dag(encode_dag(dag)) == dag


def test_an_instant_with_another_offset_is_read_as_utc() -> None:
    start_at = decode_dag(document(start_at="2024-01-31T14:00:00+02:00")).start_at

    assert start_at == NOON
    assert start_at is not None
    assert start_at.tzinfo is UTC


@pytest.mark.parametrize(
    "timetable",
    [
        Continuous(),
        DeltaTrigger(Delta(months=1)),
        CronTrigger("@daily", run_immediately=True),
        CronTrigger("@daily", run_immediately=None),
        CronTrigger("@daily", run_immediately=Delta(days=1)),
        MultipleCronTrigger(("@daily", "@hourly")),
        Events((NOON,), restrict_to_events=True),
        AssetOrTime(CronDataInterval("@daily")),
        AssetAndTime(
            CronDataInterval("@daily"), Match.IN_INTERVAL, Delta(days=2), Delta(seconds=60), OnDeadline.FAIL, "%Y", True
        ),
        PartitionedAssets(
            (AssetMapper(AssetRef("raw"), RollUp(StartOfPeriod(Period.DAY, "%Y-%m-%d"), PeriodWindow(Period.DAY))),),
        ),
        Custom("acme.Workdays", {"holidays": ["2024-01-01"]}, summary="on workdays"),
    ],
)
def test_each_kind_of_timetable_is_kept(timetable: Timetable) -> None:
    assert decode_dag(encode_dag(Dag("d", timetable=timetable))).timetable == timetable


def test_an_integer_is_accepted_for_a_float_and_becomes_one() -> None:
    """D6: 60 and 60.0 seconds are the same DAG version."""
    timeout_s = decode_dag(document(run_timeout_s=60)).run_timeout_s

    assert isinstance(timeout_s, float)
    assert encode_dag(Dag("d", run_timeout_s=60)) == encode_dag(Dag("d", run_timeout_s=60.0))
    assert encode_dag(Dag("d", run_timeout_s=-0.0)) == encode_dag(Dag("d", run_timeout_s=0.0))


def test_hash_is_that_of_the_canonical_text() -> None:
    """D6: a DAG gets a new version when its structure changes, and only then."""
    text = encode_dag(SALES)

    assert structure_hash(text) == hashlib.sha256(text.encode()).hexdigest()
    assert structure_hash(encode_dag(decode_dag(json.dumps(STORED, indent=4)))) == structure_hash(text)
    assert structure_hash(encode_dag(Dag("d", tags=("x",)))) != structure_hash(encode_dag(Dag("d")))


def test_what_was_read_does_not_share_lists_with_what_was_written() -> None:
    params: dict[str, Any] = {"a": [1]}
    dag = decode_dag(encode_dag(Dag("d", params=params)))
    params["a"].append(2)

    assert dag.params == {"a": [1]}


@pytest.mark.parametrize(
    ("dag", "path", "problem"),
    [
        ({"surprise": 1}, "dag", "unknown key 'surprise'"),
        ({"tasks": [{}]}, "dag.tasks[0]", "missing key 'task_id'"),
        ({"tasks": {}}, "dag.tasks", "expected a list, found an object"),
        ({"tasks": [None]}, "dag.tasks[0]", "expected an object, found null"),
        ({"tags": ["a", "b", 3]}, "dag.tags[2]", "expected a string, found the number 3"),
        ({"catchup": 1}, "dag.catchup", "expected a boolean, found the number 1"),
        ({"catchup": None}, "dag.catchup", "expected a boolean, found null"),
        ({"max_active_runs": True}, "dag.max_active_runs", "expected an integer, found a boolean"),
        ({"max_active_runs": 1.0}, "dag.max_active_runs", "expected an integer, found the number 1.0"),
        ({"max_active_runs": "1"}, "dag.max_active_runs", "expected an integer, found the string '1'"),
        ({"run_timeout_s": False}, "dag.run_timeout_s", "expected a number, found a boolean"),
        ({"run_timeout_s": 10**400}, "dag.run_timeout_s", "within the range of a double"),
        ({"owner_links": [["me"]]}, "dag.owner_links[0]", "expected a list of length 2, found a list of length 1"),
        ({"owner_links": [["me", 1]]}, "dag.owner_links[0][1]", "expected a string"),
        ({"allowed_run_types": ["weekly"]}, "dag.allowed_run_types[0]", "'scheduled', found the string 'weekly'"),
        ({"allowed_run_types": [["manual"]]}, "dag.allowed_run_types[0]", "expected one of 'asset_materialization'"),
        ({"timetable": {"kind": "os.system"}}, "dag.timetable.kind", "found the string 'os.system'"),
        ({"timetable": {"kind": ["once"]}}, "dag.timetable.kind", "expected one of"),
        ({"timetable": {}}, "dag.timetable", "missing key 'kind'"),
        ({"timetable": "once"}, "dag.timetable", "expected an object, found the string 'once'"),
        ({"timetable": {"kind": "once", "at": 1}}, "dag.timetable", "unknown key 'at'; expected no key"),
        ({"assets": {"kind": "any", "parts": [{"kind": "fixed"}]}}, "dag.assets.parts[0].kind", "'fixed'"),
        ({"start_at": "2024-01-31T12:00:00"}, "dag.start_at", "with its offset"),
        ({"start_at": "2024-02-30T12:00:00Z"}, "dag.start_at", "with its offset"),
        ({"start_at": "0001-01-01T00:00:00+01:00"}, "dag.start_at", "with its offset"),
        ({"start_at": "2024-W05-3T12:00:00Z"}, "dag.start_at", "with its offset"),
        ({"start_at": 1706702400}, "dag.start_at", "with its offset"),
        ({"doc": "\ud800"}, "dag.doc", "expected a string of Unicode characters"),
        ({"params": {"a": [{"\ud800": 1}]}}, "dag.params['a'][0]['\\ud800']", "Unicode characters"),
    ],
)
def test_what_the_schema_does_not_name_is_refused(dag: dict[str, Any], path: str, problem: str) -> None:
    """A1: no guessing. A scheduler that reads a DAG half right would run it wrong."""
    refused = refusal(document(**dag))

    assert refused.path == path
    assert problem in refused.problem
    assert str(refused) == f"{path}: {refused.problem}"


def test_path_leads_to_the_fault_deep_inside() -> None:
    tasks: list[dict[str, Any]] = [{"task_id": f"t{number}"} for number in range(4)]
    tasks[3]["retry"] = {"retries": "three"}

    refused = refusal(document(tasks=tasks))

    assert str(refused) == "dag.tasks[3].retry.retries: expected an integer, found the string 'three'"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "not a JSON document"),
        ("{", "not a JSON document"),
        ("{} {}", "not a JSON document"),
        (b"\xff\xfe{\x00}\x00", "not a JSON document"),
        ("\ufeff{}", "not a JSON document"),
        ("[]", "expected an object, found a list"),
        ("null", "expected an object, found null"),
        ("{}", "format: expected an integer, found null"),
        ('{"format":true,"dag":{"dag_id":"d"}}', "format: expected an integer"),
        ('{"format":0,"dag":{"dag_id":"d"}}', "format: expected a number from 1 to 1"),
        ('{"format":1}', "missing key 'dag'"),
        ('{"format":1,"dag":{"dag_id":"d"},"more":1}', "unknown key 'more'"),
        ('{"format":1,"dag":{"dag_id":"d","dag_id":"e"}}', "the key 'dag_id' stands twice"),
        ('{"format":1,"dag":{"dag_id":"d","run_timeout_s":NaN}}', "NaN is not a JSON number"),
        ('{"format":1,"dag":{"dag_id":"d","params":[-Infinity]}}', "-Infinity is not a JSON number"),
        ('{"format":1,"dag":{"dag_id":"d","params":[1e999]}}', "dag.params[0]: expected a finite number"),
        ('{"format":1,"dag":{"dag_id":"d","run_timeout_s":1e999}}', "dag.run_timeout_s: expected a finite number"),
        ('{"format":1,"dag":{"dag_id":"d","max_active_runs":' + "9" * 10_000 + "}}", "not a JSON document"),
    ],
)
def test_what_is_no_document_is_refused(text: str | bytes, problem: str) -> None:
    assert problem in str(refusal(text))


@pytest.mark.parametrize("depth", [MAX_NESTING, 5_000, 200_000])
def test_absurd_nesting_is_refused(depth: int) -> None:
    text = '{"format":1,"dag":{"dag_id":"d","params":' + "[" * depth + "]" * depth + "}}"

    assert f"nested more than {MAX_NESTING} deep" in str(refusal(text))


def test_absurd_nesting_is_not_written_either() -> None:
    mapping: MapLength = FixedLength(1)
    for _ in range(5_000):
        mapping = Product((mapping,))

    with pytest.raises(DagFormatError, match="nested more than"):
        encode_dag(Dag("d", tasks=(Task("a", mapping=mapping),)))


def test_a_message_does_not_repeat_a_long_text() -> None:
    assert len(str(refusal(document(start_at="x" * 100_000)))) < 300
    assert len(str(refusal(document(**{"x" * 100_000: 1})))) < 1_000


def test_a_newer_format_asks_for_an_upgrade() -> None:
    """D6: after a rollback the old version must say why it cannot read what the new one stored."""
    with pytest.raises(DagFormatTooNew) as refused:
        decode_dag('{"format":7,"dag":["another shape"],"more":1}')

    assert refused.value.found == 7
    assert "format 7" in str(refused.value)
    assert f"up to {FORMAT_VERSION}" in str(refused.value)
    assert "upgrade Tradewind" in str(refused.value)


@pytest.mark.parametrize(
    ("dag", "problem"),
    [
        (Dag("d", start_at=datetime(2024, 1, 31)), "dag.start_at: expected a datetime with a time zone"),  # noqa: DTZ001
        (Dag("d", run_timeout_s=float("nan")), "dag.run_timeout_s: expected a finite number"),
        (Dag("d", params={"a": float("inf")}), "dag.params['a']: expected a finite number"),
        (Dag("d", doc="\udc00"), "dag.doc: expected a string of Unicode characters"),
        (Dag("d", tasks=[Task("a")]), "dag.tasks: expected a tuple"),  # type: ignore[arg-type]
        (Dag("d", tasks=(object(),)), "dag.tasks[0]: expected a Task, found a Python object"),  # type: ignore[arg-type]
        (Dag("d", timetable=Delta()), "dag.timetable: expected CronTrigger or"),  # type: ignore[arg-type]
        (Dag("d", params={1: 2}), "dag.params['1']: expected a string"),  # type: ignore[dict-item]
        (Dag("d", params={"a": {1}}), "dag.params['a']: expected a JSON value, found a Python set"),  # type: ignore[dict-item]
        (Dag("d", params=[10**5_000]), "the DAG cannot be written as JSON"),
    ],
)
def test_what_could_not_be_read_again_is_not_written(dag: Dag, problem: str) -> None:
    with pytest.raises(DagFormatError) as refused:
        encode_dag(dag)

    assert problem in str(refused.value)


def test_ten_thousand_tasks_in_a_chain_are_stored_and_read() -> None:
    """A1: the size of a DAG is no depth."""
    dag = Dag("d", tasks=tuple(Task(f"t{n}", upstream=(f"t{n - 1}",) if n else ()) for n in range(10_000)))

    assert decode_dag(encode_dag(dag)) == dag


class Colour(Enum):
    RED = 1


@dataclass(frozen=True)
class WithPlainEnum:
    colour: Colour


@dataclass(frozen=True)
class WithVagueUnion:
    value: str | int


@dataclass(frozen=True)
class WithUnionWithoutKinds:
    value: Retry | EdgeLabel


@dataclass(frozen=True)
class WithList:
    values: list[str]


@pytest.mark.parametrize("cls", [WithPlainEnum, WithVagueUnion, WithUnionWithoutKinds, WithList, object])
def test_a_class_that_has_no_closed_form_is_refused_when_the_reader_is_built(cls: type) -> None:
    with pytest.raises(TypeError):
        closed_codec(cls)
