"""A task instance as the engine holds it in memory."""

from tradewind.model.ids import UNMAPPED
from tradewind.model.states import OCCUPYING_STATES, HeldBy, TaskState

_LIMITS = (HeldBy.MAX_ACTIVE_TASKS, HeldBy.MAX_ACTIVE_PER_RUN)


class Cell:
    """One task instance of one run. Changed in place by `progress`; true only as far as the guarded writes say."""

    __slots__ = (
        "attempt",
        "held_by",
        "is_due",
        "map_index",
        "map_length",
        "number",
        "past_ok",
        "skips",
        "state",
        "try_number",
    )

    def __init__(self, number: int, map_index: int = UNMAPPED) -> None:
        self.number = number
        self.map_index = map_index
        self.state = TaskState.NONE
        self.attempt = 0
        self.try_number = 0
        self.held_by: HeldBy | None = None
        self.is_due = True
        self.map_length: int | None = None
        self.skips: tuple[str, ...] = ()
        self.past_ok = False

    @property
    def is_through(self) -> bool:
        """Whether it uses up a place of its run's limits: it competes for slots, or has them."""
        return self.state in OCCUPYING_STATES or (self.state is TaskState.SCHEDULED and self.held_by is None)

    @property
    def is_held(self) -> bool:
        """Whether it is scheduled and a limit of its own run keeps it back: nothing else is for the gate to decide."""
        return self.state is TaskState.SCHEDULED and self.held_by in _LIMITS
