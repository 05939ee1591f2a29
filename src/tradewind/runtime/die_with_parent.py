"""A process that ends when its parent does, however that ended."""

import ctypes
import signal
import sys
from typing import Final

_PR_SET_PDEATHSIG: Final = 1
_libc: Final = ctypes.CDLL(None) if sys.platform == "linux" else None


def die_with_parent() -> None:
    """Have this process killed with its parent, where the system can do that.

    Without it, a file that never ends would be read for ever after its processor was killed.
    """
    _die_with_parent_by(signal.SIGKILL)


def live_without_parent() -> None:
    """Take that back."""
    _die_with_parent_by(0)


def _die_with_parent_by(number: int) -> None:
    if _libc is not None:
        _libc.prctl(_PR_SET_PDEATHSIG, int(number), 0, 0, 0)
