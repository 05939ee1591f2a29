"""What an attempt leaves behind besides its report: assets it updated, what it waits for, what it used.

What is called an object here is whatever JSON can say, and comes from the author.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from tradewind.model.task import EndReport


@dataclass(frozen=True, slots=True, kw_only=True)
class OutletEvent:
    """An asset that a task updated. Outlets that only refer to an asset have a name or a URI, all others both."""

    name: str | None
    uri: str | None
    group: str = "asset"
    extra: object = None
    alias: str | None = None
    """The outlet through which the task named the asset while it ran."""
    partition_keys: tuple[str, ...] = ()
    asset_extra: object = None
    """What the asset itself says, for one that may be new."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deferral:
    """It leaves its worker until a trigger fires. Arguments are serialized."""

    trigger_path: str
    trigger_kwargs: object
    next_method: str
    next_kwargs: object = None
    timeout: timedelta | None = None
    queue: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InputAwaited:
    """It leaves its worker until a person answers. Arguments are serialized."""

    next_method: str
    next_kwargs: object = None
    timeout: timedelta | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """What the process of an attempt, with all that it started, took from its machine."""

    cpu_s: float
    peak_memory_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptResult:
    """All that the engine is told about the end of an attempt."""

    report: EndReport
    outlet_events: Sequence[OutletEvent] = ()
    waits_for: Deferral | InputAwaited | None = None
    usage: Usage | None = None
