"""What tasks leave for one another."""

import dataclasses
import decimal
import uuid
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import attrs
import numpy as np
import pandas as pd
import pendulum
import pydantic
from airflow.sdk import DAG, get_current_context, task


@dataclasses.dataclass
class Ship:
    name: str
    built: date


@attrs.define
class Crew:
    size: int


class Cargo(pydantic.BaseModel):
    weight: float
    items: list[str]


class Flag:
    """Serializes itself."""

    def __init__(self, color):
        self.color = color

    def __eq__(self, other):
        return self.color == other.color

    __hash__ = None

    def serialize(self):
        return {"color": self.color}

    @staticmethod
    def deserialize(data, version):
        return Flag(data["color"])


VALUES = {
    "moment": datetime(2026, 3, 29, 2, 30, tzinfo=ZoneInfo("Europe/Berlin")),
    "pendulum": pendulum.datetime(2026, 1, 1, tz="Asia/Tokyo"),
    "utc": datetime(2026, 1, 1, 0, 0, 0, 123456, tzinfo=UTC),
    "date": date(2026, 1, 1),
    "time": [time(1, 2, 3)],
    "duration": timedelta(days=1, microseconds=5),
    "decimal": decimal.Decimal("1.10"),
    "uuid": uuid.UUID(int=7),
    "tuple": (1, (2, "3")),
    "set": {1, 2},
    "text": "ü€😀",
    "large": 2**80,
    "dataclass": Ship("Ada", date(2020, 2, 2)),
    "attrs": Crew(5),
    "pydantic": Cargo(weight=1.5, items=["tea"]),
    "custom": Flag("red"),
    "number": np.float64(0.1),
    "int": np.int64(3),
    "zone": ZoneInfo("Europe/Paris"),
}

with DAG("passing", schedule=None):

    def same(given, name: str) -> list:
        """Whether it came as it was sent, and of which type it is."""
        return [bool(given == VALUES[name]), type(given).__name__]

    for each in VALUES:
        sent = task(task_id=f"send_{each}")(lambda name: VALUES[name])(each)
        task(task_id=f"take_{each}")(same)(sent, each)

    @task
    def frame() -> pd.DataFrame:
        return pd.DataFrame({"a": [1, 2], "b": ["x", None]})

    @task
    def array() -> np.ndarray:
        return np.arange(6).reshape(2, 3)

    @task
    def sums(frame: pd.DataFrame, array: np.ndarray) -> list:
        return [int(frame["a"].sum()), frame["b"].tolist()[0], int(array.sum()), list(array.shape)]

    sums(frame(), array())

    @task(multiple_outputs=True)
    def several() -> dict:
        return {"one": 1, "two": [2]}

    @task
    def by_key(one, two, whole) -> list:
        return [one, two, whole]

    outputs = several()
    by_key(outputs["one"], outputs["two"], outputs)

    @task
    def squares(number: int) -> int:
        return number**2

    @task
    def goes_through(values) -> dict:
        return {
            "type": type(values).__name__,
            "len": len(values),
            "at": [values[0], values[-1]],
            "slice": list(values[2:5]),
            "back": list(values[::-1])[:2],
            "sum": sum(values),
            "has": 9 in values,
            "list": list(values)[:3],
        }

    @task
    def pulls(ti=None) -> dict:
        ti.xcom_push("mine", {"a": 1})
        return {
            "own": ti.xcom_pull(key="mine"),
            "mapped": list(ti.xcom_pull(task_ids="squares"))[:3],
            "one": ti.xcom_pull(task_ids="squares", map_indexes=4),
            "some": list(ti.xcom_pull(task_ids="squares", map_indexes=[1, 3])),
            "two": ti.xcom_pull(task_ids=["several", "nothing"], key="one"),
            "missing": ti.xcom_pull(task_ids="nothing", default="none"),
            "current": get_current_context()["ti"].task_id,
        }

    squared = squares.expand(number=list(range(10)))
    goes_through(squared)
    [squared, outputs] >> pulls()

with DAG("earlier", schedule=None):

    @task
    def leaves(dag_run=None):
        return dag_run.run_id if dag_run.conf.get("leaves") else None

    @task
    def looks(ti=None) -> list:
        return [ti.xcom_pull(task_ids="leaves"), ti.xcom_pull(task_ids="leaves", include_prior_dates=True)]

    leaves() >> looks()

with DAG("remembering", schedule=None):

    @task(retries=2, retry_delay=timedelta(0))
    def counts(task_state_store=None, ti=None) -> list:
        seen = task_state_store.get("seen", [])
        task_state_store.set("seen", [*seen, ti.try_number])
        if ti.try_number < 3:
            raise RuntimeError("again")
        before = task_state_store.get("seen")
        task_state_store.delete("seen")
        return [before, task_state_store.get("seen", "gone")]

    counts()

with DAG("large_values", schedule=None):

    @task
    def makes_much() -> str:
        return "x" * 5000

    @task
    def makes_little() -> str:
        return "y"

    @task
    def measures(much: str, little: str) -> list:
        return [len(much), little]

    measures(makes_much(), makes_little())
