"""Modules that are loaded when something in them is first used.

The model's many value classes take longer to create than all of the SDK's code to load, and a file that only imports
the SDK needs none of them.
"""

from importlib import import_module
from typing import Any


class LazyModule:
    """Stands for a module. Type checkers are shown the real one, under `if TYPE_CHECKING`."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(import_module(self._name), attribute)
