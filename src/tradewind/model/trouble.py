"""What a trigger or a watcher did to others that share its event loop."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """By default nothing."""

    blocks: int = 0
    """How often it held them up."""
    blocked_at: datetime | None = None
    """When it did so last, and where it was then."""
    stack: str | None = None
    is_quarantined: bool = False
    """Whether it is kept apart from them."""
