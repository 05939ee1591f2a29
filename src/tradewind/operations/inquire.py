"""Tasks ask people, and go on with the answer: once, and only at the attempt that asked."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Final

from tradewind.decide.inquiry import answer_at_timeout, event_of, is_past, problem_with_choice, why_too_late
from tradewind.errors import Conflict, InvalidRequest, NotFound, UnknownRun, UnknownTask
from tradewind.model.ids import UNMAPPED, AttemptKey, TaskKey
from tradewind.model.inquiry import HumanAnswer, Inquiry
from tradewind.model.json_value import JsonValue
from tradewind.model.task import TaskInstance
from tradewind.operations.check_conf import check_conf
from tradewind.operations.report_tasks import resume_tasks
from tradewind.operations.resumptions import with_event
from tradewind.storage.interface import Transaction

_TAGS: Final = frozenset({"__classname__", "__id__", "__type"})
"""Where the SDK reads more than plain JSON. Who fills in a form must not choose what a worker makes of it."""


def find_inquiry(
    tx: Transaction, dag_id: str, run_id: str, task_id: str, *, map_index: int = UNMAPPED
) -> tuple[TaskInstance, Inquiry]:
    """What a task instance asks, or has asked in the try that it is at. It stays as it is until the transaction ends.

    Raises:
        UnknownRun, UnknownTask: as the name says.
        NotFound: it asks nothing.
        Conflict: it has gone on in between.
    """
    run = tx.runs.find(dag_id, run_id)
    if run is None:
        raise UnknownRun(dag_id, run_id)
    key = TaskKey(run.key, task_id, map_index)
    seen = tx.tasks.snapshots([key])
    if not seen:
        raise UnknownTask(dag_id, task_id, map_index)
    # Locked before the question is read: the task may just be leaving its worker, and looks for an answer after that.
    locked = tx.attempts.lock([AttemptKey(*key, seen[0].attempt)])
    if not locked:
        raise Conflict(f"task {task_id!r} of run {run_id!r} has just gone on")
    task = locked[0]
    inquiry = tx.inquiries.find(key, task.try_number)
    if inquiry is None or is_past(task.state):
        raise NotFound(f"task {task_id!r} of run {run_id!r} asks nobody anything")
    return task, inquiry


def answer_inquiry(tx: Transaction, task: TaskInstance, inquiry: Inquiry, answer: HumanAnswer) -> None:
    """Somebody answers what `find_inquiry` found, and the task goes on.

    Raises:
        Conflict: somebody else was faster, or the task does not wait for it any more.
        InvalidRequest: an answer that the question does not allow.
    """
    too_late = why_too_late(inquiry, task.state, task.attempt)
    if too_late is not None:
        raise Conflict(too_late)
    check_answer(inquiry, answer.chosen_options, answer.params_input)
    if not tx.inquiries.answer(inquiry, answer):
        raise Conflict("the question has just been answered, or another one was asked")
    _resume(tx, {inquiry.attempt: answer}, answer.at)


def check_answer(inquiry: Inquiry, chosen: Sequence[str], params_input: Mapping[str, JsonValue]) -> None:
    """Refuse what the question does not allow. A form may be left as it is, if that is a valid answer.

    Raises:
        InvalidRequest: says what is wrong.
    """
    problem = problem_with_choice(inquiry, tuple(chosen))
    if problem is not None:
        raise InvalidRequest(problem)
    if inquiry.params and params_input and set(inquiry.params) != set(params_input):
        raise InvalidRequest(f"the form has {sorted(inquiry.params)}, but the answer has {sorted(params_input)}")
    given: JsonValue = dict(params_input)
    _refuse_tags(given)
    form: JsonValue = {
        name: param for name, param in inquiry.params.items() if isinstance(param, dict) and "schema" in param
    }
    check_conf(form, given, name="params_input")


def resume_answered(tx: Transaction, attempts: Sequence[AttemptKey], now: datetime) -> None:
    """Let those of these attempts go on that wait and whose question was answered."""
    asked = tx.inquiries.of_attempts(attempts)
    _resume(tx, {attempt: each.answer for attempt, each in asked.items() if each.answer is not None}, now)


def events_at_timeout(
    tx: Transaction, attempts: Collection[AttemptKey], now: datetime
) -> dict[TaskKey, Mapping[str, JsonValue]]:
    """Nobody answered in time what these asked: what they go on with. Defaults become the answer, by nobody."""
    events: dict[TaskKey, Mapping[str, JsonValue]] = {}
    for attempt, inquiry in tx.inquiries.of_attempts(attempts).items():
        answer = answer_at_timeout(inquiry, now)
        if answer is not None:
            tx.inquiries.answer(inquiry, answer)
        events[attempt.task] = event_of(answer)
    return events


def _resume(tx: Transaction, answers: Mapping[AttemptKey, HumanAnswer], now: datetime) -> None:
    if not answers:
        return
    resumed = resume_tasks(tx, sorted(answers), now)
    events = {attempt.task: event_of(answer) for attempt, answer in answers.items()}
    stored = tx.deferrals.of_tasks(resumed)
    tx.deferrals.put([with_event(deferral, dict(events[key])) for key, deferral in stored.items()])


def _refuse_tags(value: JsonValue) -> None:
    left = [value]
    while left:
        each = left.pop()
        if isinstance(each, dict):
            reserved = _TAGS & each.keys()
            if reserved:
                raise InvalidRequest(f"params_input has the key {min(reserved)!r}, which is reserved")
            left.extend(each.values())
        elif isinstance(each, list):
            left.extend(each)
