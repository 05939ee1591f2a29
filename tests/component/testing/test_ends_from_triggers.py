"""Tasks that begin or end with their triggers, in a test: as if in a worker (D4, E3, E4)."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from tests.instants import utc
from tradewind.sdk import DAG, Asset, BaseOperator, task
from tradewind.sdk.standard.date_time_sensor import DateTimeSensorAsync
from tradewind.sdk.triggers import (
    BaseTrigger,
    StartTriggerArgs,
    TaskFailedEvent,
    TaskSkippedEvent,
    TaskSuccessEvent,
    TriggerEvent,
)
from tradewind.testing import run_dag

NOW = utc("2026-03-02 12:00")
EVENTS = {"success": TaskSuccessEvent, "failed": TaskFailedEvent, "skipped": TaskSkippedEvent}


class Saying(BaseTrigger):
    """Says how its task ended."""

    def __init__(self, words: Any, end: str = "success") -> None:
        super().__init__()
        self.words = words
        self.end = end

    def serialize(self) -> tuple[str, dict[str, Any]]:
        return f"{__name__}.Saying", {"words": self.words, "end": self.end}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        yield EVENTS[self.end](xcoms={"return_value": self.words, "other": 1})


class Says(BaseOperator):
    """Begins with that trigger."""

    template_fields = ("words",)
    start_from_trigger = True
    start_trigger_args = StartTriggerArgs(trigger_cls=f"{__name__}.Saying", next_method="never")

    def __init__(self, words: Any, end: str = "success", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.words = words
        self.start_trigger_args = replace(self.start_trigger_args, trigger_kwargs={"words": words, "end": end})


def test_a_sensor_that_begins_and_ends_with_its_trigger_waits_without_time() -> None:
    with DAG("d", schedule=None) as dag:
        DateTimeSensorAsync(
            task_id="wait",
            target_time="{{ dag_run.run_after + macros.timedelta(hours=3) }}",
            start_from_trigger=True,
            end_from_trigger=True,
        )

    result = run_dag(dag, now=NOW).check()

    assert result["wait"].duration == pytest.approx(timedelta(hours=3), abs=timedelta(seconds=5))


def test_what_it_returns_is_there_for_those_that_are_mapped_over_it() -> None:
    with DAG("d", schedule=None) as dag:

        @task
        def double(number: int) -> int:
            return number * 2

        double.expand(number=Says(task_id="says", words=[1, 2, 3]).output)

    result = run_dag(dag, now=NOW).check()

    assert [each.value for each in result.mapped("double")] == [2, 4, 6]
    assert (result["says"].value, result["says"].xcoms["other"]) == ([1, 2, 3], 1)


def test_it_fails_with_what_nobody_can_be_mapped_over() -> None:
    with DAG("d", schedule=None) as dag:

        @task
        def double(number: int) -> int:
            return number * 2

        double.expand(number=Says(task_id="says", words=7).output)

    result = run_dag(dag, now=NOW)

    assert (result["says"].state, result["double"].state) == ("failed", "upstream_failed")
    assert "UnmappableXComTypePushed" in str(result["says"].reason)


@pytest.mark.parametrize(
    ("end", "retries", "called"),
    [
        ("success", 0, ["success"]),
        ("skipped", 0, ["skipped"]),
        ("failed", 0, ["failure"]),
        ("failed", 1, ["retry", "failure"]),
    ],
)
def test_its_callbacks_are_called_and_its_outlets_updated(end: str, retries: int, called: list[str]) -> None:
    heard: list[str] = []
    told = {
        f"on_{event}_callback": (lambda context, event=event: heard.append(event))
        for event in ("success", "skipped", "failure", "retry")
    }
    with DAG("d", schedule=None) as dag:
        Says(
            task_id="says",
            words="{{ run_id }}",
            end=end,
            retries=retries,
            retry_delay=timedelta(seconds=1),
            outlets=[Asset("said")],
            **told,
        )

    result = run_dag(dag, now=NOW)

    assert heard == called
    assert result["says"].state == end
    assert [each.source_task_id for each in result.outlet_events] == (["says"] if end == "success" else [])
