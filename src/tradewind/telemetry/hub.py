"""Where events go."""

from collections.abc import Callable

from tradewind.telemetry.events import Event

Handler = Callable[[Event], None]


class Hub:
    """Passes each event to every handler. A handler that raises is dropped: it never stops the engine (B10)."""

    def __init__(self, *handlers: Handler) -> None:
        self._handlers = list(handlers)
        self.measures = False
        """Whether anybody wants measurements, which otherwise are not even made."""

    def attach(self, handler: Handler, *, measures: bool = False) -> None:
        """Pass all events from now on to `handler` as well; with `measures`, it wants measurements among them."""
        self._handlers.append(handler)
        self.measures = self.measures or measures

    def emit(self, event: Event) -> None:
        """Pass one event on."""
        for handler in tuple(self._handlers):
            try:
                handler(event)
            except Exception:  # whatever a handler raises, the engine must go on
                self._handlers.remove(handler)
