"""What tasks and assets keep, in memory. Nothing expires: a test does not last that long."""

from datetime import timedelta
from typing import Any

from tradewind.testing.memory.seat import Seat


class MemoryStates:
    """See `sdk.runtime.StateStoreRuntime`."""

    seat: Seat

    def get_task_state(self, key: str) -> Any:
        return self._own().get(key)

    def set_task_state(self, key: str, value: Any, retention: timedelta | None = None) -> None:
        self._own()[key] = value

    def delete_task_state(self, key: str) -> None:
        self._own().pop(key, None)

    def clear_task_state(self) -> None:
        self._own().clear()

    def get_asset_state(self, key: str, *, name: str | None = None, uri: str | None = None) -> Any:
        return self._of_asset(name, uri).get(key)

    def set_asset_state(self, key: str, value: Any, *, name: str | None = None, uri: str | None = None) -> None:
        self._of_asset(name, uri)[key] = value

    def delete_asset_state(self, key: str, *, name: str | None = None, uri: str | None = None) -> None:
        self._of_asset(name, uri).pop(key, None)

    def clear_asset_state(self, *, name: str | None = None, uri: str | None = None) -> None:
        self._of_asset(name, uri).clear()

    def _own(self) -> dict[str, Any]:
        return self.seat.memory.task_states.setdefault(self.seat.key, {})

    def _of_asset(self, name: str | None, uri: str | None) -> dict[str, Any]:
        known = next((asset.name for asset in self.seat.memory.assets if uri is not None and asset.uri == uri), None)
        return self.seat.memory.asset_states.setdefault(name or known or uri or "", {})
