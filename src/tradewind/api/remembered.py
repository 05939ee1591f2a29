"""What takes long to count, counted once in a while for all who ask."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Final, Generic, TypeVar

Found = TypeVar("Found")

_MOST: Final = 100


class Remembered(Generic[Found]):
    """By key, for some seconds. Who asks while it is counted waits for that: however many ask, it is counted once."""

    def __init__(self, valid_s: float) -> None:
        self._valid_s = valid_s
        self._known: OrderedDict[Hashable, tuple[float, Found]] = OrderedDict()
        self._turn = Lock()

    def find(self, key: Hashable, now_s: float, look: Callable[[], Found]) -> Found:
        """As it was a moment ago, else what `look` finds. `now_s` is monotonic."""
        with self._turn:
            known = self._known.get(key)
            if known is not None and now_s < known[0]:
                return known[1]
            found = look()
            self._known[key] = (now_s + self._valid_s, found)
            self._known.move_to_end(key)
            while len(self._known) > _MOST:
                self._known.popitem(last=False)
            return found
