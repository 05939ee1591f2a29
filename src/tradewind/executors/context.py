"""What every executor is made from."""

from collections.abc import Callable
from dataclasses import dataclass

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
