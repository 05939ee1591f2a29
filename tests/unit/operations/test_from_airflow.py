"""Runs, tasks and users of Airflow in our words (A8)."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from tradewind.errors import InvalidRequest
from tradewind.model.account import Profile
from tradewind.model.dag_check import check_dag
from tradewind.model.ids import AttemptKey, RunKey
from tradewind.model.inquiry import HumanAnswer
from tradewind.model.json_value import JsonValue
from tradewind.model.states import RunState, RunType, TaskState, TriggeredBy
from tradewind.model.task_answers import HITLUserResult
from tradewind.operations.from_airflow.mapping import (
    ended_inquiry,
    ended_run,
    ended_task,
    ended_try,
    remembered_dag,
    why_not,
)
from tradewind.operations.from_airflow.outcome import Fate
from tradewind.operations.from_airflow.users import simple_users
from tradewind.storage.interface.airflow_source import (
    AirflowInquiry,
    AirflowRun,
    AirflowTask,
    AirflowTaskName,
    AirflowTry,
)

AT = datetime(2026, 1, 1, tzinfo=UTC)
KEY = RunKey(3)
RUN = AirflowRun(1, "sales", "r1", "scheduled", "success", AT, started_at=AT + timedelta(minutes=1))
TASK = AirflowTask(
    *(1, "load", -1, "success", 2, 3, "etl", 1, 5, "default", None, "BashOperator", "BashOperator", "load"),
    *(None, AT, AT, AT + timedelta(minutes=1), "worker-1", 12, None, None),
)
TRY = AirflowTry(1, "load", -1, 1, "failed", None, AT, AT, AT, "worker-1", 12)


@pytest.mark.parametrize(
    ("state", "run_type", "expected"),
    [
        ("success", "scheduled", None),
        ("failed", "dataset_triggered", None),
        ("running", "scheduled", (Fate.LEFT_OUT, "it has not ended in Airflow: copy again when it has")),
        ("queued", "scheduled", (Fate.LEFT_OUT, "it has not ended in Airflow: copy again when it has")),
        (None, "scheduled", (Fate.IMPOSSIBLE, "its state None is unknown here")),
        ("odd", "scheduled", (Fate.IMPOSSIBLE, "its state 'odd' is unknown here")),
        ("success", "odd", (Fate.IMPOSSIBLE, "its type 'odd' is unknown here")),
    ],
)
def test_only_what_has_ended_and_is_understood_is_copied(
    state: str | None, run_type: str, expected: tuple[Fate, str] | None
) -> None:
    assert why_not(replace(RUN, state=state, run_type=run_type)) == expected


def test_a_run_ends_when_it_ended_or_at_least_began() -> None:
    end = AT + timedelta(hours=1)

    assert ended_run(replace(RUN, ended_at=end)).finished_at == end
    assert ended_run(RUN).finished_at == RUN.started_at
    assert ended_run(replace(RUN, started_at=None)).finished_at == AT


def test_words_of_older_airflows_are_understood() -> None:
    run = ended_run(replace(RUN, run_type="dataset_triggered", state="failed", triggered_by="REST_API"))

    assert (run.run_type, run.state, run.triggered_by) == (
        RunType.ASSET_TRIGGERED,
        RunState.FAILED,
        TriggeredBy.REST_API,
    )
    assert ended_run(replace(RUN, triggered_by="SOMEBODY")).triggered_by is None


@pytest.mark.parametrize(
    ("state", "expected", "reason"),
    [
        ("success", TaskState.SUCCESS, None),
        ("removed", TaskState.REMOVED, None),
        (None, TaskState.NONE, None),
        ("running", TaskState.FAILED, "its run had ended in Airflow while it was running"),
        ("deferred", TaskState.FAILED, "its run had ended in Airflow while it was deferred"),
        ("shutdown", TaskState.FAILED, "its run had ended in Airflow while it was shutdown"),
    ],
)
def test_no_task_of_an_ended_run_is_left_for_a_scheduler(
    state: str | None, expected: TaskState, reason: str | None
) -> None:
    task = ended_task(TASK._replace(state=state), KEY, "sales")

    assert (task.state, task.reason, task.attempt) == (expected, reason, 2)


def test_names_are_as_long_as_they_may_be_and_what_is_missing_has_a_default() -> None:
    bare = TASK._replace(pool=None, queue=None, operator=None, operator_name=None, priority_weight=None)
    task = ended_task(bare._replace(hostname="h" * 999), KEY, "sales")

    assert (task.pool, task.queue, task.operator, task.priority_weight) == (
        "default_pool",
        "default",
        "BaseOperator",
        1,
    )
    assert len(task.hostname or "") == 250
    named = ended_task(TASK._replace(operator_name="@task", display_name="Laden"), KEY, "sales")
    assert (named.operator, named.task_type, named.display_name) == ("@task", "BashOperator", "Laden")


def test_an_earlier_try_has_ended_however_it_did() -> None:
    assert ended_try(TRY, KEY).state is TaskState.FAILED
    assert ended_try(TRY._replace(state="up_for_retry"), KEY).state is TaskState.FAILED
    assert ended_try(TRY._replace(state=None), KEY).state is TaskState.FAILED
    assert ended_try(TRY._replace(state="success"), KEY).state is TaskState.SUCCESS


def test_a_dag_is_remembered_by_the_tasks_it_had() -> None:
    dag = remembered_dag("sales", [AirflowTaskName("a", "BashOperator"), AirflowTaskName("b", None)])

    check_dag(dag)
    assert [(task.task_id, task.operator) for task in dag.tasks] == [("a", "BashOperator"), ("b", "BaseOperator")]


def wrapped(*tasks: tuple[str, list[str]]) -> JsonValue:
    """As Airflow writes DAGs down."""
    return {"dag": {"tasks": [{"__var": {"task_id": name, "downstream_task_ids": [*below]}} for name, below in tasks]}}


@pytest.mark.parametrize(
    ("structure", "expected"),
    [
        (wrapped(("a", ["b", "gone"]), ("gone", ["b"])), ("a",)),
        ({"dag": {"tasks": [{"task_id": "a", "downstream_task_ids": ["b"]}]}}, ("a",)),
        (wrapped(("a", ["b"]), ("b", ["a"])), ()),
        ({"dag": {"tasks": [None, {"__var": 3}, {"task_id": ["a"]}, {"task_id": "a", "downstream_task_ids": 1}]}}, ()),
        ({"dag": []}, ()),
        ("odd", ()),
        (None, ()),
    ],
)
def test_what_tasks_waited_for_is_taken_as_far_as_it_is_understood(
    structure: JsonValue, expected: tuple[str, ...]
) -> None:
    dag = remembered_dag("sales", [AirflowTaskName("a", None), AirflowTaskName("b", None)], structure)

    assert {task.task_id: task.upstream for task in dag.tasks} == {"a": (), "b": expected}


def test_users_of_the_simple_auth_manager_are_names_with_roles() -> None:
    users = simple_users("anna:admin, bert : Viewer,")

    assert [user.profile for user in users] == [
        Profile("anna", roles=frozenset({"Admin"})),
        Profile("bert", roles=frozenset({"Viewer"})),
    ]
    assert simple_users("") == []


@pytest.mark.parametrize("text", ["anna", "anna:king", ":admin"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequest, match="is no name:role"):
        simple_users(text)


def test_a_question_to_people_keeps_its_answer_and_is_over() -> None:
    """Whatever looks otherwise than expected names nobody, and chooses nothing."""
    asked = AirflowInquiry(
        run_number=1,
        task_id="ask",
        map_index=-1,
        try_number=2,
        options=["yes", "no"],
        subject="Well?",
        body=None,
        defaults=None,
        is_multiple=None,
        params=None,
        assignees=[{"id": "1", "name": "anna"}, "bert", {"id": 3}],
        created_at=AT,
        responded_at=AT,
        responded_by={"id": "1", "name": "anna"},
        chosen_options=["no"],
        params_input={"amount": 3},
    )
    anna = HITLUserResult(id="1", name="anna")

    kept = ended_inquiry(asked, RunKey(7))
    nobody = ended_inquiry(asked._replace(responded_by=None, chosen_options="?", params_input=[1]), RunKey(7))
    unanswered = ended_inquiry(asked._replace(responded_at=None, defaults=["yes"]), RunKey(7))

    assert (kept.attempt, kept.try_number) == (AttemptKey(RunKey(7), "ask", -1, 2), 2)
    assert (kept.options, kept.defaults, kept.params, kept.assigned_users) == (("yes", "no"), None, {}, (anna,))
    assert kept.answer == HumanAnswer(chosen_options=("no",), params_input={"amount": 3}, at=AT, by=anna)
    assert nobody.answer == HumanAnswer(chosen_options=(), params_input={}, at=AT, by=None)
    assert (unanswered.answer, unanswered.defaults) == (None, ("yes",))
