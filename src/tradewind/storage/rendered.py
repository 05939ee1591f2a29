"""What people see of task instances: template fields, rendered, and names of mapped ones."""

from collections.abc import Mapping

import sqlalchemy as sa

from tradewind.model.ids import RunKey, TaskKey
from tradewind.model.json_value import JsonValue
from tradewind.storage.guarded import KEY_COLUMNS
from tradewind.storage.json_text import from_text, to_text
from tradewind.storage.schema import rendered_fields, task_instance
from tradewind.storage.types import LongText
from tradewind.storage.upsert import upsert

_COLUMNS = rendered_fields.c
_KEY = tuple(_COLUMNS[name] for name, _ in KEY_COLUMNS)
_OF_RUN = sa.select(*_KEY, _COLUMNS.fields).where(_COLUMNS.run_key == sa.bindparam("run_key"))
_FIND = sa.select(_COLUMNS.fields).where(
    *(_COLUMNS[name] == sa.bindparam(name) for name in ("run_key", "task_id", "map_index"))
)
_NAME = (
    sa.update(task_instance)
    .where(*(task_instance.c[name] == sa.bindparam(f"of_{name}") for name in ("run_key", "task_id", "map_index")))
    .values(rendered_map_index=sa.bindparam("name", type_=LongText()))
)


class Rendered:
    """Implements `interface.RenderedStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def put(self, fields: Mapping[TaskKey, Mapping[str, JsonValue]]) -> None:
        rows = [{**task._asdict(), "fields": to_text(rendered)} for task, rendered in sorted(fields.items())]
        upsert(self._connection, rendered_fields, rows)

    def find(self, task: TaskKey) -> Mapping[str, JsonValue] | None:
        found = self._connection.execute(_FIND, task._asdict()).scalar()
        return None if found is None else from_text(found)

    def of_run(self, run_key: RunKey) -> dict[TaskKey, Mapping[str, JsonValue]]:
        found = self._connection.execute(_OF_RUN, {"run_key": run_key})
        return {TaskKey(RunKey(row[0]), row[1], row[2]): from_text(row[3]) for row in found}

    def name_instances(self, names: Mapping[TaskKey, str]) -> None:
        rows = [
            {**{f"of_{column}": value for column, value in task._asdict().items()}, "name": name}
            for task, name in sorted(names.items())
        ]
        if rows:
            self._connection.execute(_NAME, rows)
