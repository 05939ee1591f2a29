"""XComs: what tasks left for one another.

Values are shown as they are stored. What a task serialized (a date, a table, an object of its own) is then an object
with the name of its class: no class of an author is ever loaded here.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Final, TypeVar, cast

from fastapi import Depends, Response
from fastapi import Query as Parameter
from pydantic import BaseModel, ConfigDict

from tradewind.api.auth.access import Action, Need, Resource
from tradewind.api.moment import Moment
from tradewind.api.operation import Caller, Operations
from tradewind.api.paging import USUAL, Limit, Offset, is_, listed, matches, starts_with, within
from tradewind.api.public.shown_dag_runs import ANY, of_dag
from tradewind.api.public.xcom_values import as_text, json_of, readable
from tradewind.api.services import Given
from tradewind.errors import UnknownRun
from tradewind.model.ids import UNMAPPED
from tradewind.model.listing import Condition, Listed, Query, Test
from tradewind.operations.manage_xcoms import XComName, create_xcom, delete_xcom, find_xcom, update_xcom
from tradewind.storage.interface import Transaction

operations = Operations("XCom")

_READ: Final = Need(Resource.DAG, Action.READ)
_EDIT: Final = Need(Resource.DAG, Action.EDIT)
_DELETE: Final = Need(Resource.DAG, Action.DELETE)
_ALL: Final = "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/xcomEntries"
_ONE: Final = f"{_ALL}/{{xcom_key:path}}"
_BOUNDS: Final = ("gte", "gt", "lte", "lt")

T = TypeVar("T")
MapIndex = Annotated[int, Parameter(ge=UNMAPPED)]


class XComResponse(BaseModel):
    """An XCom without its value."""

    key: str
    timestamp: datetime
    logical_date: datetime | None
    map_index: int
    task_id: str
    dag_id: str
    run_id: str
    dag_display_name: str
    task_display_name: str
    run_after: datetime


class XComResponseNative(XComResponse):
    """An XCom with its value."""

    value: Any


class XComResponseString(XComResponse):
    """An XCom with its value as a text."""

    value: str | None


class XComCollectionResponse(BaseModel):
    """A page of them."""

    xcom_entries: list[XComResponse]
    total_entries: int


class XComCreateBody(BaseModel):
    """An XCom to be."""

    model_config = ConfigDict(extra="forbid")
    key: str
    value: Any
    map_index: int = UNMAPPED


class XComUpdateBody(BaseModel):
    """Another value."""

    model_config = ConfigDict(extra="forbid")
    value: Any
    map_index: int = UNMAPPED


@dataclass(kw_only=True)
class XComFilter:
    """What XComs may be asked for."""

    xcom_key: str | None = None
    map_index: MapIndex | None = None
    xcom_key_pattern: str | None = None
    xcom_key_prefix_pattern: str | None = None
    dag_display_name_pattern: str | None = None
    dag_display_name_prefix_pattern: str | None = None
    run_id_pattern: str | None = None
    run_id_prefix_pattern: str | None = None
    task_id_pattern: str | None = None
    task_id_prefix_pattern: str | None = None
    map_index_filter: int | None = None
    logical_date_gte: Moment | None = None
    logical_date_gt: Moment | None = None
    logical_date_lte: Moment | None = None
    logical_date_lt: Moment | None = None
    run_after_gte: Moment | None = None
    run_after_gt: Moment | None = None
    run_after_lte: Moment | None = None
    run_after_lt: Moment | None = None

    def conditions(self) -> Iterator[Condition | None]:
        """What a list is asked for."""
        yield is_("key", self.xcom_key)
        yield is_("map_index", self.map_index)
        yield is_("map_index", self.map_index_filter)
        for field, name in (("key", "xcom_key"), *((each,) * 2 for each in ("dag_display_name", "run_id", "task_id"))):
            yield matches(field, getattr(self, f"{name}_pattern"))
            yield starts_with(field, getattr(self, f"{name}_prefix_pattern"))
        for name in ("logical_date", "run_after"):
            yield from within(name, **{bound: getattr(self, f"{name}_{bound}") for bound in _BOUNDS})


@operations.add("GET", _ALL, operation_id="get_xcom_entries", need=_READ)
def get_xcom_entries(
    dag_id: str,
    dag_run_id: str,
    task_id: str,
    services: Given,
    caller: Caller,
    wanted: Annotated[XComFilter, Depends()],
    limit: Limit = USUAL,
    offset: Offset = 0,
    order_by: Annotated[list[str], Parameter()] = ["dag_id", "task_id", "run_id", "map_index", "key"],  # noqa: B006
) -> XComCollectionResponse:
    """Those of a task in a run; `~` stands for all tasks, runs and DAGs. Without their values."""
    conditions = [
        of_dag(dag_id, caller, _READ),
        None if dag_run_id == ANY else is_("run_id", dag_run_id),
        None if task_id == ANY else is_("task_id", task_id),
        *wanted.conditions(),
    ]

    def work(tx: Transaction) -> XComCollectionResponse:
        if ANY not in (dag_id, dag_run_id) and tx.runs.find(dag_id, dag_run_id) is None:
            raise UnknownRun(dag_id, dag_run_id)
        page = listed(tx, Listed.XCOMS, conditions=conditions, order_by=order_by, limit=limit, offset=offset)
        entries = [XComResponse.model_validate(row) for row in page.rows]
        return XComCollectionResponse(xcom_entries=entries, total_entries=page.total)

    return services.store.read(work)


@operations.add("POST", _ALL, operation_id="create_xcom_entry", need=_EDIT, status=201)
def create_xcom_entry(
    dag_id: str, task_id: str, dag_run_id: str, body: XComCreateBody, services: Given
) -> XComResponseNative:
    """Leave a value in the name of a task."""
    name = XComName(dag_id, dag_run_id, task_id, body.key, body.map_index)

    def work(tx: Transaction) -> XComResponse:
        create_xcom(tx, name, body.value, services.clock.now())
        return _described(tx, name)

    return _answer(XComResponseNative, services.store.transact(work), body.value, 201)


@operations.add("GET", _ONE, operation_id="get_xcom_entry", need=_READ)
def get_xcom_entry(
    dag_id: str,
    task_id: str,
    dag_run_id: str,
    xcom_key: str,
    services: Given,
    map_index: MapIndex = UNMAPPED,
    deserialize: bool = False,
    stringify: bool = False,
) -> XComResponseNative | XComResponseString:
    """One of them, with its value as it is stored.

    `deserialize` puts into words what a task serialized; `stringify` makes a text of the value.
    """
    name = XComName(dag_id, dag_run_id, task_id, xcom_key, map_index)
    value, found = services.store.read(lambda tx: (find_xcom(tx, name), _described(tx, name)))
    if deserialize:
        value = readable(value)
    if stringify:
        return _answer(XComResponseString, found, as_text(value))
    return _answer(XComResponseNative, found, value)


@operations.add("PATCH", _ONE, operation_id="update_xcom_entry", need=_EDIT)
def update_xcom_entry(
    dag_id: str, task_id: str, dag_run_id: str, xcom_key: str, body: XComUpdateBody, services: Given
) -> XComResponseNative:
    """Replace its value."""
    name = XComName(dag_id, dag_run_id, task_id, xcom_key, body.map_index)

    def work(tx: Transaction) -> XComResponse:
        update_xcom(tx, name, body.value, services.clock.now())
        return _described(tx, name)

    return _answer(XComResponseNative, services.store.transact(work), body.value)


@operations.add("DELETE", _ONE, operation_id="delete_xcom_entry", need=_DELETE, status=204)
def delete_xcom_entry(
    dag_id: str, task_id: str, dag_run_id: str, xcom_key: str, services: Given, map_index: MapIndex = UNMAPPED
) -> None:
    """Remove it."""
    name = XComName(dag_id, dag_run_id, task_id, xcom_key, map_index)
    services.store.transact(lambda tx: delete_xcom(tx, name))


def _described(tx: Transaction, name: XComName) -> XComResponse:
    conditions = tuple(Condition(field, Test.IS, value) for field, value in name._asdict().items())
    (row,) = tx.listings.page(Listed.XCOMS, Query(conditions, is_counted=False)).rows
    return XComResponse.model_validate(row)


def _answer(kind: type[T], found: XComResponse, value: Any, status: int = 200) -> T:
    """Encoded here: values of authors are of any depth, and have texts that are none in Unicode."""
    described = found.model_dump(mode="json")
    del kind
    return cast("T", Response(json_of({**described, "value": value}), status, media_type="application/json"))
