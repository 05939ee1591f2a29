"""How much memory an attempt uses, and how much it may."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_UNITS: Final = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_UNITS_OF_TWO: Final = {"ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
_AMOUNT: Final = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?i?)b?\s*", re.IGNORECASE)
_OPTION: Final = "max_memory"


def read_amount(given: object) -> int:
    """Bytes, from a number or a text such as `2 GB` or `512Mi`.

    Raises:
        ValueError: it is neither.
    """
    if isinstance(given, int) and not isinstance(given, bool) and given > 0:
        return given
    found = _AMOUNT.fullmatch(given) if isinstance(given, str) else None
    units = {**_UNITS, **_UNITS_OF_TWO}
    if found is None or found[2].lower() not in units:
        raise ValueError(f"{_OPTION} is {given!r}; expected a number of bytes, or a text such as '2 GB' or '512Mi'")
    return int(float(found[1]) * units[found[2].lower()])


def limit_of(executor_config: object, default: int) -> int:
    """The most memory that an attempt may use; 0 for as much as there is."""
    given = executor_config.get(_OPTION) if isinstance(executor_config, Mapping) else None
    return default if given is None else read_amount(given)


def used_bytes(pid: int) -> int:
    """What a process and all that it has started have in memory now."""
    total, pids = 0, [pid]
    while pids:
        current = pids.pop()
        try:
            total += int(Path(f"/proc/{current}/statm").read_text(encoding="ascii").split()[1]) * _PAGE
            pids += map(int, Path(f"/proc/{current}/task/{current}/children").read_text(encoding="ascii").split())
        except (OSError, IndexError, ValueError):
            continue  # it has just ended, or the system does not tell
    return total
