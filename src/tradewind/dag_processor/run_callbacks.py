"""Duty: call the callbacks that others have asked for, in children that import the DAG file."""

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import msgspec

from tradewind.bundles.interface import Versioned
from tradewind.dag_processor.outcome import to_parse
from tradewind.dag_processor.protocol import CallbackCall, Ended, ListenedRun, Outcome
from tradewind.dag_processor.read_files import LEASE_S, make_request
from tradewind.dag_processor.state import ProcessorState
from tradewind.dag_processor.tracked_bundle import TrackedBundle
from tradewind.errors import BundleError
from tradewind.model.callback_request import AnsweredCallback, StoredCallback
from tradewind.model.dag_file import FileKey
from tradewind.model.run import Run
from tradewind.operations.publish_files import error_text
from tradewind.operations.request_callbacks import end_callbacks
from tradewind.operations.task_requests.runs import as_result
from tradewind.storage.interface import Transaction
from tradewind.telemetry.events import CallbackCalled

_MOST_ATTEMPTS: Final = 2
"""A callback that ended its processor once may have been the victim; twice, it is the cause."""


def start_callbacks(state: ProcessorState) -> int:
    """Take requests and hand them to children. Returns how many."""
    ready = {bundle.name: bundle for bundle in state.bundles if bundle.folder is not None}
    now = state.clock.now()

    def take(tx: Transaction) -> tuple[list[tuple[StoredCallback, Run]], Mapping[int, int]]:
        limit = state.settings.dag_processor.max_callbacks_per_loop
        taken = tx.callbacks.claim(ready, limit, state.job, now=now, until=now + timedelta(seconds=LEASE_S))
        runs = {run.key: run for run in tx.runs.read({each.request.run_key for each in taken})}
        usable = [(each, runs[each.request.run_key]) for each in taken if each.request.run_key in runs]
        usable = [each for each in usable if each[0].attempts <= _MOST_ATTEMPTS]
        tx.callbacks.delete({each.key for each in taken} - {each.key for each, _ in usable})
        of_listened = {run.version_key for each, run in usable if _is_listened_to(state, each)}
        return usable, tx.run_views.version_numbers(of_listened) if of_listened else {}

    chosen, numbers = state.store.transact(take)
    for stored, run in chosen:
        bundle = ready[stored.file.bundle]
        request = make_request(state, bundle, stored.file.path)
        root = root_of(bundle, run.bundle_version)
        call = _call(stored, run)
        if _is_listened_to(state, stored):
            call = msgspec.structs.replace(call, listened=_listened(run, numbers.get(run.version_key)))
        request = msgspec.structs.replace(request, root=str(root), callback=call)
        state.calls[request.number] = (stored, request)
        state.pool.submit(request)
    return len(chosen)


def finish_callback(state: ProcessorState, outcome: Outcome) -> None:
    """Tell how it went. Who was called is not called again."""
    stored, request = state.calls.pop(outcome.number)
    state.answered.append(AnsweredCallback(stored, _links(outcome)))
    parse = to_parse(outcome, request, key=FileKey(0), environment="", bundle_version=None, known_hash="")
    error = error_text(parse.problems) if parse.problems else None
    asked, run_id = stored.request, request.callback.run.run_id if request.callback is not None else ""
    state.hub.emit(CallbackCalled(asked.dag_id, run_id, asked.task_id, asked.event.value, error, outcome.output))


def forget_answered(state: ProcessorState) -> int:
    """Requests that were answered are deleted, and the links that came of it stored. Returns how many."""
    answered, now = list(state.answered), state.clock.now()
    if answered:
        state.store.transact(lambda tx: end_callbacks(tx, answered, now))
        del state.answered[: len(answered)]
    return len(answered)


def renew_callbacks(state: ProcessorState) -> None:
    """Say that what was taken is still being done."""
    keys = [stored.key for stored, _ in state.calls.values()]
    if keys:
        until = state.clock.now() + timedelta(seconds=LEASE_S)
        state.store.transact(lambda tx: tx.callbacks.renew(keys, state.job, until))


def root_of(bundle: TrackedBundle, version: str | None) -> Path:
    """The folder of the version that the run has; where that cannot be had any more, the current one does."""
    assert bundle.folder is not None
    if version is None or version == bundle.version or not isinstance(bundle.bundle, Versioned):
        return bundle.folder.root
    try:
        return bundle.bundle.path_of(version)
    except BundleError:
        return bundle.folder.root


def _links(outcome: Outcome) -> tuple[tuple[str, Any], ...]:
    """What the child says of links, if it makes sense: it has run user code."""
    try:
        return () if outcome.ended is None else tuple(msgspec.msgpack.decode(outcome.ended, type=Ended).links)
    except msgspec.MsgspecError:
        return ()


def _is_listened_to(state: ProcessorState, stored: StoredCallback) -> bool:
    """Whether listeners of plugins want to hear of it as of a change of a run."""
    return not stored.request.is_of_task and stored.request.event in state.heard_of_runs


def _call(stored: StoredCallback, run: Run) -> CallbackCall:
    request = stored.request
    return CallbackCall(
        event=request.event.value,
        run=as_result(run),
        reason=request.reason,
        is_of_task=request.is_of_task,
        task_id=request.task_id,
        map_index=request.map_index,
        try_number=request.try_number,
    )


def _listened(run: Run, version_number: int | None) -> ListenedRun:
    return ListenedRun(queued_at=run.queued_at, bundle_version=run.bundle_version, version_number=version_number)
