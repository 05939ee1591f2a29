"""Modules that are loaded when a command runs, and not when it only explains itself.

A command's signature is all that `--help` and shell completion need. The engine and the database behind it take several
times as long to load as Python itself takes to start.
"""

from typing import Any

from tradewind.runtime.memory import load_for_good


class Deferred:
    """Stands for a module. Type checkers are shown the real one, under `if TYPE_CHECKING`."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(load_for_good(self._name), attribute)
