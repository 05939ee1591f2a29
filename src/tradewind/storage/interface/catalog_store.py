"""What people see of DAGs besides the DAGs themselves."""

from collections.abc import Collection, Mapping
from typing import NamedTuple, Protocol

from tradewind.model.states import RunState


class RunCounts(NamedTuple):
    """How many runs a DAG has in each state. States without any are left out."""

    dag_id: str
    display_name: str
    by_state: Mapping[RunState, int]


class DagChoices(NamedTuple):
    """What DAGs may be chosen by, each once and in order."""

    owners: list[str]
    bundles: list[str]


class CatalogStore(Protocol):
    """Favorites, numbers of runs. Nothing is locked."""

    def run_counts(self, dag_ids: Collection[str] | None = None) -> list[RunCounts]:
        """Of those of these DAGs (or of all) that have runs, by id."""

    def choices(self, dag_ids: Collection[str] | None = None) -> DagChoices:
        """Of these DAGs (or of all) that are in a file."""

    def favorites(self, user_name: str) -> list[str]:
        """The DAGs that somebody likes, by id."""

    def is_favorite(self, user_name: str, dag_id: str) -> bool:
        """Whether the person has marked the DAG."""

    def add_favorite(self, user_name: str, dag_id: str) -> None:
        """Mark it, which may be so already. The DAG must exist."""

    def remove_favorite(self, user_name: str, dag_id: str) -> bool:
        """Take the mark away. False: there was none."""
