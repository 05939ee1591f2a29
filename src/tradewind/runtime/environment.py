"""The environment of this process."""

import os
import sys
from collections.abc import Mapping
from typing import TextIO

import setproctitle


def set_variables(variables: Mapping[str, str]) -> None:
    """For this process and all that it starts from now on."""
    os.environ.update(variables)


def name_process(title: str) -> None:
    """What lists of processes show. Nothing is written where others look for the environment of this process."""
    os.environ.setdefault("SPT_NOENV", "1")
    setproctitle.setproctitle(title)


def wants_colours(stream: TextIO) -> bool:
    """Whether what is written there is seen by a person who has nothing against colours."""
    return stream.isatty() and not os.environ.get("NO_COLOR")


def has_display() -> bool:
    """Whether a window can be opened here."""
    return sys.platform == "darwin" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
