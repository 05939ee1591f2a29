"""Tasks that do nothing but stand in the graph."""

from typing import Any, ClassVar

from tradewind.sdk.context import Context
from tradewind.sdk.operator import BaseOperator


class EmptyOperator(BaseOperator):
    """Does nothing, so the scheduler ends it without a worker unless it has callbacks or assets."""

    ui_color = "#e8f7e4"
    does_nothing: ClassVar[bool] = True

    def execute(self, context: Context) -> Any:
        """Nothing."""
