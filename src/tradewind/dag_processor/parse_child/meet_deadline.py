"""Deadlines, in the child that has just imported the file: its code says when they are."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta

from tradewind.dag_processor.parse_child.explain import explain
from tradewind.dag_processor.protocol import DeadlineCall, Problem
from tradewind.sdk.dags import DAG
from tradewind.sdk.deadline import DeadlineAlert, VariableInterval


def meet_deadline(
    call: DeadlineCall, dags: Sequence[DAG], roots: Sequence[str], depth: int
) -> tuple[datetime | None, list[Problem]]:
    """When the run has to be over, if that was asked; and what went wrong."""
    dag_id = call.run.dag_id
    dag = next((dag for dag in dags if dag.dag_id == dag_id), None)
    alerts: list[DeadlineAlert] = list(dag.deadline or ()) if dag is not None else []
    if call.number >= len(alerts):
        return None, [Problem("the file has no such deadline any more", dag_id)]
    alert = alerts[call.number]
    try:
        return _instant(alert, call), []
    except (Exception, SystemExit) as error:
        return None, [Problem(explain(error, roots, depth), dag_id)]


def _instant(alert: DeadlineAlert, call: DeadlineCall) -> datetime | None:
    interval = alert.interval.resolve() if isinstance(alert.interval, VariableInterval) else alert.interval
    if call.reference is not None:
        return call.reference + interval
    return _from_authors_reference(alert, call, interval)


def _from_authors_reference(alert: DeadlineAlert, call: DeadlineCall, interval: timedelta) -> datetime | None:
    found = alert.reference.evaluate_with(interval=interval, session=None, **asdict(call.run))
    if found is None:
        return None
    if found.tzinfo is None:
        raise ValueError(f"the deadline {found.isoformat()} of {alert.reference.reference_name} has no time zone")
    return datetime.fromisoformat(found.astimezone(UTC).isoformat())
