"""Updates of assets and ticks that wait for them, in a simulation: who makes them, and what must hold.

13. Each update is delivered to each DAG that waits for it, and consumed at most once for each: what is consumed stays
    so. A run by assets has consumed what its condition needs, and one update only where one is enough. In the end
    nothing that would suffice is left lying, unless its DAG is paused.
14. A tick is one slot. One that is open has its run, and no other slot has the same; each run of such a timetable has
    its slot. Where the DAG does not catch up, only the last slot waits: an update counts until the next tick, and what
    a slot that was superseded needs had not come until then. None waits past its deadline in vain.
"""

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from itertools import pairwise

import sqlalchemy as sa

from tests.simulation.asset_plan import STEP_S, A, B
from tests.simulation.kernel import Process, VirtualClock
from tests.simulation.world import World
from tradewind.errors import DatabaseError
from tradewind.model.asset import AllAssets
from tradewind.model.dag import Dag, Task
from tradewind.model.slot_policy import OnDeadline
from tradewind.model.timetable import AssetAndTime, AssetTriggered
from tradewind.operations.pause_dag import pause_dag
from tradewind.operations.publish_dag import publish_dag
from tradewind.operations.record_asset_events import add_asset_events
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.shared_stores import NewAssetEvent


class Outside:
    """Whoever declares the assets, updates them, and reads the files of DAGs again."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._plan = world.scenario.updates
        self.process = Process(world.kernel, "outside", "person")
        self._clock = VirtualClock(self.process)
        self._store = world.store(self.process)
        self._left = len(self._plan.updates) + len(self._plan.pauses) + len(self._plan.reads) + bool(self._plan.dags)

    @property
    def is_done(self) -> bool:
        """Whether nothing more is to come from here."""
        return self._left == 0

    def begin(self) -> None:
        """First the DAGs, then all else."""
        if self._plan.dags:
            self.process.spawn("declaring assets", self._declare)

    def _declare(self) -> None:
        source = Dag("source", tasks=(Task("make", outlets=(A, B)),))
        self._do(partial(self._publish, (source, *self._plan.dags)))
        for at_s, names in self._plan.updates:
            self.process.spawn("an update", partial(self._do, partial(self._update, names)), at_s)
        for at_s, dag_id, is_paused in self._plan.pauses:
            self.process.spawn("a pause", partial(self._do, partial(self._pause, dag_id, is_paused)), at_s)
        for number, (at_s, dag_id) in enumerate(self._plan.reads):
            self.process.spawn("a file", partial(self._do, partial(self._read, dag_id, number)), at_s)

    def _do(self, work: Callable[[Transaction], object]) -> None:
        while True:
            try:
                self._store.transact(work)
            except DatabaseError:
                self._clock.sleep(1.0)
                continue
            self._left -= 1
            return

    def _publish(self, dags: tuple[Dag, ...], tx: Transaction) -> None:
        for dag in dags:
            version_key = publish_dag(tx, dag, self._clock.now(), is_paused_by_default=False)
            self._world.watch.dags[version_key] = dag

    def _update(self, names: tuple[str, ...], tx: Transaction) -> None:
        keys = {record.name: record.key for record in tx.assets.named(names, ())}
        add_asset_events(tx, [NewAssetEvent(asset_key=keys[name]) for name in names], self._clock.now())

    def _pause(self, dag_id: str, is_paused: bool, tx: Transaction) -> None:
        pause_dag(tx, dag_id, self._clock.now(), is_paused=is_paused)

    def _read(self, dag_id: str, number: int, tx: Transaction) -> None:
        (dag,) = (dag for dag in self._plan.dags if dag.dag_id == dag_id)
        # Its text is another, and so it is a new version.
        self._publish((replace(dag, description=f"read {number}"),), tx)


def prepare(connection: sa.Connection) -> None:
    """Note each update that is consumed although it was, and the last update before each slot that is superseded:
    clocks are wrong at times, and nobody waits for what is still to come."""
    connection.exec_driver_sql("CREATE TEMP TABLE consumed_again (dag_id, event_key)")
    connection.exec_driver_sql(
        "CREATE TEMP TRIGGER watch_delivery AFTER UPDATE OF run_key ON main.asset_delivery"
        " WHEN OLD.run_key IS NOT NULL BEGIN INSERT INTO consumed_again VALUES (NEW.dag_id, NEW.event_key); END"
    )
    connection.exec_driver_sql("CREATE TEMP TABLE superseded_after (slot_key, event_key)")
    connection.exec_driver_sql(
        "CREATE TEMP TRIGGER watch_slot AFTER UPDATE OF state ON main.schedule_slot WHEN NEW.state = 'superseded'"
        " BEGIN INSERT INTO superseded_after SELECT NEW.slot_key, coalesce(max(event_key), 0) FROM asset_event; END"
    )


def is_any_change_pending(raw: sqlite3.Connection) -> bool:
    """Whether a scheduler still has to look at a DAG, or will when a deadline passes or a run has ended."""
    query = """
        SELECT 1 FROM dag_change UNION ALL
        SELECT 1 FROM asset_event WHERE batch_key = -1 UNION ALL
        SELECT 1 FROM dag JOIN asset_delivery USING (dag_id) WHERE is_at_run_limit AND run_key IS NULL UNION ALL
        SELECT 1 FROM schedule_slot JOIN dag USING (dag_id) WHERE deadline_at IS NOT NULL AND NOT is_paused LIMIT 1
    """
    return raw.execute(query).fetchone() is not None


def end_violations(world: World) -> Iterator[str]:
    """What is wrong with updates and slots when all is over."""
    raw = world.database.raw
    for dag_id, event in raw.execute("SELECT * FROM temp.consumed_again"):
        yield f"{dag_id} has consumed the update {event} twice"
    if is_any_change_pending(raw):
        yield "nobody looks at a DAG that something has come for"
    paused = world.watch.paused_dags()
    for dag in world.scenario.updates.dags:
        yield from _delivery_violations(raw, dag)
        if dag.dag_id not in paused and isinstance(dag.timetable, AssetTriggered) and _holds(dag, _pending(raw, dag)):
            yield f"updates of {sorted(_pending(raw, dag))} wait for {dag.dag_id}, which would do"
        if isinstance(dag.timetable, AssetAndTime):
            yield from _slot_violations(raw, dag, dag.timetable)


def _pending(raw: sqlite3.Connection, dag: Dag) -> set[str]:
    query = "SELECT DISTINCT name FROM asset_delivery JOIN asset USING (asset_key) WHERE dag_id = ? AND run_key IS NULL"
    return {row[0] for row in raw.execute(query, (dag.dag_id,))}


def _holds(dag: Dag, names: set[str]) -> bool:
    return names == {"a", "b"} if isinstance(dag.assets, AllAssets) else bool(names)


def _awaited(dag: Dag) -> set[str]:
    return {"a"} if dag.assets == A else {"a", "b"}


# Of those that came together there is one row.
_DELIVERED = """
    SELECT count(*), count(DISTINCT event_key) FROM (
        SELECT event_key FROM asset_delivery WHERE dag_id = :dag_id AND batch_key IS NULL UNION ALL
        SELECT e.event_key FROM asset_delivery d JOIN asset_event e ON e.batch_key = d.batch_key
        WHERE d.dag_id = :dag_id
    )
"""


def _delivery_violations(raw: sqlite3.Connection, dag: Dag) -> Iterator[str]:
    names = sorted(_awaited(dag))
    marks = ", ".join("?" * len(names))
    query = f"SELECT count(*) FROM asset_event JOIN asset USING (asset_key) WHERE name IN ({marks})"
    (events,) = raw.execute(query, names).fetchone()
    delivered, different = raw.execute(_DELIVERED, {"dag_id": dag.dag_id}).fetchone()
    if not events == delivered == different:
        yield f"of {events} updates {different} were delivered to {dag.dag_id}, in {delivered} deliveries"
    query = """
        SELECT r.run_key, group_concat(a.name), count(a.name) FROM dag_run r
        LEFT JOIN asset_delivery d ON d.run_key = r.run_key AND d.dag_id = r.dag_id
        LEFT JOIN asset a USING (asset_key)
        WHERE r.dag_id = ? AND r.run_type = 'asset_triggered' GROUP BY r.run_key
    """
    for run_key, consumed, number in raw.execute(query, (dag.dag_id,)):
        if not _holds(dag, set((consumed or "").split(",")) - {""}):
            yield f"r{run_key} of {dag.dag_id} was made for {consumed}, which does not do"
        if number != 1 and not isinstance(dag.assets, AllAssets):
            yield f"r{run_key} of {dag.dag_id} was made for {number} updates, and one does"


def _slot_violations(raw: sqlite3.Connection, dag: Dag, gate: AssetAndTime) -> Iterator[str]:
    query = """
        SELECT s.state, s.run_after, s.run_key, r.run_key, r.run_after FROM schedule_slot s
        LEFT JOIN dag_run r ON r.run_key = s.run_key WHERE s.dag_id = ? ORDER BY s.run_after
    """
    slots = raw.execute(query, (dag.dag_id,)).fetchall()
    for state, tick, run_key, found, run_after in slots:
        has_run = state == "open" or (state == "expired" and gate.on_deadline is OnDeadline.FAIL)
        if has_run != (run_key is not None) or found != run_key or (found is not None and run_after != tick):
            yield f"the slot {tick} of {dag.dag_id} is {state} with the run {run_key}"
    if not dag.catchup:
        yield from _turn_violations(raw, dag, [(row[0], datetime.fromisoformat(row[1]), row[2]) for row in slots])
    query = "SELECT count(*) FROM dag_run WHERE dag_id = ? AND run_type = 'scheduled'"
    (runs,) = raw.execute(query, (dag.dag_id,)).fetchone()
    with_run = {run_key for _, _, run_key, *_ in slots if run_key is not None}
    if len(with_run) != runs or len(with_run) != sum(run_key is not None for _, _, run_key, *_ in slots):
        yield f"{dag.dag_id} has {runs} runs by its timetable, and {len(with_run)} slots with a run"
    ticks = [datetime.fromisoformat(tick) for _, tick, *_ in slots]
    steps = {(later - earlier).total_seconds() for earlier, later in pairwise(ticks)}
    if dag.catchup and steps - {STEP_S}:
        yield f"{dag.dag_id} has lost ticks: it has {[str(tick) for tick in ticks]}"


def _turn_violations(raw: sqlite3.Connection, dag: Dag, slots: list[tuple[str, datetime, int | None]]) -> Iterator[str]:
    query = """
        SELECT name, d.created_at, run_key, event_key FROM asset_delivery d JOIN asset USING (asset_key)
        WHERE dag_id = ?
    """
    updates = [(name, datetime.fromisoformat(at), *keys) for name, at, *keys in raw.execute(query, (dag.dag_id,))]
    query = "SELECT run_after, event_key FROM superseded_after JOIN schedule_slot USING (slot_key) WHERE dag_id = ?"
    last_events = {datetime.fromisoformat(tick): event for tick, event in raw.execute(query, (dag.dag_id,))}
    ticks = {run_key: tick for _, tick, run_key in slots if run_key is not None}
    for state, tick, run_key in slots:
        next_tick = tick + timedelta(seconds=STEP_S)
        has_next = tick != slots[-1][1]
        if state == "waiting" and has_next:
            yield f"the slot {tick} of {dag.dag_id} waits, which does not catch up, and a later one is there"
        if has_next and any(key == run_key and at >= next_tick for _, at, key, _ in updates if key is not None):
            yield f"the slot {tick} of {dag.dag_id} has consumed an update from after the next tick"
        left = {
            name
            for name, at, key, event in updates
            if at < next_tick and event <= last_events.get(tick, 0) and (key is None or ticks[key] > tick)
        }
        if state == "superseded" and _holds(dag, left):
            yield f"the slot {tick} of {dag.dag_id} was superseded although {sorted(left)} had come"
