"""The nursery: a fresh interpreter that has imported the SDK and no author's code, and forks zygotes.

`python -P -m tradewind.worker.child.nursery FD`, with FD one end of a packet socket to the supervisor. It ends with all
of its descendants when the other end is closed, or when its lease is not renewed in time.
"""

import gc
import importlib
import os
import socket
import sys
from contextlib import suppress
from typing import Final, NoReturn

import setproctitle

from tradewind.compat import install, plugin_loading
from tradewind.compat.adapters.listeners import get_listener_manager
from tradewind.worker.child import attempt, output, zygote
from tradewind.worker.child.forker import Forker, monotonic
from tradewind.worker.child.rehearsal import rehearse
from tradewind.worker.child.termination import handle_signals
from tradewind.worker.protocol import Command, Renew, StartAlone, StartZygote
from tradewind.worker.questions import prepare

_PRELOADED: Final = (
    *("airflow.sdk", "pendulum", "zoneinfo"),
    *(f"tradewind.sdk.{name}" for name in ("assets", "dag_decorator", "macros", "operator", "param", "schedule")),
    *(f"tradewind.sdk.{name}" for name in ("sensor", "task_groups", "timetables", "variable", "connection", "xcom")),
    *(f"airflow.providers.standard.operators.{name}" for name in ("bash", "empty", "python")),
    *(f"tradewind.sdk.standard.{name}" for name in ("bash", "decorators", "empty", "python", "task_decorators")),
)
"""What nearly every task needs. Whatever is missing here, a zygote imports for its own children."""


class Nursery(Forker):
    """Forks zygotes, and children that must import their file by themselves."""

    def __init__(self, control: socket.socket) -> None:
        super().__init__(control)
        self._lease_ends = float("inf")

    def is_wanted(self) -> bool:
        """Whether the supervisor was heard of by the engine lately."""
        return monotonic() < self._lease_ends

    def patience_ms(self) -> int | None:
        """Until the lease ends."""
        if self._lease_ends == float("inf"):
            return None
        return max(0, int((self._lease_ends - monotonic()) * 1000) + 1)

    def obey(self, command: Command, descriptors: list[int]) -> None:
        """See `Forker.obey`."""
        match command:
            case Renew(until):
                self._lease_ends = until
            case StartZygote(number, file):
                self.fork(number, lambda: zygote.live(file, descriptors[0]))
            case StartAlone(number, file):
                self.fork(number, lambda: attempt.live_alone(file, *descriptors))
            case _:
                raise TypeError(f"the nursery cannot {command!r}")


def warm_up() -> None:
    """Import what nearly every task needs, and derive what every child would have to."""
    install()
    for name in _PRELOADED:
        with suppress(ImportError):
            importlib.import_module(name)
    plugin_loading.prepare()
    get_listener_manager()
    prepare()
    output.prepare()
    rehearse()
    gc.collect()
    gc.freeze()


def main() -> NoReturn:
    """Run with the arguments of the process."""
    control = socket.socket(fileno=int(sys.argv[1]))
    handle_signals()
    setproctitle.setproctitle("tradewind: nursery")
    warm_up()
    gc.disable()
    Nursery(control).run()
    os._exit(os.EX_OK)


if __name__ == "__main__":
    main()
