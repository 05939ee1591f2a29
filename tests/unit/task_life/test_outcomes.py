"""How an attempt ends, and what the engine is told (D2 D4)."""

import signal
from datetime import timedelta
from typing import Any

import pytest

from tests.unit.task_life.attempts import ATTEMPT, NOON, Calls, attempt, one_task, raises
from tradewind.model.attempt_end import Deferral
from tradewind.model.task import AwaitingInput, Deferred, Failed, Rescheduled, Skipped, Succeeded
from tradewind.sdk.dags import DAG
from tradewind.sdk.exceptions import (
    AirflowException,
    AirflowFailException,
    AirflowRescheduleException,
    AirflowSensorTimeout,
    AirflowSkipException,
    AirflowTaskTerminated,
    AirflowTaskTimeout,
    DownstreamTasksSkipped,
    TaskAwaitingInput,
    TaskDeferred,
)
from tradewind.sdk.retry_policy import ExceptionRetryPolicy, RetryAction, RetryDecision, RetryPolicy, RetryRule
from tradewind.sdk.standard.temporal_triggers import DateTimeTrigger
from tradewind.worker.task_life.outcome import Failure

SOON = NOON + timedelta(minutes=5)
MINUTE = timedelta(minutes=1)


class Unspeakable(Exception):
    """Cannot even say what it is."""

    def __str__(self) -> str:
        raise ValueError


def test_a_task_that_returns_has_succeeded() -> None:
    assert attempt(one_task()).report == Succeeded(ATTEMPT, NOON, NOON)


@pytest.mark.parametrize(
    ("signal", "expected"),
    [
        (AirflowSkipException("not today"), Skipped(ATTEMPT, NOON, NOON, "not today")),
        (AirflowSkipException(), Skipped(ATTEMPT, NOON, NOON, "the task asked to be skipped")),
        (AirflowRescheduleException(SOON), Rescheduled(ATTEMPT, NOON, SOON, NOON)),
        (AirflowRescheduleException(SOON.replace(tzinfo=None)), Rescheduled(ATTEMPT, NOON, SOON, NOON)),
        (DownstreamTasksSkipped(tasks=["a", ("b", -1), "a"]), Succeeded(ATTEMPT, NOON, NOON, skips=("a", "b"))),
        (
            TaskDeferred(trigger=DateTimeTrigger(SOON), method_name="go_on"),
            Deferred(ATTEMPT, NOON, None, NOON),
        ),
        (
            TaskDeferred(trigger=DateTimeTrigger(SOON), method_name="go_on", timeout=60),
            Deferred(ATTEMPT, NOON, NOON + MINUTE, NOON),
        ),
        (TaskAwaitingInput(method_name="go_on"), AwaitingInput(ATTEMPT, NOON, None, NOON)),
        (TaskAwaitingInput(method_name="go_on", timeout=MINUTE), AwaitingInput(ATTEMPT, NOON, NOON + MINUTE, NOON)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_signals_end_an_attempt_as_they_say(signal: BaseException, expected: Any) -> None:
    assert attempt(one_task(raises(signal))).report == expected


@pytest.mark.parametrize(
    "error", [AirflowFailException("no"), AirflowSensorTimeout("no"), AirflowTaskTerminated("no")], ids=repr
)
def test_some_failures_forbid_a_retry_whatever_a_policy_says(error: BaseException) -> None:
    policy = ExceptionRetryPolicy([RetryRule([BaseException])])

    failed = attempt(one_task(raises(error), retry_policy=policy), has_tries_left=True)

    assert failed.report == Failed(ATTEMPT, NOON, NOON, f"{type(error).__name__}: no", may_retry=False)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ValueError("wrong"), "ValueError: wrong"),
        (AirflowException("wrong"), "AirflowException: wrong"),
        (AirflowTaskTimeout("late"), "AirflowTaskTimeout: late"),
        (SystemExit(3), "the task exited with code 3"),
        (SystemExit(0), "the task exited with code 0"),
        (KeyboardInterrupt(), "KeyboardInterrupt: "),
        (GeneratorExit(), "GeneratorExit: "),
        (Unspeakable(), "Unspeakable"),
    ],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.parametrize("has_tries_left", [True, False])
def test_all_else_that_is_raised_is_a_failure_that_may_be_retried(
    error: BaseException, reason: str, has_tries_left: bool
) -> None:
    failed = attempt(one_task(raises(error)), has_tries_left=has_tries_left)

    assert failed.report == Failed(ATTEMPT, NOON, NOON, reason)
    assert isinstance(failed.outcome, Failure)
    assert failed.outcome.will_retry is has_tries_left


class Asks(RetryPolicy):
    """Notes what it is asked, and answers with what it was given."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.asked: list[tuple[Any, ...]] = []

    def evaluate(self, exception: BaseException, try_number: int, max_tries: int, context: Any = None) -> RetryDecision:
        self.asked.append((str(exception), try_number, max_tries, context["ti"].task_id))
        if isinstance(self.answer, Exception):
            raise self.answer
        answer: RetryDecision = self.answer
        return answer


@pytest.mark.parametrize(
    ("answer", "may_retry", "delay_s", "reason"),
    [
        (RetryDecision.fail("hopeless"), False, None, "ValueError: no (retry policy: hopeless)"),
        (RetryDecision.retry(MINUTE), True, 60.0, "ValueError: no"),
        (RetryDecision.retry(), True, None, "ValueError: no"),
        (RetryDecision.default(), True, None, "ValueError: no"),
        (RuntimeError("the policy itself is broken"), True, None, "ValueError: no"),
        ("nonsense", True, None, "ValueError: no"),
    ],
)
def test_a_retry_policy_decides(answer: Any, may_retry: bool, delay_s: float | None, reason: str) -> None:
    """D4."""
    policy = Asks(answer)
    dag = one_task(raises(ValueError("no")), retry_policy=policy)

    failed = attempt(dag, try_number=2, max_tries=3, has_tries_left=True)

    assert policy.asked == [("no", 2, 3, "t")]
    assert failed.report == Failed(ATTEMPT, NOON, NOON, reason, may_retry, delay_s)


def test_a_retry_policy_is_not_asked_when_no_try_is_left() -> None:
    policy = Asks(RetryDecision(RetryAction.RETRY, MINUTE))

    failed = attempt(one_task(raises(ValueError("no")), retry_policy=policy), has_tries_left=False)

    assert policy.asked == []
    assert failed.report == Failed(ATTEMPT, NOON, NOON, "ValueError: no")


def test_a_deferral_carries_what_its_trigger_and_its_task_need() -> None:
    signal = TaskDeferred(trigger=DateTimeTrigger(SOON), method_name="go_on", kwargs={"seen": (1,)}, timeout=MINUTE)

    deferral = attempt(one_task(raises(signal))).outcome

    assert isinstance(deferral, Deferral)
    assert deferral.trigger_path == "tradewind.sdk.standard.temporal_triggers.DateTimeTrigger"
    assert isinstance(deferral.trigger_kwargs, dict)
    assert deferral.trigger_kwargs["end_from_trigger"] is False
    assert deferral.next_method == "go_on"
    assert deferral.next_kwargs == {"seen": {"__classname__": "builtins.tuple", "__version__": 1, "__data__": [1]}}
    assert (deferral.timeout, deferral.queue) == (MINUTE, None)


class NoTrigger(DateTimeTrigger):
    """Has an argument that cannot leave the process."""

    def serialize(self) -> tuple[str, dict[str, Any]]:
        return "x.NoTrigger", {"lock": object()}


class WithoutQueue(DateTimeTrigger):
    """Any triggerer may run it."""

    supports_triggerer_queue = False


@pytest.mark.parametrize(
    ("are_enabled", "kind", "queue"),
    [("True", DateTimeTrigger, "gpu"), ("True", WithoutQueue, None), ("False", DateTimeTrigger, None)],
)
def test_a_trigger_has_the_queue_of_its_task_where_triggerers_have_queues(
    monkeypatch: pytest.MonkeyPatch, are_enabled: str, kind: type[DateTimeTrigger], queue: str | None
) -> None:
    """E6: unless the trigger says that any triggerer may run it."""
    monkeypatch.setenv("AIRFLOW__TRIGGERER__QUEUES_ENABLED", are_enabled)
    with DAG("d", schedule=None) as dag:
        Calls(task_id="t", call=raises(TaskDeferred(trigger=kind(NOON), method_name="go_on")), queue="gpu")

    deferral = attempt(dag).outcome

    assert isinstance(deferral, Deferral)
    assert deferral.queue == queue


def test_a_deferral_that_cannot_leave_the_process_is_a_failure_that_says_so() -> None:
    signal = TaskDeferred(trigger=NoTrigger(SOON), method_name="go_on")

    failed = attempt(one_task(raises(signal)))

    assert isinstance(failed.report, Failed)
    assert str(failed.report.reason).startswith("TypeError: a value of type builtins.object cannot be stored")


@pytest.mark.parametrize("kwargs", [[1], [("a", 1)], "text", {1: 2}], ids=repr)
@pytest.mark.parametrize(
    ("signal", "what"),
    [
        (lambda kwargs: TaskDeferred(trigger=DateTimeTrigger(SOON), method_name="go_on", kwargs=kwargs), "defer()"),
        (lambda kwargs: TaskAwaitingInput(method_name="go_on", kwargs=kwargs), "TaskAwaitingInput"),
    ],
)
def test_a_wait_with_arguments_that_no_method_can_be_called_with_is_a_failure(
    signal: Any, what: str, kwargs: Any
) -> None:
    """B10: it would be found out only when it goes on, by those who serve all others, too."""
    failed = attempt(one_task(raises(signal(kwargs))))

    assert isinstance(failed.report, Failed)
    assert f"TypeError: kwargs of {what} have to be a dict with texts as keys" in str(failed.report.reason)


class Unpaired(DateTimeTrigger):
    """Does not say what it gets."""

    def serialize(self) -> Any:
        return "x.Unpaired"


class Unnamed(DateTimeTrigger):
    """Has arguments without names."""

    def serialize(self) -> Any:
        return "x.Unnamed", [1]


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"trigger": None}, "trigger of defer() has to be a trigger, not None"),
        ({"trigger": "abc"}, "trigger of defer() has to be a trigger, not 'abc'"),
        ({"trigger": DateTimeTrigger}, "trigger of defer() has to be a trigger, not <class"),
        ({"timeout": "5"}, "timeout has to be a timedelta or a number of seconds, not '5'"),
        ({"timeout": float("nan")}, "timeout has to be a timedelta or a number of seconds, not nan"),
        ({"timeout": 1e300}, "timeout has to be a timedelta or a number of seconds, not 1e+300"),
        ({"method_name": None}, "method_name has to be the name of a method, not None"),
        ({"trigger": Unpaired(SOON)}, "serialize() of Unpaired has to return the path of a class and a dict of its"),
        ({"trigger": Unnamed(SOON)}, "the arguments that serialize() of Unnamed returns have to be a dict with texts"),
    ],
)
def test_a_deferral_that_makes_no_sense_names_what_is_wrong(given: dict[str, Any], problem: str) -> None:
    signal = TaskDeferred(**{"trigger": DateTimeTrigger(SOON), "method_name": "go_on", **given})

    failed = attempt(one_task(raises(signal)))

    assert isinstance(failed.report, Failed)
    assert str(failed.report.reason).startswith(f"TypeError: {problem}")


def test_another_map_index_cannot_be_skipped() -> None:
    failed = attempt(one_task(raises(DownstreamTasksSkipped(tasks=[("b", 3)]))))

    assert isinstance(failed.report, Failed)
    assert "cannot skip map index 3 of task 'b'" in str(failed.report.reason)


class GoesOn(Calls):
    """Was deferred before."""

    def go_on(self, context: Any, event: Any, seen: tuple[int, ...]) -> Any:
        return [context["ti"].task_id, event, seen]


def test_a_task_goes_on_where_its_deferral_said() -> None:
    with DAG("d", schedule=None) as dag:
        GoesOn(task_id="t", call=raises(AssertionError("it must not begin again")))
    stored = {"seen": {"__classname__": "builtins.tuple", "__version__": 1, "__data__": [1]}, "event": "now"}

    resumed = attempt(dag, next_method="go_on", next_kwargs=stored)

    assert isinstance(resumed.report, Succeeded)
    assert resumed.xcoms["return_value"][:2] == ["t", "now"]


class TakesLong(Calls):
    """Was deferred before, and has much left to do."""

    def go_on(self, context: Any) -> None:
        signal.pause()  # until the alarm


def test_the_time_that_a_task_waited_counts_for_its_execution_timeout() -> None:
    """E1: its try began long ago, so nothing is left of the hour."""
    with DAG("d", schedule=None) as dag:
        TakesLong(task_id="t", call=raises(AssertionError("it must not begin again")), execution_timeout=60 * MINUTE)

    failed = attempt(dag, next_method="go_on", next_kwargs={})

    assert isinstance(failed.report, Failed)
    assert str(failed.report.reason) == (
        "AirflowTaskTimeout: the task ran for longer than its execution_timeout of 3600 s"
    )


@pytest.mark.parametrize(
    ("error", "reason"),
    [("Trigger timeout", "TaskDeferralTimeout: Trigger timeout"), ("broken", "TaskDeferralError: broken")],
)
def test_a_trigger_that_failed_fails_its_task(error: str, reason: str) -> None:
    failed = attempt(one_task(), next_method="__fail__", next_kwargs={"error": error})

    assert failed.report == Failed(ATTEMPT, NOON, NOON, reason)
