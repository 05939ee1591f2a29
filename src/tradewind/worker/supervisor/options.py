"""How a supervisor works, and what it needs of its machine."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tradewind.model.assignment import WorkOrder
from tradewind.task_logs.writer import AttemptLog


@dataclass(frozen=True, slots=True, kw_only=True)
class SupervisorOptions:
    """How a supervisor works."""

    slots: int
    """How many attempts run at once."""
    heartbeat_timeout_s: float
    """After how long without a heartbeat the engine takes an attempt for lost."""
    heartbeat_interval_s: float
    stop_patience_s: float
    """How long an attempt that is told to stop may take to do so."""
    callback_patience_s: float
    """How long callbacks may run after the end of an attempt is stored."""
    trial_patience_s: float
    """How long it may take to try out a connection."""
    deadline_callback_patience_s: float
    """How long the callback of a missed deadline may take, with the import of its file."""
    idle_s: float
    """How long to stay when there is nothing to do and nobody is connected."""
    most_zygotes: int
    zygote_idle_s: float
    max_memory_bytes: int = 0
    plugins: str = ""
    keeps_metrics: bool = False
    """Whether tasks shall tell what they measure."""


class Places(Protocol):
    """Where things lie on this machine."""

    def known_folder(self, bundle: str, version: str | None) -> Path | None:
        """The folder of a bundle at a version, if it need not be fetched."""

    def folder(self, bundle: str, version: str | None) -> Path:
        """The same, fetched if need be, which may take long. Raises `BundleError`."""

    def log(self, order: WorkOrder, hide: Callable[[str], str]) -> AttemptLog:
        """The log of an attempt."""

    def log_ended(self, order: WorkOrder, *, is_over: bool) -> None:
        """The log of an attempt is closed. `is_over`: no other attempt of the same try will add to it."""

    def close(self) -> None:
        """Nothing more will be wanted."""


class OutsideSecrets(Protocol):
    """Variables and connections that are not in the database."""

    @property
    def is_slow(self) -> bool:
        """Whether asking may take long."""

    def answer(self, question: str, arguments: Mapping[str, object]) -> object | None:
        """To `get_variable` or `get_connection`, if it is known there."""
