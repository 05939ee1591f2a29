"""Links of operators to pages elsewhere, as their tasks left them."""

from typing import Any, Final
from urllib.parse import urlsplit

from pydantic import BaseModel

from tradewind.api.auth.access import Action, Need, Resource
from tradewind.api.operation import Operations
from tradewind.api.services import Given
from tradewind.errors import UnknownRun, UnknownTask
from tradewind.model.dag import Task
from tradewind.model.ids import UNMAPPED, TaskKey
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.kept_stores import XComPlace

operations = Operations("Extra Links")

_READ: Final = Need(Resource.DAG, Action.READ)
_HARMLESS: Final = frozenset({"", "http", "https", "ftp", "mailto"})
"""Of what an address may begin with. Others run in the page of whoever follows the link."""


class ExtraLinkCollectionResponse(BaseModel):
    """By what is written on them; null while the task has not left the address."""

    extra_links: dict[str, str | None]
    total_entries: int


@operations.add(
    "GET",
    "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/links",
    operation_id="get_extra_links",
    need=_READ,
)
def get_extra_links(
    dag_id: str,
    dag_run_id: str,
    task_id: str,
    services: Given,
    map_index: int = UNMAPPED,
    try_number: int | None = None,
) -> ExtraLinkCollectionResponse:
    """Those of a task instance. The addresses are those of its latest try, whichever is asked for."""
    del try_number

    def work(tx: Transaction) -> ExtraLinkCollectionResponse:
        run = tx.runs.find(dag_id, dag_run_id)
        if run is None:
            raise UnknownRun(dag_id, dag_run_id)
        structure = services.structures.get(tx, run.version_key)
        number = structure.index.get(task_id)
        if number is None or tx.lookups.task(TaskKey(run.key, task_id, map_index)) is None:
            raise UnknownTask(dag_id, task_id, map_index)
        links = {
            name: _address(tx.xcoms.find(XComPlace(run.key, task_id, key), map_index))
            for name, key in _links(structure.tasks[number]).items()
        }
        return ExtraLinkCollectionResponse(extra_links=links, total_entries=len(links))

    return services.store.read(work)


def _links(task: Task) -> dict[str, str]:
    """The key of the XCom of each; see `dag_processor.compile.task`."""
    details: Any = task.details if isinstance(task.details, dict) else {}
    return dict(zip(details.get("extra_links", ()), details.get("extra_link_keys", ()), strict=False))


def _address(found: Any) -> str | None:
    address = None if found is None else found.value
    if not isinstance(address, str):
        return None
    try:
        return address if urlsplit(address.strip()).scheme.lower() in _HARMLESS else None
    except ValueError:
        return None
