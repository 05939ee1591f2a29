"""What every executor is made from."""

from collections.abc import Callable
from dataclasses import dataclass

from tradewind.model.connection_test import ConnectionTestKey
from tradewind.model.deadline_callback import CallbackItem
from tradewind.model.ids import AttemptKey
from tradewind.runtime.clock import Clock
from tradewind.settings import Settings
from tradewind.telemetry.hub import Hub


@dataclass(frozen=True, slots=True)
class ExecutorContext:
    """Given to the class that `[core] executor` names, as its only argument."""

    name: str
    """What tasks call the executor: its alias, or the name of its class."""
    settings: Settings
    clock: Clock
    hub: Hub
    start_worker: Callable[[str], None]
    """Starts the supervisor for the executor of this name on this machine, and returns at once. Where one runs
    already, the new one ends by itself. Raises OSError where no process can be started."""
    hand_out: Callable[[AttemptKey], str] | None = None
    """Makes the token with which a worker that has no database may begin an attempt: see docs/execution-api.md. None:
    workers have the database."""
    hand_out_test: Callable[[ConnectionTestKey], str] | None = None
    """The same for the test of a connection."""
    hand_out_callback: Callable[[CallbackItem], str] | None = None
    """The same for the callback of a missed deadline."""
