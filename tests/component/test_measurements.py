"""What the scheduler tells of pools."""

from tests.component.world import PatientExecutor, World
from tradewind.model.dag import Task
from tradewind.model.mapping import FixedLength
from tradewind.telemetry.events import PoolMeasured


def test_the_use_of_each_pool_is_told_at_its_interval(any_world: World) -> None:
    """B6 (pool_metrics_interval), B8: slots waiting, queued, running and in all."""
    any_world.pool("gpu", 4)
    any_world.dag(Task("train", pool="gpu", pool_slots=2, mapping=FixedLength(3)))
    any_world.trigger()
    any_world.scheduler(PatientExecutor(any_world.clock))
    any_world.settle()

    any_world.pass_time(5.0)

    gpu = [event for event in any_world.told(PoolMeasured) if event.pool == "gpu"]
    assert gpu[0] == PoolMeasured("gpu", slots=4, waiting=0, queued=0, running=0, deferred=0, open=4)
    assert gpu[-1] == PoolMeasured("gpu", slots=4, waiting=2, queued=0, running=4, deferred=0, open=0, starving=1)
