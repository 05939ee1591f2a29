"""What tasks ask people: lists of it, one at a time, and answers."""

from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import Depends, HTTPException
from fastapi import Query as Parameter

from tradewind.api.auth.access import Action, Need, Principal, Resource, dags_within_reach, may_answer
from tradewind.api.map_index import MAP_INDEX
from tradewind.api.moment import Moment
from tradewind.api.operation import Caller, Operations
from tradewind.api.paging import USUAL, Limit, Offset, Texts, is_, listed, matches, one_of, starts_with, within
from tradewind.api.public.hitl_schemas import (
    HITLDetail,
    HITLDetailCollection,
    HITLDetailHistory,
    HITLDetailResponse,
    UpdateHITLDetailPayload,
)
from tradewind.api.public.shown_inquiries import details_shown, inquiry_shown
from tradewind.api.public.shown_task_instances import find_row, find_run
from tradewind.api.public.task_instance_filters import state_of, states_condition
from tradewind.api.public.task_instances import ANY, OF_TASK
from tradewind.api.public.task_tries import find_try
from tradewind.api.services import Given
from tradewind.errors import NotFound, UnknownDag
from tradewind.model.ids import TaskKey
from tradewind.model.inquiry import HumanAnswer
from tradewind.model.listing import Condition, Listed, Query, Test
from tradewind.model.task_answers import HITLUserResult
from tradewind.operations.inquire import answer_inquiry, find_inquiry
from tradewind.storage.interface import Transaction

operations = Operations("Task Instance")

_READ: Final = Need(Resource.DAG, Action.READ)
_EDIT: Final = Need(Resource.DAG, Action.EDIT)
_OF_INSTANCE: Final = f"{OF_TASK}/{MAP_INDEX}/hitlDetails"


@dataclass(kw_only=True)
class InquiryFilter:
    """What may be asked for."""

    dag_id_pattern: str | None = None
    dag_id_prefix_pattern: str | None = None
    task_id: str | None = None
    task_id_pattern: str | None = None
    task_id_prefix_pattern: str | None = None
    map_index: int | None = None
    state: Texts
    response_received: bool | None = None
    responded_by_user_id: Texts
    responded_by_user_name: Texts
    subject_search: str | None = None
    body_search: str | None = None
    created_at_gte: Moment | None = None
    created_at_gt: Moment | None = None
    created_at_lte: Moment | None = None
    created_at_lt: Moment | None = None

    def conditions(self) -> list[Condition | None]:
        """What the list is asked for.

        Raises:
            HTTPException: 422; there is no such state.
        """
        received = {None: None, True: Test.IS_NOT, False: Test.IS}[self.response_received]
        return [
            matches("dag_id", self.dag_id_pattern),
            starts_with("dag_id", self.dag_id_prefix_pattern),
            is_("task_id", self.task_id),
            matches("task_id", self.task_id_pattern),
            starts_with("task_id", self.task_id_prefix_pattern),
            is_("map_index", self.map_index),
            states_condition(map(state_of, self.state)),
            None if received is None else Condition("responded_at", received, None),
            one_of("responded_by_user_id", self.responded_by_user_id),
            one_of("responded_by_user_name", self.responded_by_user_name),
            matches("subject", self.subject_search),
            matches("body", self.body_search),
            *within(
                "created_at",
                gte=self.created_at_gte,
                gt=self.created_at_gt,
                lte=self.created_at_lte,
                lt=self.created_at_lt,
            ),
        ]


@operations.add("GET", "/dags/{dag_id}/dagRuns/{dag_run_id}/hitlDetails", operation_id="get_hitl_details", need=_READ)
def get_hitl_details(
    dag_id: str,
    dag_run_id: str,
    services: Given,
    caller: Caller,
    wanted: Annotated[InquiryFilter, Depends()],
    limit: Limit = USUAL,
    offset: Offset = 0,
    order_by: Annotated[list[str], Parameter()] = ["ti_id"],  # noqa: B006 - never changed
) -> HITLDetailCollection:
    """What tasks of a run ask or have asked; `~` stands for all runs, and for all DAGs."""

    def work(tx: Transaction) -> HITLDetailCollection:
        conditions = [*_place(tx, dag_id, dag_run_id, caller), *wanted.conditions()]
        page = listed(tx, Listed.INQUIRIES, conditions=conditions, order_by=order_by, limit=limit, offset=offset)
        return HITLDetailCollection(hitl_details=details_shown(tx, page.rows), total_entries=page.total)

    return services.store.read(work)


@operations.add("GET", _OF_INSTANCE, operation_id="get_hitl_detail", need=_READ)
def get_hitl_detail(dag_id: str, dag_run_id: str, task_id: str, map_index: int, services: Given) -> HITLDetail:
    """What a task instance asks, or has asked in the try that it is at."""

    def work(tx: Transaction) -> HITLDetail:
        found = find_row(tx, dag_id, dag_run_id, task_id, map_index)
        conditions = tuple(Condition(name, Test.IS, found[name]) for name in ("run_key", "task_id", "map_index"))
        rows = tx.listings.page(Listed.INQUIRIES, Query(conditions, is_counted=False)).rows
        if not rows:
            raise NotFound(f"task {task_id!r} of run {dag_run_id!r} asks nobody anything")
        return details_shown(tx, rows)[0]

    return services.store.read(work)


@operations.add("GET", f"{_OF_INSTANCE}/tries/{{try_number}}", operation_id="get_hitl_detail_try_detail", need=_READ)
def get_hitl_detail_try_detail(
    dag_id: str, dag_run_id: str, task_id: str, map_index: int, try_number: int | None, services: Given
) -> HITLDetailHistory:
    """What one try asked, of those that are over or of the one under way."""

    def work(tx: Transaction) -> HITLDetailHistory:
        run = find_run(tx, dag_id, dag_run_id)
        number = try_number or 0
        tried = find_try(tx, dag_id, dag_run_id, task_id, map_index, number)
        inquiry = tx.inquiries.find(TaskKey(run.key, task_id, map_index), number)
        if inquiry is None:
            raise NotFound(f"try {number} of task {task_id!r} of run {dag_run_id!r} asked nobody anything")
        return HITLDetailHistory.model_validate({**inquiry_shown(inquiry), "task_instance": tried})

    return services.store.read(work)


@operations.add("PATCH", _OF_INSTANCE, operation_id="update_hitl_detail", need=_EDIT)
def update_hitl_detail(
    dag_id: str,
    dag_run_id: str,
    task_id: str,
    map_index: int,
    body: UpdateHITLDetailPayload,
    services: Given,
    caller: Caller,
) -> HITLDetailResponse:
    """Answer, so that the task goes on. Only the first answer counts."""
    who = HITLUserResult(caller.name, caller.name)

    def work(tx: Transaction) -> HITLDetailResponse:
        task, inquiry = find_inquiry(tx, dag_id, dag_run_id, task_id, map_index=map_index)
        if not may_answer(caller, [user.id for user in inquiry.assigned_users]):
            raise HTTPException(403, f"the question of task {task_id!r} is not for user {caller.name!r}")
        answer = HumanAnswer(
            chosen_options=tuple(body.chosen_options), params_input=body.params_input, at=services.clock.now(), by=who
        )
        answer_inquiry(tx, task, inquiry, answer)
        return HITLDetailResponse.model_validate(
            {"responded_by": {"id": who.id, "name": who.name}, "responded_at": answer.at, **body.model_dump()}
        )

    return services.store.transact(work)


def _place(tx: Transaction, dag_id: str, run_id: str, caller: Principal) -> list[Condition | None]:
    reach = dags_within_reach(caller, _READ)
    seen = None if reach is None else Condition("dag_id", Test.ONE_OF, sorted(reach))
    if dag_id == ANY:
        return [seen, None if run_id == ANY else is_("run_id", run_id)]
    if run_id != ANY:
        return [seen, is_("run_key", find_run(tx, dag_id, run_id).key)]
    if tx.dags.find(dag_id) is None:
        raise UnknownDag(dag_id)
    return [seen, is_("dag_id", dag_id)]
