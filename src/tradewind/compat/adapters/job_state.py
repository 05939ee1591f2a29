"""The states of a service."""

from enum import StrEnum


class JobState(StrEnum):
    """How a service is."""

    RUNNING = "running"
    SUCCESS = "success"
    RESTARTING = "restarting"
    FAILED = "failed"
