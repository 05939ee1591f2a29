"""When a watcher of an asset that failed is started again."""

from typing import Final

_SHORTEST_S: Final = 1.0
_LONGEST_S: Final = 300.0
_MOST_DOUBLINGS: Final = 16
STEADY_S: Final = 60.0
"""Who ran for so long before it failed is started again as if it had never failed before."""


def pause_after_failures(failures: int) -> float:
    """Seconds to wait after so many failures in a row, without an event or a minute in between. They double, up to five
    minutes."""
    return min(_LONGEST_S, _SHORTEST_S * 2.0 ** min(max(0, failures - 1), _MOST_DOUBLINGS))
