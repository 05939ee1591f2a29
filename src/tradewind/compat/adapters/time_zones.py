"""Functions of `airflow.utils.timezone` that Airflow's SDK does not have."""

from datetime import UTC, datetime, tzinfo


def is_localized(value: datetime) -> bool:
    """Whether the instant knows its offset from UTC."""
    return value.utcoffset() is not None


def is_naive(value: datetime) -> bool:
    """Whether the instant does not know its offset from UTC."""
    return value.utcoffset() is None


def make_aware(value: datetime | None, timezone: tzinfo | None = None) -> datetime | None:
    """The same time of day in a zone, UTC if none is given."""
    if value is None:
        return None
    if is_localized(value):
        raise ValueError(f"make_aware takes an instant without a time zone, not {value!r}")
    return value.replace(tzinfo=timezone or UTC)
