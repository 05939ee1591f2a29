"""Tasks that ask people (D2)."""

from datetime import timedelta
from typing import Any

import pytest

from tests.unit.standard.running import LOGICAL_DATE, answering, context_of
from tradewind.model.task_answers import HITLUserResult
from tradewind.sdk import DAG, BaseNotifier, Context, Param
from tradewind.sdk.exceptions import DownstreamTasksSkipped, ParamValidationError, TaskAwaitingInput
from tradewind.sdk.param import process_params
from tradewind.sdk.server_exceptions import AirflowProviderDeprecationWarning
from tradewind.sdk.standard.empty import EmptyOperator
from tradewind.sdk.standard.exceptions import HITLRejectException, HITLTimeoutError, HITLTriggerEventError
from tradewind.sdk.standard.hitl import ApprovalOperator, HITLBranchOperator, HITLEntryOperator, HITLOperator


class Remembering(BaseNotifier):
    """Remembers the links that it was told."""

    links: list[str]

    def notify(self, context: Context) -> None:
        self.links = [HITLOperator.generate_link_to_ui_from_context(context=context, base_url="https://flows.example")]


def ask(kind: type[HITLOperator] = HITLOperator, **kwargs: Any) -> Any:
    """A task that asks."""
    options = {} if kind in (ApprovalOperator, HITLEntryOperator) else {"options": ["Yes", "No"]}
    with DAG("people", params={"of_the_dag": 1}):
        return kind(**{"task_id": "ask", "subject": "Go on?", **options, **kwargs})


def answered(*options: str, **fields: Any) -> dict[str, Any]:
    """The event with which the task goes on."""
    event = {"chosen_options": list(options), "params_input": {}, "responded_at": LOGICAL_DATE}
    return {**event, "responded_by_user": {"id": "7", "name": "Ann"}, **fields}


def test_the_question_is_put_and_the_task_waits_without_a_worker() -> None:
    notifier = Remembering()
    task = ask(
        body="*Really?*",
        defaults="No",
        params={"number": Param(3, type="integer")},
        notifiers=notifier,
        assigned_users={"id": "7", "name": "Ann"},
        response_timeout=timedelta(hours=1),
    )

    with answering() as runtime, pytest.raises(TaskAwaitingInput) as waiting:
        task.execute(context_of(task))

    [question] = runtime.questions
    assert (question.subject, question.body, question.options) == ("Go on?", "*Really?*", ("Yes", "No"))
    assert (question.defaults, question.multiple) == (("No",), False)
    assert set(question.params) == {"number"}
    assert question.assigned_users == (HITLUserResult("7", "Ann"),)
    assert (waiting.value.method_name, waiting.value.timeout) == ("execute_complete", timedelta(hours=1))
    page = "/dags/people/runs/scheduled__2026-03-02T00%3A00%3A00%2B00%3A00/tasks/ask/required_actions"
    assert notifier.links == [f"https://flows.example{page}?map_index=-1"]


def test_the_answer_is_the_result() -> None:
    task = ask(params={"number": Param(3, type="integer")})

    result = task.execute_complete(context_of(task), answered("Yes", params_input={"number": 5}))

    assert result == {
        "chosen_options": ["Yes"],
        "params_input": {"number": 5},
        "responded_at": LOGICAL_DATE,
        "responded_by_user": {"id": "7", "name": "Ann"},
    }
    assert task.hitl_summary["chosen_options"] == ["Yes"]
    assert task.hitl_summary["responded_at"] == "2026-03-02T00:00:00+00:00"


@pytest.mark.parametrize(
    ("event", "error"),
    [
        ({"error": "over", "error_type": "timeout"}, HITLTimeoutError),
        ({"error": "bad", "error_type": "validation"}, HITLTriggerEventError),
        (answered("Maybe"), ValueError),
        (answered("Yes", params_input={"other": 1}), ValueError),
        (answered("Yes", params_input={"number": "five"}), ParamValidationError),
    ],
)
def test_an_answer_that_cannot_be_used_fails_the_task(event: dict[str, Any], error: type[Exception]) -> None:
    task = ask(params={"number": Param(3, type="integer")})

    with pytest.raises(error):
        task.execute_complete(context_of(task), event)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"options": []}, "options of task 'ask' are empty"),
        ({"defaults": ["Maybe"]}, "are not all in options"),
        ({"defaults": ["Yes", "No"]}, "several defaults, but multiple is False"),
        ({"params": {"_options": 1}}, "reserved for the choice"),
    ],
)
def test_questions_that_make_no_sense_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ask(**arguments)


def test_several_options_can_be_chosen() -> None:
    task = ask(multiple=True, defaults=["Yes", "No"])

    assert task.execute_complete(context_of(task), answered("Yes", "No"))["chosen_options"] == ["Yes", "No"]


def test_the_time_for_execution_becomes_the_time_for_an_answer() -> None:
    with pytest.warns(AirflowProviderDeprecationWarning, match="use response_timeout"):
        task = ask(execution_timeout=timedelta(minutes=5))

    assert (task.response_timeout, task.execution_timeout) == (timedelta(minutes=5), None)


def test_a_link_can_carry_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRADEWIND__API__BASE_URL", "https://flows.example")
    task = ask(params={"number": 3})
    ti = context_of(task)["ti"]

    link = task.generate_link_to_ui(task_instance=ti, options="Yes", params_input={"number": 5})

    assert link.endswith("/required_actions?_options=%5B%27Yes%27%5D&number=5&map_index=-1")
    with pytest.raises(ValueError, match="Maybe"):
        task.generate_link_to_ui(task_instance=ti, options=["Maybe"])
    with pytest.raises(ValueError, match=r"params \['other'\]"):
        task.generate_link_to_ui(task_instance=ti, params_input={"other": 5})


def with_downstream(task: Any) -> Any:
    """`ask >> first >> second`."""
    with task.dag:
        task >> EmptyOperator(task_id="first") >> EmptyOperator(task_id="second")
    return task


def test_an_approval_goes_on() -> None:
    task = with_downstream(ask(ApprovalOperator))

    assert task.execute_complete(context_of(task), answered("Approve"))["chosen_options"] == ["Approve"]
    assert task.hitl_summary["approved"] is True


@pytest.mark.parametrize(
    ("options", "skipped"), [({}, ["first"]), ({"ignore_downstream_trigger_rules": True}, ["first", "second"])]
)
def test_a_rejection_skips_what_is_downstream(options: dict[str, bool], skipped: list[str]) -> None:
    task = with_downstream(ask(ApprovalOperator, **options))

    with pytest.raises(DownstreamTasksSkipped) as skip:
        task.execute_complete(context_of(task), answered("Reject"))

    assert skip.value.tasks == skipped


def test_a_rejection_can_be_a_failure() -> None:
    task = ask(ApprovalOperator, fail_on_reject=True)

    with pytest.raises(HITLRejectException, match="'ask' was rejected"):
        task.execute_complete(context_of(task), answered("Reject"))


def test_an_approval_has_its_own_options() -> None:
    with pytest.raises(ValueError, match="fixed options"):
        ask(ApprovalOperator, options=["Fine"])


def test_people_can_choose_the_branch() -> None:
    task = ask(HITLBranchOperator, options=["first", "the other"], options_mapping={"the other": "second"})
    with task.dag:
        task >> [EmptyOperator(task_id="first"), EmptyOperator(task_id="second")]

    with pytest.raises(DownstreamTasksSkipped) as skip:
        task.execute_complete(context_of(task), answered("the other"))

    assert skip.value.tasks == ["first"]


@pytest.mark.parametrize(
    ("mapping", "message"), [({"Maybe": "first"}, r"has \['Maybe'\]"), ({"Yes": 5}, "must map to task ids")]
)
def test_mappings_that_make_no_sense_are_refused(mapping: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ask(HITLBranchOperator, options_mapping=mapping)


def test_a_form_is_sent_with_ok() -> None:
    task = ask(HITLEntryOperator, params={"name": ""})

    assert (task.options, task.defaults) == (["OK"], ["OK"])
    assert task.execute_complete(context_of(task), answered("OK", params_input={"name": "x"}))["params_input"] == {
        "name": "x"
    }


def test_a_form_may_have_fields_without_a_default() -> None:
    """Whoever answers fills them in; templates of the question do without them."""
    task = ask(HITLEntryOperator, params={"number": Param(3, type="integer"), "name": Param(type="string")})

    with answering() as runtime, pytest.raises(TaskAwaitingInput):
        task.execute(context_of(task))

    [question] = runtime.questions
    assert question.params == {
        "number": {"value": 3, "description": None, "schema": {"type": "integer"}, "source": None},
        "name": {"value": None, "description": None, "schema": {"type": "string"}, "source": None},
    }
    known = process_params(task.dag, task, {}, suppress_exception=False)
    assert known == {"of_the_dag": 1, "number": 3}
    with answering():
        answer = task.execute_complete(context_of(task), answered("OK", params_input={"number": 4, "name": "x"}))
    assert answer["params_input"] == {"number": 4, "name": "x"}
