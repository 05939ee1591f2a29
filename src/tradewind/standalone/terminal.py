"""What a person at the terminal sees of a deployment: one line for each thing that happens, by whom."""

import sys
from collections.abc import Sequence
from typing import Final

from tradewind.runtime.environment import wants_colours

_RESET: Final = "\033[0m"
_COLOURS: Final = ("36", "35", "33", "34", "32")
_OWN: Final = "1"
_ALERT: Final = "31"
NAME: Final = "tradewind"


class Terminal:
    """Writes lines with the names of the components before them, each in a colour of its own."""

    def __init__(self, names: Sequence[str]) -> None:
        self._width = max(map(len, [NAME, *names]))
        self._has_colours = wants_colours(sys.stdout)
        self._colours = {NAME: _OWN} | {name: _COLOURS[i % len(_COLOURS)] for i, name in enumerate(names)}

    def say(self, text: str, *, by: str = NAME, is_alert: bool = False) -> None:
        """One line."""
        name = self._coloured(f"{by:<{self._width}} |", self._colours.get(by, "0"))
        sys.stdout.write(f"{name} {self._coloured(text, _ALERT) if is_alert else text}\n")
        sys.stdout.flush()

    def _coloured(self, text: str, colour: str) -> str:
        return f"\033[{colour}m{text}{_RESET}" if self._has_colours else text
