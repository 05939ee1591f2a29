"""Tasks that wait in a triggerer."""

import asyncio
import os
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from airflow.sdk import DAG, BaseOperator, Connection, Variable, task
from airflow.sdk.exceptions import TaskDeferred
from airflow.sdk.execution_time.task_runner import RuntimeTaskInstance
from airflow.sdk.execution_time.xcom import XCom
from airflow.triggers.base import BaseTrigger, TaskSuccessEvent, TriggerEvent
from bells import Bell

FOLDER = os.environ["ACCEPTANCE_FOLDER"]


class Inline(BaseTrigger):
    """Lives in the DAG file itself, asks for a variable, and fires at once."""

    def __init__(self, number):
        super().__init__()
        self.number = number

    def serialize(self):
        return f"{__name__}.Inline", {"number": self.number}

    async def run(self):
        yield TriggerEvent([self.number, Variable.get("color", default="none")])


class Broken(BaseTrigger):
    """Raises."""

    def serialize(self):
        return f"{__name__}.Broken", {}

    async def run(self):
        await asyncio.sleep(0)
        raise ValueError("the bell is cracked")
        yield


class Silent(Broken):
    """Ends without an event."""

    def serialize(self):
        return f"{__name__}.Silent", {}

    async def run(self):
        return
        yield


class Blocking(Broken):
    """Never lets others run."""

    def serialize(self):
        return f"{__name__}.Blocking", {}

    async def run(self):
        time.sleep(1000)  # noqa: ASYNC251 - that is the point
        yield TriggerEvent("late")


class Ending(Broken):
    """Ends its task."""

    def serialize(self):
        return f"{__name__}.Ending", {}

    async def run(self):
        yield TaskSuccessEvent(xcoms={"return_value": "ended"})


class Asks(Broken):
    """Asks for all that triggers may, and looks for what they must not see."""

    def serialize(self):
        return f"{__name__}.Asks", {}

    async def run(self):
        ti = self.task_instance
        own = {"dag_id": ti.dag_id, "run_id": ti.run_id}
        states = RuntimeTaskInstance.get_task_states(ti.dag_id, task_ids=["first"], run_ids=[ti.run_id])
        yield TriggerEvent(
            {
                "variable": Variable.get("stored"),
                "password": Connection.get("tower").password,
                "xcom": XCom.get_one(key="return_value", task_id="first", **own),
                "state": states[ti.run_id]["first"],
                "run": RuntimeTaskInstance.get_dagrun_state(**own),
                "secrets": [name for name in os.environ if name.endswith(("SQL_ALCHEMY_CONN", "FERNET_KEY"))],
            }
        )


class Held(Broken):
    """Is given what cannot leave the process."""

    def serialize(self):
        return f"{__name__}.Held", {"lock": threading.Lock()}


class Waits(BaseOperator):
    """Waits for the bell of its name."""

    def __init__(self, bell=None, timeout=None, trigger=None, **kwargs):
        super().__init__(**kwargs)
        self.bell = bell
        self.timeout = timeout
        self.trigger = trigger

    def execute(self, context):
        path = f"{FOLDER}/{context['run_id']}.{self.bell}"
        context["task_state_store"].set("seen", 1)
        trigger = self.trigger or Bell(path, words="to whom")
        self.defer(trigger=trigger, method_name="go_on", kwargs={"kept": 1}, timeout=self.timeout)

    def go_on(self, context, event=None, kept=None):
        return {"event": event, "kept": kept, "pid": os.getpid()}


class ManyTimes(BaseOperator):
    """Defers three times in one try."""

    def execute(self, context):
        self.defer(trigger=Inline(1), method_name="again", kwargs={"seen": []})

    def again(self, context, event, seen):
        seen = [*seen, event]
        if len(seen) < 3:
            self.defer(trigger=Inline(len(seen) + 1), method_name="again", kwargs={"seen": seen})
        return seen


def told(context):
    Path(f"{FOLDER}/failures.{context['ti'].task_id}").write_text(type(context["exception"]).__name__)


with DAG("bell", schedule=None, start_date=datetime(2026, 1, 1, tzinfo=UTC)):
    Waits(task_id="waits", bell="bell")

with DAG("blocking", schedule=None, start_date=datetime(2026, 1, 1, tzinfo=UTC)):
    Waits(task_id="blocks", trigger=Blocking())

with DAG("asking", schedule=None, start_date=datetime(2026, 1, 1, tzinfo=UTC)):

    @task
    def first():
        return "from a task"

    first() >> Waits(task_id="asks", trigger=Asks())

with DAG("deferrals", schedule=None, start_date=datetime(2026, 1, 1, tzinfo=UTC)):
    ManyTimes(task_id="many_times")
    Waits(task_id="ends", trigger=Ending())
    Waits(task_id="breaks", trigger=Broken(), on_failure_callback=told)
    Waits(task_id="says_nothing", trigger=Silent())
    Waits(task_id="unknown", bell="never", trigger=None, timeout=timedelta(seconds=0.4), on_failure_callback=told)
    Waits(task_id="too_long", bell="never", execution_timeout=timedelta(seconds=0.5))

    Waits(task_id="is_held", trigger=Held())

    @task
    def then():
        raise TaskDeferred(trigger=Ending(), method_name="execute")

    then()
