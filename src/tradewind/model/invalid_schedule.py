"""What is wrong with a schedule that cannot be used.

InvalidSchedule (a ValueError)
├── BadCron            the expression cannot be read, or names a date that never comes
├── UnknownTimeZone
├── NonPositiveDelta   the schedule would stand still or go backwards, or data would end before it begins
├── FarOffset          a partition lies too many ticks away from its run
├── UnusableGate       what ticks wait for can never be there, or means nothing
└── UnusableMapper     no partition would ever be complete
"""


class InvalidSchedule(ValueError):
    """A schedule that no run can come from."""


class BadCron(InvalidSchedule):
    """A cron expression that cannot be read, or that names a date that never comes."""

    def __init__(self, expression: str, reason: str) -> None:
        super().__init__(f"cron expression {expression!r}: {reason}")
        self.expression = expression
        self.reason = reason


class UnknownTimeZone(InvalidSchedule):
    """Neither a name of the IANA time zone database nor an offset from UTC."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"unknown time zone {name!r}; use a name such as 'Europe/Berlin', or an offset such as '+05:30'"
        )
        self.name = name


class NonPositiveDelta(InvalidSchedule):
    """A distance that does not always lead forward."""

    def __init__(self, which: str, what: str) -> None:
        super().__init__(f"{which} must be positive, not {what}")


class FarOffset(InvalidSchedule):
    """A partition that lies so many ticks away from its run that to count them takes too long."""

    def __init__(self, ticks: int, most: int) -> None:
        super().__init__(f"run_offset is {ticks} ticks, but may be {most} at most, in either direction")


class UnusableGate(InvalidSchedule):
    """What a tick shall wait for can never be there, or means nothing."""


class UnusableMapper(InvalidSchedule):
    """A mapper of partitions that lets none of them ever have a run."""
