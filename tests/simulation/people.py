"""What people do: publish DAGs, ask for runs, clear, mark, pause, and resize pools, at any moment."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from tests.simulation import backfills
from tests.simulation.asking import answer, asking_weight, some_open_question
from tests.simulation.backfills import PlannedBackfill
from tests.simulation.kernel import Process, VirtualClock
from tests.simulation.mirror import RunRow
from tests.simulation.world import World
from tradewind.errors import Conflict, DatabaseError, NotFound
from tradewind.model.states import RunState, TaskState
from tradewind.model.timetable import Never
from tradewind.operations.choose_tasks import Selection
from tradewind.operations.clear_tasks import clear_tasks
from tradewind.operations.delete import delete_run
from tradewind.operations.manage_pools import create_pool, update_pool
from tradewind.operations.mark_state import mark_run, mark_tasks
from tradewind.operations.pause_dag import pause_dag
from tradewind.operations.publish_dag import publish_dag
from tradewind.operations.trigger_run import RunRequest, trigger_run
from tradewind.storage.interface import Transaction

_MARKS = (TaskState.SUCCESS, TaskState.FAILED, TaskState.SKIPPED)


class People:
    """One process for all of them: each request is a transaction of its own anyway."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._rng = world.kernel.rng
        self.process = Process(world.kernel, "person", "person")
        self._clock = VirtualClock(self.process)
        self._store = world.store(self.process)
        self._extra_runs = 0
        self._answers = 0
        self._is_meddling = False
        self._runs_to_ask_for = len(world.scenario.runs)

    def begin(self) -> None:
        """Publish everything, then ask for the planned runs, and (not in a calm seed) do one thing after another."""
        self.process.spawn("publishing", self._publish)

    @property
    def has_asked_for_all(self) -> bool:
        """Whether all planned runs were asked for. Before that, that nothing is left to do means nothing."""
        return self._runs_to_ask_for <= 0

    def calm_down(self) -> None:
        """Undo what would keep runs from ending."""
        self.process.spawn("calming down", self._calm_down)

    def _do(self, work: Callable[[Transaction], object]) -> None:
        """Until there is an answer; a refusal is one."""
        while True:
            try:
                self._store.transact(work)
            except (NotFound, Conflict) as error:
                self._world.kernel.say("person", f"refused: {error}")
            except DatabaseError:
                self._clock.sleep(1.0)
                continue
            return

    def _publish(self) -> None:
        scenario = self._world.scenario

        def publish(tx: Transaction) -> None:
            for pool in scenario.pools:
                if tx.pools.find(pool.name) is None:
                    create_pool(tx, pool)
            for dag in scenario.dags:
                version_key = publish_dag(tx, dag, self._clock.now(), is_paused_by_default=False)
                self._world.watch.dags[version_key] = dag

        self._do(publish)
        for plan in scenario.runs:
            request = RunRequest(plan.dag_id, plan.run_id, logical_date=plan.logical_date)
            if scenario.is_calm:
                self._trigger(request)  # one after another: which run begins first must not be left to chance
            else:
                self.process.spawn(plan.run_id, partial(self._trigger, request), plan.at_s)
        for number, backfill in enumerate(scenario.backfills):
            self.process.spawn(f"backfill{number}", partial(self._backfill, backfill), backfill.at_s)
        if not scenario.is_calm:
            self.process.spawn("meddling", self._meddle, self._rng.uniform(2, 20))

    def _trigger(self, request: RunRequest) -> None:
        structures = self._world.structures
        self._do(lambda tx: trigger_run(tx, request, structures, self._clock.now(), suffix="00000000"))
        self._runs_to_ask_for -= 1

    def _backfill(self, planned: PlannedBackfill) -> None:
        dag_id, structures = planned.request.dag_id, self._world.structures
        self._world.kernel.say("person", f"backfills {planned.request}")
        self._do(lambda tx: backfills.begin(tx, planned.request, structures, self._clock.now()))
        if planned.pauses_after_s is not None:
            self._clock.sleep(planned.pauses_after_s)
            self._do(lambda tx: backfills.pause(tx, dag_id, self._clock.now(), is_paused=True))
            self._clock.sleep(planned.pauses_after_s)
            self._do(lambda tx: backfills.pause(tx, dag_id, self._clock.now(), is_paused=False))
        if planned.cancels_after_s is not None:
            self._clock.sleep(planned.cancels_after_s)
            self._do(lambda tx: backfills.cancel(tx, dag_id, structures, self._clock.now()))

    def _meddle(self) -> None:
        actions = (
            self._clear,
            self._clear,
            self._mark,
            self._mark_run,
            self._pause,
            self._resize,
            self._ask,
            self._delete,
            *(self._answer for _ in range(6 if asking_weight(self._world.scenario.seed) else 0)),
        )
        pace_s = self._rng.choice((3, 10, 30, 400))
        while self._world.faults.is_active:
            self._is_meddling = True
            self._rng.choice(actions)()
            self._is_meddling = False
            self._clock.sleep(self._rng.expovariate(1 / pace_s))

    def _some_run(self) -> RunRow | None:
        runs = list(self._world.mirror.runs.values())
        return self._rng.choice(runs) if runs else None

    def _selection(self, run: RunRow) -> Selection:
        rng = self._rng
        rows = list(run.tasks.values())
        chosen = rng.sample(rows, min(len(rows), rng.choice((1, 1, 2))))
        one = chosen[0].key.map_index if len(chosen) == 1 and rng.random() < 0.5 else None
        return Selection(
            run.dag_id,
            run.run_id,
            task_ids=None if rng.random() < 0.15 else tuple(sorted({row.key.task_id for row in chosen})),
            map_indexes=None if one is None else (one,),
            upstream=rng.random() < 0.2,
            downstream=rng.random() < 0.5,
            past=rng.random() < 0.1,
            future=rng.random() < 0.1,
            only_failed=rng.random() < 0.2,
        )

    def _clear(self) -> None:
        run = self._some_run()
        if run is None or not run.tasks:
            return
        selection = self._selection(run)
        self._world.kernel.say("person", f"clears {selection}")
        self._do(lambda tx: clear_tasks(tx, selection, self._world.structures, self._clock.now()))

    def _mark(self) -> None:
        run = self._some_run()
        if run is None or not run.tasks:
            return
        selection, state = self._selection(run), self._rng.choice(_MARKS)
        self._world.kernel.say("person", f"marks {state} {selection}")
        self._do(lambda tx: mark_tasks(tx, selection, state, self._world.structures, self._clock.now()))

    def _mark_run(self) -> None:
        run = self._some_run()
        if run is None or self._rng.random() < 0.5:
            return
        state = self._rng.choice((RunState.SUCCESS, RunState.FAILED))
        self._world.kernel.say("person", f"marks r{run.key} {state}")
        structures = self._world.structures
        self._do(lambda tx: mark_run(tx, run.dag_id, run.run_id, state, structures, self._clock.now()))

    def _pause(self) -> None:
        dag = self._rng.choice(self._world.scenario.dags)
        is_paused = self._rng.random() < 0.5
        self._world.kernel.say("person", f"pauses {dag.dag_id}: {is_paused}")
        self._do(lambda tx: pause_dag(tx, dag.dag_id, self._clock.now(), is_paused=is_paused))

    def _resize(self) -> None:
        pool = self._rng.choice(self._world.scenario.pools)
        changed = replace(pool, slots=self._rng.choice((0, 1, 2, 3, 10)), include_deferred=self._rng.random() < 0.5)
        self._world.kernel.say("person", f"resizes {changed.name} to {changed.slots}")
        self._do(lambda tx: update_pool(tx, changed))

    def _ask(self) -> None:
        if self._extra_runs >= 2:
            return
        self._extra_runs += 1
        dag = self._rng.choice(self._world.scenario.dags)
        self._trigger(RunRequest(dag.dag_id, f"extra{self._extra_runs}"))

    def _delete(self) -> None:
        run = self._some_run()
        dags = {dag.dag_id: dag for dag in self._world.scenario.dags}
        if run is None or self._rng.random() < 0.7 or run.dag_id not in dags:
            return
        if not isinstance(dags[run.dag_id].timetable, Never):
            return
        self._world.kernel.say("person", f"deletes r{run.key}")
        self._do(lambda tx: delete_run(tx, run.dag_id, run.run_id, self._world.structures, self._clock.now()))

    def _answer(self) -> None:
        question = some_open_question(self._world.database.raw, self._rng)
        if question is None:
            return
        self._answers += 1
        who, choice = f"person {self._answers}", self._rng.choice(("yes", "no"))
        self._world.kernel.say("person", f"answers {question}: {choice}")
        self._do(lambda tx: answer(tx, question, who, self._clock.now(), choice))

    def _calm_down(self) -> None:
        def undo(tx: Transaction) -> None:
            for pool in self._world.scenario.pools:
                update_pool(tx, pool)
            for dag in self._world.scenario.dags:
                pause_dag(tx, dag.dag_id, self._clock.now(), is_paused=False)

        while self._is_meddling:
            self._clock.sleep(1.0)
        self._do(undo)
