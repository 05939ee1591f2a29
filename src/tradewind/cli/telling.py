"""Events of a service, for whoever looks at its terminal."""

from collections.abc import Callable

import typer

from tradewind.runtime.clock import Clock
from tradewind.telemetry.events import DatabaseBack, DatabaseLost, DutyFailed, Event, LogNotKept
from tradewind.telemetry.hub import Handler

Line = Callable[[Event], str | None]


def teller(clock: Clock, line: Line) -> Handler:
    """Writes events to the error stream: what `line` makes of them, and what every service has to tell."""

    def tell(event: Event) -> None:
        text = line(event) or _common_line(event)
        if text is not None:
            typer.echo(f"{clock.now():%Y-%m-%d %H:%M:%S} {text}", err=True)

    return tell


def _common_line(event: Event) -> str | None:
    match event:
        case DutyFailed():
            return f"{event.duty} failed: {event.error}"
        case DatabaseLost():
            return f"the database gives no answer: {event.error}"
        case DatabaseBack():
            return f"the database answers again, after {event.after_s:.1f} s"
        case LogNotKept():
            return f"the log {event.name} cannot be kept: {event.error}"
        case _:
            return None
