"""Tasks that wait: no real time passes, and what others do meanwhile is seen (D2 D4)."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.instants import utc
from tradewind.model.task_answers import HITLDetailRequest
from tradewind.sdk import DAG, BaseSensorOperator, PokeReturnValue, task
from tradewind.sdk.async_operator import BaseAsyncOperator
from tradewind.sdk.custom_timetable import DataInterval, Timetable
from tradewind.sdk.operator import BaseOperator
from tradewind.sdk.standard.date_time_sensor import DateTimeSensor, DateTimeSensorAsync
from tradewind.sdk.standard.empty import EmptyOperator
from tradewind.sdk.standard.external_task import ExternalTaskSensor
from tradewind.sdk.standard.hitl import ApprovalOperator, HITLOperator
from tradewind.sdk.standard.python import PythonOperator
from tradewind.sdk.standard.time_delta_sensor import TimeDeltaSensor
from tradewind.sdk.standard.trigger_dagrun import TriggerDagRunOperator
from tradewind.sdk.triggers import BaseTrigger, TaskFailedEvent, TaskSkippedEvent, TaskSuccessEvent, TriggerEvent
from tradewind.testing import run_dag
from tradewind.testing.stuck import RunStuck

HOUR = timedelta(hours=1)
NOW = utc("2026-03-02 12:00")


def new_dag(dag_id: str = "d", **arguments: Any) -> DAG:
    return DAG(dag_id, schedule=None, **arguments)


# --- sensors --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["poke", "reschedule"])
def test_a_sensor_sees_what_another_task_does_meanwhile(mode: str) -> None:
    """Also one that holds its worker: the other task has a worker of its own."""
    files: list[str] = []
    with new_dag() as dag:

        @task
        def write() -> None:
            time.sleep(600)  # noqa: TID251 - what authors do
            files.append("data")

        @task.sensor(mode=mode, poke_interval=60, timeout=3600)  # type: ignore[untyped-decorator]
        def wait() -> PokeReturnValue:
            return PokeReturnValue(bool(files), xcom_value=len(files))

        wait()
        write()

    result = run_dag(dag, now=NOW).check()

    assert result["wait"].value == 1
    assert timedelta(seconds=600) <= result["wait"].duration <= timedelta(seconds=660)
    assert len(result["wait"].attempts) == (1 if mode == "poke" else 11)
    assert result["wait"].try_number == 1


@pytest.mark.parametrize("mode", ["poke", "reschedule"])
@pytest.mark.parametrize(("soft_fail", "state"), [(False, "failed"), (True, "skipped")])
def test_a_sensor_gives_up_after_its_timeout(mode: str, soft_fail: bool, state: str) -> None:
    with new_dag() as dag:

        @task.sensor(mode=mode, poke_interval=60, timeout=300, soft_fail=soft_fail, retries=2)  # type: ignore[untyped-decorator]
        def wait() -> bool:
            return False

        wait()

    result = run_dag(dag, now=NOW)

    assert result.states == {"wait": state}
    assert result["wait"].try_number == 1
    assert timedelta(seconds=300) < result["wait"].duration <= timedelta(seconds=361)


def test_two_sensors_that_hold_their_workers_wait_for_each_other() -> None:
    looks: list[str] = []
    with new_dag() as dag:

        @task.sensor(mode="poke", poke_interval=60)  # type: ignore[untyped-decorator]
        def first() -> bool:
            looks.append("first")
            return looks.count("second") >= 3

        @task.sensor(mode="poke", poke_interval=45)  # type: ignore[untyped-decorator]
        def second() -> bool:
            looks.append("second")
            return looks.count("first") >= 2

        first()
        second()

    assert run_dag(dag).check().duration == timedelta(seconds=120)
    assert looks == ["first", "second", "second", "first", "second", "first"]


def test_a_week_of_looking_takes_seconds() -> None:
    with new_dag() as dag:

        @task.sensor(mode="poke", poke_interval=60)  # type: ignore[untyped-decorator]
        def never() -> bool:
            return False

        never()

    result = run_dag(dag, now=NOW)

    assert result.states == {"never": "failed"}
    assert result.duration > timedelta(days=7)


def test_sensors_of_time_follow_the_clock_of_the_test() -> None:
    with new_dag() as dag:
        DateTimeSensor(task_id="moment", target_time=NOW + HOUR)
        DateTimeSensorAsync(task_id="deferred", target_time=NOW + 2 * HOUR)
        TimeDeltaSensor(task_id="delta", delta=3 * HOUR)

    result = run_dag(dag, now=NOW, logical_date=NOW).check()

    assert HOUR <= result["moment"].duration <= HOUR + timedelta(minutes=2)
    assert result["deferred"].duration == 2 * HOUR
    assert 3 * HOUR <= result["delta"].duration <= 3 * HOUR + timedelta(minutes=2)


def test_a_run_can_be_looked_at_before_it_ends() -> None:
    with new_dag() as dag:

        @task.sensor(mode="poke", poke_interval=60)  # type: ignore[untyped-decorator]
        def never() -> bool:
            return False

        never() >> EmptyOperator(task_id="behind")

    threads = threading.active_count()
    result = run_dag(dag, now=NOW, until=timedelta(minutes=10))

    assert result.state == "running"
    assert result.states == {"never": "running", "behind": None}
    assert threading.active_count() == threads


# --- triggers -------------------------------------------------------------------------------------------------------


class Fires(BaseTrigger):
    """Waits, then does as it is told."""

    def __init__(self, after_s: float, how: str = "event") -> None:
        super().__init__()
        self.after_s = after_s
        self.how = how

    def serialize(self) -> tuple[str, dict[str, Any]]:
        return f"{__name__}.Fires", {"after_s": self.after_s, "how": self.how}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        await asyncio.sleep(self.after_s)
        match self.how:
            case "raise":
                raise ValueError("the trigger is broken")
            case "end":
                return
            case "success":
                yield TaskSuccessEvent(xcoms={"return_value": "from the trigger"})
            case "failed":
                yield TaskFailedEvent()
            case "skipped":
                yield TaskSkippedEvent()
            case _:
                yield TriggerEvent({"waited": self.after_s, "task": self.task_instance.task_id})


class Defers(BaseOperator):
    """Waits for a trigger."""

    def __init__(self, *, after_s: float = 60, how: str = "event", limit_s: float | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.after_s, self.how, self.limit_s = after_s, how, limit_s

    def execute(self, context: Any) -> None:
        context["ti"].xcom_push("before", "still there")
        self.defer(
            trigger=Fires(self.after_s, self.how), method_name="go_on", kwargs={"more": [1]}, timeout=self.limit_s
        )

    def go_on(self, context: Any, event: dict[str, Any], more: list[int]) -> Any:
        return {**event, "more": more, "before": context["ti"].xcom_pull(key="before")}


def test_a_deferred_task_goes_on_when_its_trigger_fires() -> None:
    with new_dag() as dag:
        Defers(task_id="long", after_s=7200)
        Defers(task_id="short", after_s=30)

    result = run_dag(dag, now=NOW).check()

    assert result["long"].value == {"waited": 7200, "task": "long", "more": [1], "before": "still there"}
    assert (result["short"].duration, result["long"].duration) == (timedelta(seconds=30), 2 * HOUR)
    assert [attempt.try_number for attempt in result["long"].attempts] == [1, 1]


@pytest.mark.parametrize(
    ("arguments", "state", "reason"),
    [
        ({"how": "raise"}, "failed", "TaskDeferralError: Trigger failure"),
        ({"how": "end"}, "failed", "TaskDeferralError: Trigger failure"),
        ({"limit_s": 10}, "failed", "TaskDeferralTimeout: Trigger timeout"),
        ({"how": "failed"}, "failed", "its trigger said so"),
        ({"how": "skipped"}, "skipped", "its trigger said so"),
        ({"how": "success"}, "success", None),
    ],
)
def test_triggers_end_in_many_ways(arguments: dict[str, Any], state: str, reason: str | None) -> None:
    with new_dag() as dag:
        Defers(task_id="wait", **arguments)

    result = run_dag(dag, now=NOW)

    assert (result["wait"].state, result["wait"].reason) == (state, reason)
    assert result["wait"].duration == timedelta(seconds=10 if "limit_s" in arguments else 60)
    if state == "success":
        assert result["wait"].value == "from the trigger"


def test_a_deferral_that_failed_is_tried_again_from_the_start() -> None:
    with new_dag() as dag:
        Defers(task_id="wait", how="raise", retries=1, retry_delay=timedelta(minutes=5))

    result = run_dag(dag, now=NOW)

    assert [attempt.try_number for attempt in result["wait"].attempts] == [1, 1, 2, 2]
    assert "the trigger is broken" in result["wait"].log


def test_a_coroutine_waits_without_time_too() -> None:
    class Waits(BaseAsyncOperator):
        async def aexecute(self, context: Any) -> str:
            await asyncio.gather(asyncio.sleep(3600), asyncio.sleep(60))
            await context["task_state_store"].aset("seen", 1)
            return await asyncio.to_thread(lambda: "from a thread")

    with new_dag() as dag:
        Waits(task_id="wait")
        Waits(task_id="late", execution_timeout=timedelta(minutes=30))

    result = run_dag(dag, now=NOW)

    assert (result["wait"].value, result["wait"].duration) == ("from a thread", HOUR)
    assert result["late"].duration == timedelta(minutes=30)
    assert "AirflowTaskTimeout" in str(result["late"].reason)


# --- other DAGs -----------------------------------------------------------------------------------------------------


def other_dag(*, fails: bool = False) -> DAG:
    with new_dag("other") as dag:

        @task
        def work(dag_run: Any = None) -> Any:
            time.sleep(100)  # noqa: TID251 - what authors do
            if fails:
                raise ValueError
            return dag_run.conf

        work()
    return dag


@pytest.mark.parametrize("deferrable", [True, False])
@pytest.mark.parametrize("fails", [True, False])
def test_a_task_starts_a_run_of_another_dag_and_waits_for_it(deferrable: bool, fails: bool) -> None:
    with new_dag() as dag:
        TriggerDagRunOperator(
            task_id="start",
            trigger_dag_id="other",
            conf={"n": 1},
            wait_for_completion=True,
            poke_interval=60,
            deferrable=deferrable,
        )

    result = run_dag(dag, other_dags=[other_dag(fails=fails)], now=NOW)

    (other,) = result.others
    assert (other.dag_id, other.run.run_type.value) == ("other", "operator_triggered")
    assert result.states == {"start": "failed" if fails else "success"}
    assert other["work"].value == (None if fails else {"n": 1})
    assert result["start"].duration == timedelta(seconds=120)


def test_a_run_that_nobody_waits_for_is_brought_to_its_end() -> None:
    with new_dag() as dag:
        TriggerDagRunOperator(task_id="start", trigger_dag_id="other")

    result = run_dag(dag, other_dags=[other_dag()], now=NOW).check()

    assert [other.state for other in result.others] == ["success"]


def test_a_dag_that_is_not_in_the_test_is_named() -> None:
    with new_dag() as dag:
        TriggerDagRunOperator(task_id="start", trigger_dag_id="nowhere")

    result = run_dag(dag)

    assert "there is no DAG 'nowhere' in this test: give it to run_dag as one of other_dags" in str(
        result["start"].reason
    )


@pytest.mark.parametrize("mode", ["poke", "reschedule"])
def test_a_sensor_waits_for_a_task_of_another_dag(mode: str) -> None:
    with new_dag() as dag:
        start = TriggerDagRunOperator(task_id="start", trigger_dag_id="other", logical_date="{{ ts }}")
        start >> ExternalTaskSensor(
            task_id="wait", external_dag_id="other", external_task_id="work", mode=mode, poke_interval=60
        )

    result = run_dag(dag, other_dags=[other_dag()], now=NOW).check()

    assert result["wait"].duration == timedelta(seconds=120)


class DayBefore(Timetable):
    """About the whole day before the run."""

    def infer_manual_data_interval(self, *, run_after: datetime) -> DataInterval:
        end = run_after.replace(hour=0, minute=0)
        return DataInterval(end - timedelta(days=1), end)

    def next_dagrun_info(self, **_: Any) -> None:
        return None


def test_a_timetable_of_the_authors_own_says_what_runs_are_about() -> None:
    """C1: of the run that the test asks for, and of one that a task asks for."""
    with DAG("d", schedule=DayBefore()) as dag:
        TriggerDagRunOperator(task_id="start", trigger_dag_id="other", logical_date="{{ data_interval_start }}")
    with DAG("other", schedule=DayBefore()) as other:
        EmptyOperator(task_id="work")

    result = run_dag(dag, other_dags=[other], now=NOW).check()

    (started,) = result.others
    intervals = [
        run.data_interval and (run.data_interval.start, run.data_interval.end) for run in (result.run, started.run)
    ]
    assert started.state == "success"
    assert intervals == [(utc("2026-03-01"), utc("2026-03-02")), (utc("2026-02-28"), utc("2026-03-01"))]


# --- people ---------------------------------------------------------------------------------------------------------


def test_the_test_answers_for_people() -> None:
    asked: list[str] = []

    def decide(question: HITLDetailRequest) -> str:
        asked.append(question.subject)
        return "Reject"

    with new_dag() as dag:
        ApprovalOperator(task_id="good", subject="{{ ds }} fine?") >> EmptyOperator(task_id="published")
        ApprovalOperator(task_id="bad", subject="really?") >> EmptyOperator(task_id="dropped")

    result = run_dag(dag, now=NOW, answers={"good": "Approve", "bad": decide}).check()

    assert result.states == {"good": "success", "published": "success", "bad": "success", "dropped": "skipped"}
    assert asked == ["really?"]
    assert result["good"].value["chosen_options"] == ["Approve"]


def test_without_an_answer_the_default_counts_once_the_time_is_over() -> None:
    with new_dag() as dag:
        HITLOperator(task_id="ask", subject="?", options=["a", "b"], defaults="b", response_timeout=HOUR)
        HITLOperator(task_id="insist", subject="?", options=["a", "b"], response_timeout=HOUR)

    result = run_dag(dag, now=NOW)

    assert result["ask"].value["chosen_options"] == ["b"]
    assert result["insist"].state == "failed"
    assert HOUR <= result["ask"].duration <= HOUR + timedelta(seconds=10)


def test_a_question_that_nobody_answers_is_told() -> None:
    with new_dag() as dag:
        ApprovalOperator(task_id="ask", subject="?")

    with pytest.raises(RunStuck, match=r"d\.ask is awaiting_input: .*answers=\{'ask': 'Approve'\}"):
        run_dag(dag)


def test_a_task_that_can_never_run_is_told() -> None:
    with new_dag() as dag:
        PythonOperator(task_id="big", python_callable=lambda: None, pool="small", pool_slots=3)

    with pytest.raises(RunStuck, match=r"d\.big is scheduled: .*small"):
        run_dag(dag, pools={"small": 2})


class Pokes(BaseSensorOperator):
    """Fails when it looks, until it is tried again."""

    def poke(self, context: Any) -> bool:
        if context["ti"].try_number == 1:
            raise ValueError("broken look")
        return True


def test_a_sensor_that_fails_is_retried_like_any_task() -> None:
    with new_dag() as dag:
        Pokes(task_id="wait", mode="reschedule", retries=1)

    assert run_dag(dag).check()["wait"].try_number == 2
