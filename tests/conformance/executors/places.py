"""Where executors have their work done, as far as the suite must know."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

from tradewind.executors.instant import InstantExecutor
from tradewind.executors.interface import Executor
from tradewind.model.ids import AttemptKey, RunKey
from tradewind.model.task import Started, Succeeded, TaskReport, WorkItem
from tradewind.runtime.clock import SystemClock
from tradewind.testing.executor import KeepingExecutor, KeptWork

PATIENCE_S = 120.0
NAME = "the_executor"


def work_item(number: int, *, attempt: int = 1) -> WorkItem:
    """One attempt of a task of its own."""
    return WorkItem(AttemptKey(RunKey(1), f"t{number}", -1, attempt), "a_dag", "a_queue", 1, number, NAME)


def work_items(count: int) -> list[WorkItem]:
    """Attempts of as many tasks."""
    return [work_item(number) for number in range(count)]


def until(is_true: Callable[[], bool], what: str, instead: Callable[[], str] = str) -> None:
    """Ask again and again, and fail rather than for ever; `instead` says what is the case."""
    deadline = time.monotonic() + PATIENCE_S
    while not is_true():
        assert time.monotonic() < deadline, f"in vain waited until {what}; {instead()}"


class Place(ABC):
    """Workers of one kind, and the executors that lead to them."""

    keeps_work: ClassVar[bool] = True
    """Whether an attempt goes on until the suite lets it end."""
    outlives_schedulers: ClassVar[bool] = True
    """Whether attempts go on without the executor that handed them over."""

    @abstractmethod
    def executor(self) -> Executor:
        """As a scheduler that starts here would make it."""

    @abstractmethod
    def arrived(self) -> list[WorkItem]:
        """What reached the workers so far and was not revoked, in order of arrival."""

    @abstractmethod
    def let_end(self, attempt: AttemptKey) -> None:
        """Let an attempt come to its end."""

    @abstractmethod
    def ended(self) -> set[AttemptKey]:
        """Whose end the engine was told of, by reports or by the workers themselves."""

    @abstractmethod
    def replace_workers(self) -> None:
        """Let the workers die, with all they had; the next ones start with nothing."""

    @abstractmethod
    def freeze(self) -> None:
        """Let the workers hang."""

    @abstractmethod
    def close(self) -> None:
        """End everything."""


class PlaceInProcess(Place):
    """Without workers: nobody to kill, nobody to freeze, nothing to end."""

    outlives_schedulers = False

    def replace_workers(self) -> None:
        pass

    def freeze(self) -> None:
        pass

    def close(self) -> None:
        pass


class InstantPlace(PlaceInProcess):
    """An attempt has ended when it is handed over."""

    keeps_work = False

    def __init__(self) -> None:
        self._arrived: dict[AttemptKey, WorkItem] = {}
        self._executors: list[InstantExecutor] = []
        self._ended: set[AttemptKey] = set()

    def executor(self) -> Executor:
        made = InstantExecutor(SystemClock().now, outcome=self._outcome, name=NAME)
        self._executors.append(made)
        return made

    def _outcome(self, item: WorkItem, now: object) -> tuple[TaskReport, ...]:
        self._arrived[item.attempt] = item
        at = SystemClock().now()
        return (Started(item.attempt, at), Succeeded(item.attempt, at))

    def arrived(self) -> list[WorkItem]:
        return list(self._arrived.values())

    def let_end(self, attempt: AttemptKey) -> None:
        assert attempt in self._arrived

    def ended(self) -> set[AttemptKey]:
        for executor in self._executors:
            self._ended |= {each.attempt for each in executor.reports() if isinstance(each, Succeeded)}
        return self._ended


class KeepingPlace(PlaceInProcess):
    """The harness of `tradewind.testing`: attempts run in this very process."""

    def __init__(self) -> None:
        self._kept = KeptWork()
        self._arrived: dict[AttemptKey, WorkItem] = {}
        self._reports: list[TaskReport] = []
        self._ended: set[AttemptKey] = set()

    def executor(self) -> Executor:
        return KeepingExecutor(NAME, self._kept, self._take_reports)

    def _take_reports(self) -> list[TaskReport]:
        reports, self._reports = self._reports, []
        self._ended |= {each.attempt for each in reports if isinstance(each, Succeeded)}
        return reports

    def arrived(self) -> list[WorkItem]:
        taken = self._kept.take()
        for item in taken:
            self._kept.add(item)
        return taken

    def let_end(self, attempt: AttemptKey) -> None:
        assert self._kept.has([attempt])
        self._kept.drop([attempt])
        self._reports.append(Succeeded(attempt, SystemClock().now()))

    def ended(self) -> set[AttemptKey]:
        self._take_reports()
        return self._ended
