"""`run_dag`: run a DAG in memory, in milliseconds, through the real scheduler."""

import asyncio
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from tradewind.model.ids import TaskKey
from tradewind.model.run import Run
from tradewind.model.states import RunType, TriggeredBy
from tradewind.model.task_answers import AssetEventResult
from tradewind.operations.trigger_run import RunRequest
from tradewind.runtime.clock import Clock, SystemClock
from tradewind.sdk.dags import DAG
from tradewind.sdk.notset import NOTSET, ArgNotSet
from tradewind.sdk.param import process_params
from tradewind.storage.interface import Transaction
from tradewind.testing.clock import FakeClock
from tradewind.testing.databases import empty_database
from tradewind.testing.engine import Engine, Wishes
from tradewind.testing.fibres import FibreStage, MainStage, Stage
from tradewind.testing.jumping_loop import JumpingLoop
from tradewind.testing.jumps import jumping
from tradewind.testing.memory.assets import events_of_run
from tradewind.testing.memory.contents import GivenConnection, Memory, as_connection, as_variable
from tradewind.testing.people import Answers
from tradewind.testing.result import RunResult, TaskResult
from tradewind.testing.task_log import kept_logs

_LONGEST: Final = timedelta(days=8)
"""A little longer than sensors wait by default."""
_CONTEXT_PREFIX: Final = "AIRFLOW_CTX_"


def run_dag(
    dag: DAG,
    *,
    logical_date: datetime | ArgNotSet | None = NOTSET,
    run_after: datetime | None = None,
    run_id: str | None = None,
    conf: Mapping[str, Any] | None = None,
    connections: Mapping[str, GivenConnection] | None = None,
    variables: Mapping[str, Any] | None = None,
    outputs: Mapping[str, Any] | None = None,
    answers: Answers | None = None,
    asset_events: Sequence[AssetEventResult] = (),
    triggering_asset_events: Sequence[AssetEventResult] = (),
    pools: Mapping[str, int] | None = None,
    mark_success_pattern: str | None = None,
    other_dags: Iterable[DAG] = (),
    now: datetime | None = None,
    until: timedelta | datetime = _LONGEST,
) -> RunResult:
    """Run a DAG once, in memory. No time passes while tasks wait: the clock of the test jumps instead.

    Args:
        logical_date: of the run; `now` if not given, and `None` for a run without one.
        run_after: when the run is due.
        run_id: its id; made from the date if not given.
        conf: what the run is started with.
        connections: by id, each a URI, JSON, a dict of fields or a `Connection`. Others come from the environment.
        variables: by key; what is no text is stored as JSON. Others come from the environment.
        outputs: by task id, what tasks return without being executed.
        answers: by task id, what people answer to tasks that ask them.
        asset_events: what happened to assets before, for tasks that look at the events of their inlets.
        triggering_asset_events: the events that caused the run.
        pools: slots by name; others have as many as anybody needs.
        mark_success_pattern: a regular expression; tasks whose whole id matches are not executed, and succeed.
        other_dags: DAGs that tasks of this one may start or wait for.
        now: when the test begins; the present if not given.
        until: how much time may pass in the test, or when it is over. The result then shows how far the run came.

    Raises:
        CompileError, InvalidDag: the DAG makes no sense.
        ParamValidationError: `conf` does not fit the params of the DAG.
        RunStuck: a task waits for something that can never come in this test.
    """
    start = SystemClock().now() if now is None else now
    clock = FakeClock(start)
    memory = Memory(
        variables={key: as_variable(value) for key, value in (variables or {}).items()},
        connections={conn_id: as_connection(conn_id, given) for conn_id, given in (connections or {}).items()},
        asset_events=asset_events,
    )
    wishes = Wishes(
        answers=answers or {},
        outputs=outputs or {},
        pools=pools or {},
        mark_success=None if mark_success_pattern is None else re.compile(mark_success_pattern),
        consumed_asset_events=triggering_asset_events,
    )
    request = _request(dag, clock, logical_date, run_after, run_id, conf)
    with jumping(), kept_logs():
        return Trial(
            [dag, *other_dags], request, memory, wishes, clock, until if isinstance(until, datetime) else start + until
        ).run(FibreStage(clock), lambda: JumpingLoop(clock))


def run_in_real_time(
    dag: DAG,
    *,
    logical_date: datetime | ArgNotSet | None,
    run_after: datetime | None,
    conf: Mapping[str, Any] | None,
    memory: Memory,
    mark_success_pattern: str | None = None,
    run_id: str | None = None,
    wishes: Wishes | None = None,
) -> RunResult:
    """Run a DAG once, in this thread and by the machine's clock: waiting takes as long as it takes.

    What tasks log goes wherever the caller lets it go.
    """
    clock = SystemClock()
    wishes = wishes or Wishes()
    if mark_success_pattern is not None:
        wishes.mark_success = re.compile(mark_success_pattern)
    request = _request(dag, clock, logical_date, run_after, run_id, conf)
    trial = Trial([dag], request, memory, wishes, clock, datetime.max.replace(tzinfo=UTC))
    return trial.run(MainStage(clock), asyncio.new_event_loop)


def _request(
    dag: DAG,
    clock: Clock,
    logical_date: datetime | ArgNotSet | None,
    run_after: datetime | None,
    run_id: str | None,
    conf: Mapping[str, Any] | None,
) -> RunRequest:
    process_params(dag, None, dict(conf or {}), suppress_exception=False)
    date = clock.now() if isinstance(logical_date, ArgNotSet) else logical_date
    allowed = dag.allowed_run_types
    return RunRequest(
        dag.dag_id,
        run_id,
        RunType.MANUAL if allowed is None or RunType.MANUAL in allowed else allowed[0],
        logical_date=date,
        run_after=run_after,
        conf=dict(conf) if conf else None,
        triggered_by=TriggeredBy.TEST,
    )


@dataclass(slots=True)
class Trial:
    """One run of a DAG, with all that it needs around it."""

    dags: list[DAG]
    request: RunRequest
    memory: Memory
    wishes: Wishes
    clock: Clock
    until: datetime
    environment: MutableMapping[str, str] = field(default_factory=lambda: os.environ)  # noqa: TID251 - tasks look there

    def run(self, stage: Stage, make_loop: Callable[[], asyncio.AbstractEventLoop]) -> RunResult:
        """Run it."""
        with ExitStack() as stack:
            stack.enter_context(self._kept_environment())
            database = stack.enter_context(empty_database())
            engine = Engine(
                self.dags,
                database,
                clock=self.clock,
                memory=self.memory,
                stage=stage,
                make_loop=make_loop,
                environment=self.environment,
                wishes=self.wishes,
            )
            stack.callback(engine.close)
            run = engine.trigger(self.request)
            engine.run(self.until)
            return engine.premises.transact(lambda tx: self._result(tx, engine, run))

    def _result(self, tx: Transaction, engine: Engine, run: Run) -> RunResult:
        runs = [each for dag in self.dags for each in tx.runs.of_dag(dag.dag_id)]
        results = [RunResult(each, self._tasks(tx, engine, each)) for each in runs]
        (own,) = (result for result in results if result.run.key == run.key)
        own.others = [result for result in results if result is not own]
        return own

    def _tasks(self, tx: Transaction, engine: Engine, run: Run) -> dict[str, TaskResult]:
        xcoms: dict[TaskKey, dict[str, Any]] = {}
        for xcom in tx.xcoms.of_run(run.key):
            xcoms.setdefault(xcom.task, {})[xcom.key] = xcom.value
        rendered = tx.rendered.of_run(run.key)
        events = events_of_run(tx, run) if engine.history.has_asset_events else {}
        made = [
            TaskResult(
                instance,
                engine.history.of(instance.key),
                stored_xcoms=xcoms.get(instance.key, {}),
                rendered=rendered.get(instance.key, {}),
                outlet_events=events.get(instance.key, []),
            )
            for instance in tx.tasks.instances(run.key)
        ]
        return {task.name: task for task in made}

    @contextmanager
    def _kept_environment(self) -> Iterator[None]:
        """Names that tasks left there must not be found by the next test."""
        before = {name: value for name, value in self.environment.items() if name.startswith(_CONTEXT_PREFIX)}
        try:
            yield
        finally:
            for name in [name for name in self.environment if name.startswith(_CONTEXT_PREFIX)]:
                del self.environment[name]
            self.environment.update(before)
