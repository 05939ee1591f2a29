"""Duty: have authors' code say when their deadlines are."""

from datetime import timedelta

import msgspec

from tradewind.dag_processor.outcome import due_at_of, to_parse
from tradewind.dag_processor.protocol import DeadlineCall, Outcome
from tradewind.dag_processor.read_files import LEASE_S, make_request
from tradewind.dag_processor.run_callbacks import root_of
from tradewind.dag_processor.state import ProcessorState, TakenDeadline
from tradewind.errors import DagUnusable
from tradewind.model.dag_file import FileKey, FileName
from tradewind.model.deadline import Deadline, DeadlineKey, DeadlineState
from tradewind.model.ids import JobKey
from tradewind.operations.deadlines import AuthorsWork, is_given_up, with_rules
from tradewind.operations.publish_files import error_text
from tradewind.operations.structures import Structures
from tradewind.operations.task_requests.runs import as_result
from tradewind.storage.interface import Transaction

_GIVEN_UP = "the process that dealt with it ended, more than once, without an answer"


def start_deadlines(state: ProcessorState) -> int:
    """Take deadlines and hand them to children. Returns how many."""
    ready = {bundle.name: bundle for bundle in state.bundles if bundle.folder is not None}
    now, job = state.clock.now(), state.job

    def take(tx: Transaction) -> list[tuple[AuthorsWork, FileName]]:
        limit = state.settings.dag_processor.max_callbacks_per_loop
        taken = tx.deadlines.claim(ready, limit, job, now=now, until=now + timedelta(seconds=LEASE_S))
        files = {deadline.key: file for deadline, file in taken}
        usable = [deadline for deadline, _ in taken if not is_given_up(deadline)]
        for deadline, _ in taken:
            if deadline not in usable:
                tx.deadlines.end(deadline.key, deadline.state, DeadlineState.FAILED, _GIVEN_UP, job)
        return [(work, files[work.deadline.key]) for work in _work(tx, usable, job)]

    chosen = state.store.transact(take)
    for work, file in chosen:
        bundle = ready[file.bundle]
        request = make_request(state, bundle, file.path)
        root = root_of(bundle, work.run.bundle_version)
        request = msgspec.structs.replace(request, root=str(root), deadline=_call(work))
        state.deadlines[request.number] = TakenDeadline(work, request, job)
        state.pool.submit(request)
    return len(chosen)


def finish_deadline(state: ProcessorState, outcome: Outcome) -> None:
    """Store when it is due."""
    work, request, job = state.deadlines.pop(outcome.number)
    deadline = work.deadline
    parse = to_parse(outcome, request, key=FileKey(0), environment="", bundle_version=None, known_hash="")
    error = error_text(parse.problems) if parse.problems else None
    due_at = due_at_of(outcome)

    def store(tx: Transaction) -> None:
        if error is not None:
            tx.deadlines.end(deadline.key, deadline.state, DeadlineState.FAILED, error, job)
        elif due_at is None:
            tx.deadlines.withdraw(deadline.key, job)
        else:
            tx.deadlines.resolve(deadline.key, due_at, job)

    state.store.transact(store)


def renew_deadlines(state: ProcessorState) -> None:
    """Say that what was taken is still being dealt with."""
    # In the name under which each was taken: who was thought dead goes on under a new one.
    keys: dict[JobKey, list[DeadlineKey]] = {}
    for taken in state.deadlines.values():
        keys.setdefault(taken.job, []).append(taken.work.deadline.key)
    if keys:
        until = state.clock.now() + timedelta(seconds=LEASE_S)

        def renew(tx: Transaction) -> None:
            for job, of_job in keys.items():
                tx.deadlines.renew(of_job, job, until)

        state.store.transact(renew)


def _work(tx: Transaction, deadlines: list[Deadline], job: JobKey) -> list[AuthorsWork]:
    found, structures = [], Structures()
    for deadline in deadlines:
        try:
            found += with_rules(tx, [deadline], structures)
        except DagUnusable as error:
            tx.deadlines.end(deadline.key, deadline.state, DeadlineState.FAILED, str(error), job)
    return found


def _call(work: AuthorsWork) -> DeadlineCall:
    return DeadlineCall(run=as_result(work.run), number=work.deadline.number, reference=work.reference)
