"""Questions about what the running task remembers."""

from datetime import datetime, timedelta

from tradewind.model.json_value import JsonValue
from tradewind.operations.task_requests.request import TaskRequest


class TaskStateRequest(TaskRequest):
    """See `sdk.runtime.StateStoreRuntime`: the part about tasks."""

    def get_task_state(self, key: str) -> JsonValue:
        return self.tx.task_states.find(self.asker.key, key, self.now)

    def set_task_state(self, key: str, value: JsonValue, retention: timedelta | None = None) -> None:
        expires_at = self._expiry(self.default_retention if retention is None else retention)
        self.tx.task_states.put(self.asker.key, key, value, expires_at=expires_at, now=self.now)

    def delete_task_state(self, key: str) -> None:
        self.tx.task_states.delete(self.asker.key, key)

    def clear_task_state(self) -> None:
        self.tx.task_states.clear(self.asker.key)

    def _expiry(self, retention: timedelta) -> datetime | None:
        """None, for ever, also where the calendar ends before the retention does."""
        try:
            return self.now + retention
        except OverflowError:
            return None
