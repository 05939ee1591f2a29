"""Which updates of assets there are in a simulation, and which DAGs wait for them."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from tradewind.model.asset import AllAssets, AnyAsset, AssetExpression, AssetRef
from tradewind.model.dag import Dag, Task
from tradewind.model.slot_policy import OnDeadline
from tradewind.model.timetable import AssetAndTime, AssetTriggered, Delta, DeltaTrigger, Timetable

A, B = AssetRef("a", "s3://a"), AssetRef("b", "s3://b")
_CONDITIONS: tuple[AssetExpression, ...] = (A, A, AnyAsset((A, B)), AllAssets((A, B)))
STEP_S = 20


@dataclass(frozen=True, slots=True)
class PlannedUpdates:
    """What somebody does from outside."""

    dags: tuple[Dag, ...]
    updates: tuple[tuple[float, tuple[str, ...]], ...]
    """When, and of which assets in one transaction."""
    pauses: tuple[tuple[float, str, bool], ...]
    reads: tuple[tuple[float, str], ...]
    """When a DAG is published anew, with nothing changed but its description."""


NOTHING = PlannedUpdates((), (), (), ())


def planned_updates(seed: int, epoch: datetime, *, is_calm: bool) -> PlannedUpdates:
    """For some seeds only: the others stay what they are."""
    rng = Random(f"assets {seed}")
    if is_calm or rng.random() < 0.6:
        return NOTHING
    dags = tuple(_consumer(rng, f"c{number}", epoch) for number in range(rng.choice((1, 2, 3))))
    updates = tuple(
        (rng.uniform(0, 110), rng.choice((("a",), ("a",), ("b",), ("a", "b"), ("a", "a"))))
        for _ in range(rng.choice((3, 8, 15)))
    )
    chosen = [(rng.uniform(0, 60), rng.choice(dags).dag_id) for _ in range(rng.choice((0, 0, 1)))]
    pauses = [each for at_s, dag_id in chosen for each in ((at_s, dag_id, True), (at_s + 40, dag_id, False))]
    reads = [(rng.uniform(0, 90), rng.choice(dags).dag_id) for _ in range(rng.choice((0, 2, 5)))]
    return PlannedUpdates(dags, updates, tuple(pauses), tuple(reads))


def _consumer(rng: Random, dag_id: str, epoch: datetime) -> Dag:
    timetable: Timetable = AssetTriggered()
    start_at = end_at = None
    if rng.random() < 0.6:
        start_at, end_at = epoch, epoch + timedelta(seconds=rng.choice((60, 100)))
        timetable = AssetAndTime(
            DeltaTrigger(Delta(seconds=STEP_S)),
            deadline=rng.choice((None, Delta(seconds=7), Delta(seconds=30))),
            on_deadline=rng.choice(tuple(OnDeadline)),
        )
    return Dag(
        dag_id,
        tasks=(Task("work"),),
        timetable=timetable,
        assets=rng.choice(_CONDITIONS),
        start_at=start_at,
        end_at=end_at,
        catchup=rng.random() < 0.5,
        max_active_runs=rng.choice((1, 2, 16)),
    )
