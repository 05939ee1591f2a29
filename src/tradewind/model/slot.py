"""Ticks that wait for assets."""

from dataclasses import dataclass
from datetime import datetime
from typing import NewType

from tradewind.model.ids import RunKey
from tradewind.model.slot_policy import SlotState
from tradewind.model.timetable import RunInfo

SlotKey = NewType("SlotKey", int)
"""The database's own number of a slot."""


@dataclass(frozen=True, slots=True)
class NewSlot:
    """A tick that has come."""

    dag_id: str
    info: RunInfo
    deadline_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Slot:
    """A tick as stored."""

    key: SlotKey
    dag_id: str
    info: RunInfo
    state: SlotState
    created_at: datetime
    deadline_at: datetime | None = None
    """When something is to be done about it, if it still waits then."""
    settled_at: datetime | None = None
    run_key: RunKey | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class SlotEnd:
    """How a slot ceases to wait."""

    key: SlotKey
    state: SlotState
    run_key: RunKey | None = None
    reason: str | None = None
