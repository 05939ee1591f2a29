"""A task that puts a link to a song into the log."""

from typing import Any

from tradewind.sdk.context import Context
from tradewind.sdk.operator import BaseOperator


class SmoothOperator(BaseOperator):
    """Puts a link to a song into the log."""

    ui_color = "#e8f7e4"
    yt_link: str = "https://www.youtube.com/watch?v=4TYv2PhG89A"

    def execute(self, context: Context) -> Any:
        """Log the link."""
        self.log.info("Sade, Smooth Operator: %s", self.yt_link)
