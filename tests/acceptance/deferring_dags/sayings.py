"""A trigger that says how its task ended, and an operator that begins with it."""

from dataclasses import replace

from airflow.sdk import BaseOperator
from airflow.triggers.base import (
    BaseTrigger,
    StartTriggerArgs,
    TaskFailedEvent,
    TaskSkippedEvent,
    TaskSuccessEvent,
    TriggerEvent,
)

EVENTS = {"success": TaskSuccessEvent, "failed": TaskFailedEvent, "skipped": TaskSkippedEvent}


class Saying(BaseTrigger):
    """Says so at once."""

    def __init__(self, words, end="success"):
        super().__init__()
        self.words = words
        self.end = end

    def serialize(self):
        return "sayings.Saying", {"words": self.words, "end": self.end}

    async def run(self):
        self.log.info("it says %s", self.words)
        if self.end == "event":
            yield TriggerEvent(self.words)
        else:
            yield EVENTS[self.end](xcoms={"return_value": self.words})


class Says(BaseOperator):
    """Begins with that trigger, and ends with it unless it is to go on."""

    template_fields = ("words",)
    start_from_trigger = True
    start_trigger_args = StartTriggerArgs(
        trigger_cls="sayings.Saying", next_method="went_on", next_kwargs={"kept": "it"}
    )

    def __init__(self, words, end="success", **kwargs):
        super().__init__(**kwargs)
        self.words = words
        self.start_trigger_args = replace(self.start_trigger_args, trigger_kwargs={"words": words, "end": end})

    def execute(self, context):
        raise AssertionError("it begins with its trigger")

    def went_on(self, context, event, kept):
        return [event, kept]


class Perhaps(Says):
    """Begins with a trigger if its words are to be said."""

    def expand_start_trigger_args(self, *, context):
        return None if context["ti"].map_index == 0 else self.start_trigger_args

    def execute(self, context):
        return f"a worker said {self.words}"
