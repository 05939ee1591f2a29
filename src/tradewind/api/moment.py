"""Instants as clients give them."""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator


def _aware(value: datetime) -> datetime:
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value


Moment = Annotated[datetime, AfterValidator(_aware)]
"""Without a zone, UTC is meant, as in Airflow."""
