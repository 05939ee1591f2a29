"""The keys by which things are found."""

from typing import NamedTuple, NewType
from uuid import NAMESPACE_OID, UUID, uuid5

RunKey = NewType("RunKey", int)
"""The database's own number of a DAG run; `(dag_id, run_id)` is what people call it."""

VersionKey = NewType("VersionKey", int)
"""The database's own number of one version of a DAG."""

JobKey = NewType("JobKey", int)
"""The database's own number of one life of a service process, such as a scheduler."""

TriggerKey = NewType("TriggerKey", int)
"""The database's own number of what one deferral waits for."""

BackfillKey = NewType("BackfillKey", int)
"""The database's own number of a backfill, and the one that people call it by."""

UNMAPPED = -1
"""The map index of a task that is not mapped, or not yet expanded."""


class TaskKey(NamedTuple):
    """One task instance: one task in one run, and which of its mapped copies."""

    run_key: RunKey
    task_id: str
    map_index: int = UNMAPPED


class AttemptKey(NamedTuple):
    """One hand-over of a task instance to an executor.

    `attempt` grows each time, so it fences: a message that carries an old one changes nothing.
    """

    run_key: RunKey
    task_id: str
    map_index: int
    attempt: int

    @property
    def task(self) -> TaskKey:
        """The task instance that this is an attempt of."""
        return TaskKey(self.run_key, self.task_id, self.map_index)


def try_id(dag_id: str, run_id: str, task_id: str, map_index: int, try_number: int) -> UUID:
    """The id of a try for clients and authors. Differs from try to try, as in Airflow, and is the same whoever asks."""
    return uuid5(NAMESPACE_OID, f"{dag_id}/{run_id}/{task_id}/{map_index}/{try_number}")
