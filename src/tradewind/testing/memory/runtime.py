"""The runtime of one task instance in a test."""

from tradewind.testing.memory.assets import MemoryAssets
from tradewind.testing.memory.questions import MemoryQuestions
from tradewind.testing.memory.seat import Seat
from tradewind.testing.memory.secrets import MemorySecrets
from tradewind.testing.memory.states import MemoryStates
from tradewind.testing.memory.tasks import StoredTasks
from tradewind.testing.memory.xcoms import MemoryXComs


class MemoryRuntime(MemorySecrets, MemoryXComs, MemoryStates, MemoryAssets, StoredTasks, MemoryQuestions):
    """Implements `sdk.runtime.Runtime`."""

    def __init__(self, seat: Seat) -> None:
        self.seat = seat
