"""An executor of somebody's own, as `[core] executor` may name one."""

from tradewind.executors.context import ExecutorContext
from tradewind.executors.instant import InstantExecutor


class OwnExecutor(InstantExecutor):
    """Its attempts succeed at once."""

    def __init__(self, context: ExecutorContext) -> None:
        super().__init__(context.clock.now, name=context.name)
