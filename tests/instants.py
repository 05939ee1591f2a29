"""Instants, written shortly."""

from datetime import UTC, datetime


def utc(text: str) -> datetime:
    """An instant from its ISO 8601 text, read as UTC: `utc("2026-03-29 01:30")`."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
