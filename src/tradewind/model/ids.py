"""The keys by which things are found."""

from hashlib import sha1
from typing import Final, NamedTuple, NewType
from uuid import NAMESPACE_OID, UUID

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

_NAMESPACE: Final = NAMESPACE_OID.bytes
_FREE_BITS: Final = ~((0xC000 << 48) | (0xF000 << 64))
_VERSION_5: Final = (0x8000 << 48) | (5 << 76)

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


NO_ATTEMPT: Final = AttemptKey(RunKey(0), "", UNMAPPED, 0)
"""In whose name code asks that belongs to no task."""


def try_id(dag_id: str, run_id: str, task_id: str, map_index: int, try_number: int) -> UUID:
    """The id of a try for clients and authors. Differs from try to try, as in Airflow, and is the same whoever asks.

    A UUID of version 5, written out: `uuid5` takes four times as long, and a page has a hundred.
    """
    name = f"{dag_id}/{run_id}/{task_id}/{map_index}/{try_number}"
    digest = sha1(_NAMESPACE + name.encode(), usedforsecurity=False).digest()
    return UUID(int=int.from_bytes(digest[:16]) & _FREE_BITS | _VERSION_5)
