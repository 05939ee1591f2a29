"""Duty: tell listeners of plugins of what is neither a run nor a task. See `operations.spread_news`."""

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Final

import msgspec

from tradewind.dag_processor.outcome import to_parse
from tradewind.dag_processor.protocol import Ended, Outcome, ParseRequest, ToldNews
from tradewind.dag_processor.read_files import LEASE_S
from tradewind.dag_processor.state import ProcessorState, TakenNews
from tradewind.model.dag_file import FileKey
from tradewind.model.listener_news import Hook, StoredNews
from tradewind.operations.publish_files import error_text
from tradewind.operations.spread_news import spread_stop
from tradewind.runtime.wakeup import Wakeup
from tradewind.storage.interface import Transaction
from tradewind.telemetry.events import ListenersTold

_MOST_NEWS: Final = 100
_MOST_ATTEMPTS: Final = 2
"""News that ended its processor once may have been the victim; twice, it is the cause."""
_LAST_NEWS_S: Final = 5.0


def start_telling(state: ProcessorState) -> int:
    """Hand news to a child, unless one is telling: they are told in their order. Returns how many."""
    hooks = state.heard_hooks
    if state.news is not None or not hooks:
        return 0
    now, job = state.clock.now(), state.job

    def take(tx: Transaction) -> list[StoredNews]:
        taken = tx.news.claim(hooks, _MOST_NEWS, job, now=now, until=now + timedelta(seconds=LEASE_S))
        usable = [each for each in taken if each.attempts <= _MOST_ATTEMPTS]
        if len(usable) < len(taken):
            tx.news.delete({each.key for each in taken} - {each.key for each in usable})
        chosen = _next(usable)
        tx.news.release([each.key for each in usable[len(chosen) :]], job)
        return chosen

    taken = state.store.transact(take)
    if taken:
        request = _request(state, taken)
        state.news = TakenNews(tuple(taken), request, job)
        state.pool.submit(request)
    return len(taken)


def finish_telling(state: ProcessorState, outcome: Outcome) -> None:
    """What was begun to be told is not told again; what was not, is told by the next child."""
    assert state.news is not None
    taken, request, job = state.news
    state.news = None
    begun = _begun(outcome)
    told, left = taken[:begun], taken[begun:]

    def store(tx: Transaction) -> None:
        tx.news.delete([each.key for each in told])
        # A child that did not come to tell anything may have been ended by the first: that counts as an attempt.
        tx.news.release([each.key for each in left], job, is_attempt=not told)

    state.store.transact(store)
    hooks = tuple(each.news.hook.value for each in told)
    state.hub.emit(ListenersTold(hooks, _what_ended(outcome, request), outcome.output))
    start_telling(state)


def tell_last_news(state: ProcessorState, wakeup: Wakeup) -> None:
    """That this processor stops, with what else is there to tell; for a while. The next one tells the rest."""
    now = state.clock.now()
    state.store.transact(lambda tx: spread_stop(tx, state.job, now))
    if Hook.STOPPING not in state.heard_hooks:
        return
    start_telling(state)
    until = state.clock.monotonic() + _LAST_NEWS_S
    while state.news is not None and state.clock.monotonic() < until:
        number = state.news.request.number
        if not wakeup.wait(until - state.clock.monotonic()):
            return
        for outcome in state.pool.outcomes():
            if outcome.number == number:
                finish_telling(state, outcome)


def renew_news(state: ProcessorState) -> None:
    """Say that what was taken is still being told."""
    if state.news is not None:
        keys, job = [each.key for each in state.news.taken], state.news.job
        until = state.clock.now() + timedelta(seconds=LEASE_S)
        state.store.transact(lambda tx: tx.news.renew(keys, job, until))


def give_back_news(state: ProcessorState, tx: Transaction) -> None:
    """Who stops while a child tells does not know how far it came: another tells it again."""
    if state.news is not None:
        tx.news.release([each.key for each in state.news.taken], state.news.job)


def _next(news: list[StoredNews]) -> list[StoredNews]:
    """What was being told when somebody died is told alone, so that it takes nothing else with it."""
    suspects = [number for number, each in enumerate(news) if each.attempts > 1]
    return news[: max(1, suspects[0])] if suspects else news


def _request(state: ProcessorState, taken: list[StoredNews]) -> ParseRequest:
    core, settings = state.settings.core, state.settings.dag_processor
    return ParseRequest(
        number=state.pool.next_number(),
        bundle="",
        root="",
        path="plugins",
        plugins=str(state.settings.plugins_folder),
        import_timeout_s=core.dagbag_import_timeout,
        timeout_s=settings.dag_file_processor_timeout,
        memory_limit_mb=settings.parsing_memory_limit_mb,
        news=[ToldNews(hook=each.news.hook.value, facts=_facts(state, each.news.facts)) for each in taken],
    )


def _facts(state: ProcessorState, facts: Mapping[str, object]) -> dict[str, object]:
    """With the full name of the file that it is about, as it is on this machine."""
    if "path" not in facts:
        return dict(facts)
    bundle = state.bundle(str(facts["bundle"]))
    root = Path() if bundle is None or bundle.folder is None else bundle.folder.root
    return {**facts, "filename": str(root / str(facts["path"]))}


def _what_ended(outcome: Outcome, request: ParseRequest) -> str | None:
    """Why the child ended before it had told everything; it may have said much until then."""
    if not (outcome.exit_code or outcome.is_timed_out or outcome.is_too_large or outcome.is_lost):
        return None
    silent = msgspec.structs.replace(outcome, ended=None)
    parse = to_parse(silent, request, key=FileKey(0), environment="", bundle_version=None, known_hash="")
    return error_text(parse.problems)


def _begun(outcome: Outcome) -> int:
    """What the child says, if it makes sense: it has run user code."""
    try:
        return 0 if outcome.ended is None else msgspec.msgpack.decode(outcome.ended, type=Ended).begun
    except msgspec.MsgspecError:
        return 0
