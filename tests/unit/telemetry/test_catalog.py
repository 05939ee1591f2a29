"""No metric of Airflow 3.3 is forgotten: each is told here, or it is said why not (B8)."""

import re
from pathlib import Path

import pytest

from tradewind.telemetry import catalog, engine_metrics, scheduler_metrics, service_metrics, task_metrics
from tradewind.telemetry.absent import ABSENT
from tradewind.telemetry.catalog import METRICS
from tradewind.telemetry.metric import Metric

LINES = (Path(__file__).parent / "airflow_metrics.txt").read_text(encoding="utf-8").splitlines()
AIRFLOW = {name: (kind, legacy or None) for name, kind, legacy in (f"{line} |  | ".split(" | ")[:3] for line in LINES)}
"""Name, kind, and the name for receivers without tags."""
JOBS = re.compile(r"^[a-z]+job(?=_(start|end|heartbeat_failure)$)")


def of_airflow(name: str) -> str:
    """The name in Airflow's list of a metric of ours."""
    return JOBS.sub("{job_name}", name)


def test_each_metric_of_airflow_is_told_or_it_is_said_why_not() -> None:
    told = {of_airflow(name) for name, metric in METRICS.items() if not metric.is_own}

    assert len(AIRFLOW) == 128
    assert told | ABSENT.keys() == AIRFLOW.keys()
    assert told & ABSENT.keys() == set()


@pytest.mark.parametrize("metric", [each for each in METRICS.values() if not each.is_own], ids=lambda each: each.name)
def test_metrics_have_the_kind_and_the_old_name_that_airflow_gives_them(metric: Metric) -> None:
    kind, legacy = AIRFLOW[of_airflow(metric.name)]

    assert metric.kind == kind
    # Its job id grows without end: Airflow itself keeps it out of tags.
    assert metric.legacy_name == (None if metric.name == "local_task_job.task_exit" else legacy)
    assert set(re.findall(r"{(\w+)}", metric.legacy_name or "")) <= set(metric.tags)


def test_own_metrics_do_not_take_a_name_of_airflow() -> None:
    assert {name for name, metric in METRICS.items() if metric.is_own} & AIRFLOW.keys() == set()


def test_each_metric_is_told_somewhere() -> None:
    """A constant of the catalog that no handler names would be a curve that nobody ever sees."""
    modules = (task_metrics, scheduler_metrics, service_metrics, engine_metrics)
    source = "".join(Path(str(module.__file__)).read_text(encoding="utf-8") for module in modules)
    constants = [name for name in vars(catalog) if name.isupper() and name[0] != "_" and name != "METRICS"]

    assert [name for name in constants if f"catalog.{name}" not in source] == []
