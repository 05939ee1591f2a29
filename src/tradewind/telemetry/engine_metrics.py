"""What events mean for metrics: the engine tells what happened, and here it becomes numbers."""

from tradewind.telemetry.counting import Handlers
from tradewind.telemetry.events import Event
from tradewind.telemetry.metric import Sink
from tradewind.telemetry.scheduler_metrics import SchedulerMetrics
from tradewind.telemetry.service_metrics import ServiceMetrics
from tradewind.telemetry.task_metrics import TaskMetrics


class EngineMetrics:
    """A handler of the hub."""

    def __init__(self, sink: Sink) -> None:
        self._handlers: Handlers = {}
        for each in (TaskMetrics(sink), SchedulerMetrics(sink), ServiceMetrics(sink)):
            self._handlers |= each.handlers()

    def __call__(self, event: Event) -> None:
        """One event. Most kinds are nobody's."""
        handle = self._handlers.get(type(event))
        if handle is not None:
            handle(event)
