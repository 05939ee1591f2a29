"""Tasks that begin with a trigger: their own code says which one, with what templates and the copies of mapped tasks
give it. That is done here as a worker would do it, and reaches the database by the supervisor alone."""

import json
from collections.abc import Mapping
from typing import Any, Final, cast

import msgspec

from tradewind.model.assignment import Assignment
from tradewind.model.attempt_end import Deferral
from tradewind.sdk.dags import DAG
from tradewind.sdk.runtime import Runtime
from tradewind.triggerer.protocol import FrameKind, Ready, Start
from tradewind.triggerer.runner.classes import TriggerClasses
from tradewind.triggerer.runner.link import Link
from tradewind.worker.child.pipe_runtime import Line, PipeRuntime
from tradewind.worker.task_life.life import TaskLife

_decode_assignment: Final = msgspec.msgpack.Decoder(Assignment).decode


class Preparing:
    """Finds out what such tasks wait for, and tells the supervisor, for whoever goes on with the trigger."""

    def __init__(self, classes: TriggerClasses, link: Link) -> None:
        self._classes = classes
        self._link = link

    def prepare(self, start: Start, line: Line) -> Start | None:
        """The same, with what it waits for, which the supervisor is told. None: the task begins in a worker after all.

        Raises:
            LookupError: its file has no such DAG or task. Besides, whatever the author's code raises.
        """
        runtime = _NotingRuntime(line)
        assignment = _decode_assignment(start.order)
        life = TaskLife(self._dag(start, assignment), assignment, cast("Runtime", runtime), environment={})
        waits_for = life.first_wait()
        if waits_for is None:
            return None
        ready = _ready(start, waits_for, runtime)
        self._link.send(FrameKind.READY, ready)
        return msgspec.structs.replace(start, class_path=ready.class_path, kwargs=ready.kwargs, order=b"")

    def _dag(self, start: Start, assignment: Assignment) -> DAG:
        dag_id = assignment.dag_run.dag_id
        if start.code is None:
            raise LookupError(f"DAG {dag_id!r} comes from no file, so there is no code to ask what its task waits for")
        dag = self._classes.dags(start.code).get(dag_id)
        if dag is None:
            raise LookupError(f"the DAG file {start.code.path} has no DAG {dag_id!r} any more")
        if assignment.task_id not in dag.task_dict:
            raise LookupError(f"DAG {dag_id!r} has no task {assignment.task_id!r} any more")
        return dag


class _NotingRuntime(PipeRuntime):
    """What people shall see goes to the supervisor together with all else: to ask for each of thousands of tasks would
    keep the triggers of all others waiting."""

    def __init__(self, line: Line) -> None:
        super().__init__(line)
        self.fields: Mapping[str, Any] | None = None
        self.map_name: str | None = None

    def set_rendered_fields(self, fields: Mapping[str, Any]) -> None:
        """See `Runtime.set_rendered_fields`."""
        self.fields = fields

    def set_rendered_map_index(self, rendered_map_index: str) -> None:
        """See `Runtime.set_rendered_map_index`."""
        self.map_name = rendered_map_index


def _ready(start: Start, waits_for: Deferral, runtime: _NotingRuntime) -> Ready:
    return Ready(
        trigger=start.trigger,
        class_path=waits_for.trigger_path,
        kwargs=json.dumps(waits_for.trigger_kwargs),
        next_method=waits_for.next_method,
        next_kwargs=json.dumps(waits_for.next_kwargs),
        timeout_s=None if waits_for.timeout is None else waits_for.timeout.total_seconds(),
        rendered_fields=None if runtime.fields is None else json.dumps(runtime.fields),
        rendered_map_index=runtime.map_name,
    )
