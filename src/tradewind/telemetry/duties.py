"""What services do, one duty after the other."""

from collections.abc import Callable

from tradewind.errors import DatabaseError, DatabaseUnavailable
from tradewind.telemetry.events import DutyFailed
from tradewind.telemetry.hub import Hub
from tradewind.telemetry.measurements import DutyDone


def words_of(error: Exception) -> str:
    """What went wrong. Errors of the database say by themselves what they are."""
    return str(error) if isinstance(error, DatabaseError) else f"{type(error).__name__}: {error}"


class Duties:
    """Does duties of a service. If one raises, the others go on (B10); only without its database nothing does."""

    def __init__(self, service: str, hub: Hub, monotonic: Callable[[], float]) -> None:
        self._service = service
        self._hub = hub
        self._monotonic = monotonic

    def __call__(self, name: str, duty: Callable[[], object]) -> int:
        """One duty. Returns how much it did."""
        began_at = self._monotonic()
        try:
            done = duty()
        except DatabaseUnavailable:
            raise
        except Exception as error:
            self._hub.emit(DutyFailed(name, words_of(error)))
            return 0
        count = done if isinstance(done, int) else 0
        if self._hub.measures:
            self._hub.emit(DutyDone(self._service, name, self._monotonic() - began_at, count))
        return count
