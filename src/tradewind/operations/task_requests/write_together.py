"""What tasks say without waiting for an answer, written together: nearly every attempt says something."""

from datetime import datetime
from typing import Any

from tradewind.model.exchange import Request
from tradewind.model.ids import UNMAPPED, TaskKey
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.kept_stores import XComValue


class Writes:
    """Gathers what goes to the same table."""

    def __init__(self, tx: Transaction, now: datetime) -> None:
        self._tx = tx
        self._now = now
        self._xcoms: dict[tuple[TaskKey, str], XComValue] = {}
        self._fields: dict[TaskKey, Any] = {}
        self._names: dict[TaskKey, str] = {}

    def takes(self, request: Request) -> bool:
        """Keep it, if it can be written together with others: what a task says about itself."""
        arguments: Any = request.arguments
        own = request.asker.key
        match request.method:
            case "set_rendered_fields":
                self._fields[own] = arguments["fields"]
            case "set_rendered_map_index":
                self._names[own] = arguments["rendered_map_index"]
            case "set_xcom" if is_own(request):
                value = XComValue(
                    own, arguments["key"], arguments["value"], arguments["mapped_length"], arguments["dag_result"]
                )
                self._xcoms[own, value.key] = value
            case _:
                return False
        return True

    def flush(self) -> None:
        """Write what was kept."""
        if self._xcoms:
            self._tx.xcoms.put(list(self._xcoms.values()), self._now)
        if self._fields:
            self._tx.rendered.put(self._fields)
        if self._names:
            self._tx.rendered.name_instances(self._names)
        self._xcoms, self._fields, self._names = {}, {}, {}


def is_own(request: Request) -> bool:
    """Whether what is said about an XCom is said about one of the running task itself."""
    arguments, asker = request.arguments, request.asker
    place = (arguments["dag_id"], arguments["run_id"], arguments["task_id"], arguments.get("map_index", UNMAPPED))
    return place == (asker.dag_id, asker.run_id, asker.key.task_id, asker.key.map_index)
