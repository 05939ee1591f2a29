"""Links from a task to a page elsewhere: the log of a cluster, the job in a console."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

if TYPE_CHECKING:
    from tradewind.sdk.abstract_operator import AbstractOperator


class TaskInstanceKey(NamedTuple):
    """Which attempt of which task instance."""

    dag_id: str
    task_id: str
    run_id: str
    try_number: int = 1
    map_index: int = -1

    @property
    def primary(self) -> tuple[str, str, str, int]:
        """The task instance, whichever attempt."""
        return self.dag_id, self.task_id, self.run_id, self.map_index

    @property
    def key(self) -> TaskInstanceKey:
        """Itself: a task instance has the same attribute."""
        return self

    def with_try_number(self, try_number: int) -> TaskInstanceKey:
        """Another attempt of the same task instance."""
        return self._replace(try_number=try_number)

    @classmethod
    def from_dict(cls, dictionary: dict[str, Any]) -> TaskInstanceKey:
        """From the fields by name."""
        return cls(**dictionary)


class BaseOperatorLink(ABC):
    """A button on the page of a task. It is evaluated after the task ran, and kept as an XCom."""

    operators: ClassVar[list[type[Any]]] = []
    """The operators that a plugin gives this link to."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What is written on the button."""

    @property
    def xcom_key(self) -> str:
        """The key of the XCom that holds the address."""
        return f"_link_{type(self).__name__}"

    @abstractmethod
    def get_link(self, operator: AbstractOperator, *, ti_key: TaskInstanceKey) -> str:
        """The address for one task instance."""
