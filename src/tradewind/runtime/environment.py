"""The environment of this process."""

import os
from collections.abc import Mapping

import setproctitle


def set_variables(variables: Mapping[str, str]) -> None:
    """For this process and all that it starts from now on."""
    os.environ.update(variables)


def name_process(title: str) -> None:
    """What lists of processes show. Nothing is written where others look for the environment of this process."""
    os.environ.setdefault("SPT_NOENV", "1")
    setproctitle.setproctitle(title)
