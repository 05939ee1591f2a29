"""The run that a person means: by its id, or by its date."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from tradewind.errors import InvalidRequest, UnknownDag, UnknownRun
from tradewind.model.run import Run
from tradewind.storage.interface import Transaction


def find_run(tx: Transaction, dag_id: str, word: str, zone: str) -> Run:
    """The run with this id, else the one with this logical date, read in this time zone unless it names one.

    Raises:
        UnknownDag, UnknownRun: as the name says.
    """
    found = tx.runs.find(dag_id, word)
    if found is not None:
        return found
    if tx.dags.find(dag_id) is None:
        raise UnknownDag(dag_id)
    try:
        logical_date = read_instant(word, zone)
    except InvalidRequest:
        raise UnknownRun(dag_id, word) from None
    for run in tx.runs.of_dag(dag_id):
        if run.logical_date == logical_date:
            return run
    raise UnknownRun(dag_id, word)


def read_instant(text: str, zone: str) -> datetime:
    """A date, or a date and a time, as ISO 8601 writes it; in this time zone unless it names one.

    Raises:
        InvalidRequest: it is nothing of that kind.
    """
    try:
        instant = datetime.fromisoformat(text)
        if instant.tzinfo is None:
            instant = instant.replace(tzinfo=ZoneInfo(zone))
        instant.astimezone(UTC)  # which the first and the last day of all time may not have
    except (ValueError, OverflowError):
        raise InvalidRequest(f"{text!r} is no date; expected such as 2026-01-31 or 2026-01-31T12:00:00+00:00") from None
    return instant
