"""A process that gets the orphans of all that it starts."""

import ctypes
import sys
from typing import Final

_PR_SET_CHILD_SUBREAPER: Final = 36
# Looked up once, and not in each of many forked processes.
_prctl: Final = ctypes.CDLL(None).prctl if sys.platform == "linux" else None


def become_subreaper() -> None:
    """From now on, a descendant whose parent dies becomes a child of this process, where the system can do that."""
    if _prctl is not None:
        _prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
