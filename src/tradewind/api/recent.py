"""What was found out a moment ago, and need not be found out again."""

from collections import OrderedDict
from typing import Final, Generic, TypeVar

Found = TypeVar("Found")

VALID_S: Final = 1.0
"""How long an answer is taken for true that may have changed elsewhere: this long a token works that another process
has revoked. What this process changes, it forgets at once."""
_MOST: Final = 1_000


class Recent(Generic[Found]):
    """By key, for a second. Used by one thread, that of the event loop, except to forget."""

    def __init__(self, valid_s: float = VALID_S) -> None:
        self._valid_s = valid_s
        self._known: OrderedDict[str, tuple[float, Found]] = OrderedDict()

    def get(self, key: str, now_s: float) -> Found | None:
        """None: not known, or no longer. `now_s` is monotonic."""
        known = self._known.get(key)
        return known[1] if known is not None and now_s < known[0] else None

    def put(self, key: str, found: Found, now_s: float) -> None:
        """From now on."""
        self._known[key] = (now_s + self._valid_s, found)
        self._known.move_to_end(key)
        while len(self._known) > _MOST:
            self._known.popitem(last=False)

    def forget(self) -> None:
        """All of it."""
        self._known = OrderedDict()
