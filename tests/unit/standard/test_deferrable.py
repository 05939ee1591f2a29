"""Which of the standard set can wait without a worker, and who says that they do (A4, E2)."""

import inspect
import os
import pkgutil
import subprocess
import sys
from importlib import import_module

from tradewind.sdk import standard
from tradewind.sdk.sensor import BaseSensorOperator

_PRINT = """
from airflow.providers.standard.operators.trigger_dagrun import TriggerDagRunOperator
from airflow.providers.standard.sensors.bash import BashSensor
from airflow.providers.standard.sensors.weekday import DayOfWeekSensor
from airflow.sdk import DAG, task

@task.sensor
def looks():
    return True

with DAG("d", schedule=None):
    print(
        BashSensor(task_id="a", bash_command="true").deferrable,
        DayOfWeekSensor(task_id="b", week_day="Monday").deferrable,
        TriggerDagRunOperator(task_id="c", trigger_dag_id="d").deferrable,
        looks().operator.deferrable,
    )
"""


def sensors() -> dict[str, type[BaseSensorOperator]]:
    """All of the standard set, by name."""
    modules = [import_module(f"{standard.__name__}.{each.name}") for each in pkgutil.iter_modules(standard.__path__)]
    return {
        name: value
        for module in modules
        for name, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, BaseSensorOperator) and not name.startswith("_")
    }


def test_every_sensor_can_wait_without_a_worker() -> None:
    """E2: and by default none does."""
    found = sensors()
    del found["BaseSensorOperator"]

    known = {name: _default_of(sensor) for name, sensor in found.items()}

    assert {"BashSensor", "PythonSensor", "DayOfWeekSensor", "FileSensor", "HttpSensor", "S3KeySensor"} <= known.keys()
    assert {name: default for name, default in known.items() if default is not False and "Async" not in name} == {}


def test_the_configuration_may_make_it_the_default() -> None:
    """A4, E2: in Airflow's form as well."""
    for prefix in ("AIRFLOW", "TRADEWIND"):
        environ = {**os.environ, f"{prefix}__OPERATORS__DEFAULT_DEFERRABLE": "True"}
        done = subprocess.run([sys.executable, "-c", _PRINT], env=environ, capture_output=True, text=True, check=False)
        assert (done.stdout.split(), done.stderr) == (["True"] * 4, "")


def _default_of(sensor: type[BaseSensorOperator]) -> object:
    """What `deferrable` is by default, in the class or in one that it is made from."""
    for cls in sensor.__mro__:
        parameter = inspect.signature(vars(cls).get("__init__", object)).parameters.get("deferrable")
        if parameter is not None:
            return parameter.default
    return None
