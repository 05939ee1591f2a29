"""Duty: find out of what listeners of plugins want to hear. Of anything else, nothing is written down."""

from collections.abc import Iterator
from contextlib import suppress

import msgspec

from tradewind.dag_files.fingerprint import Signature, signature_of
from tradewind.dag_processor.protocol import Ended, Outcome, ParseRequest
from tradewind.dag_processor.state import PluginQuestion, ProcessorState
from tradewind.model.dag import CallbackEvent
from tradewind.model.listener_news import Hook
from tradewind.operations.spread_news import spread_of_living
from tradewind.storage.interface import Transaction


def ask_plugins(state: ProcessorState) -> int:
    """Have a child load the plugins, at first and whenever a file of theirs changed. Returns whether one does."""
    files = tuple(sorted(_files(state)))
    if state.plugins is not None and (state.plugins.number is not None or state.plugins.files == files):
        return 0
    core, settings = state.settings.core, state.settings.dag_processor
    number = state.pool.next_number()
    state.plugins = PluginQuestion(files, number)
    state.pool.submit(
        ParseRequest(
            number=number,
            bundle="",
            root="",
            path="plugins",
            plugins=str(state.settings.plugins_folder),
            import_timeout_s=core.dagbag_import_timeout,
            timeout_s=settings.dag_file_processor_timeout,
            memory_limit_mb=settings.parsing_memory_limit_mb,
            asks_plugins=True,
        )
    )
    return 1


def finish_plugins(state: ProcessorState, outcome: Outcome) -> None:
    """Let schedulers know. Plugins that end the process that loads them are asked again when they have changed."""
    assert state.plugins is not None
    state.plugins = PluginQuestion(state.plugins.files, None)
    state.heard_of_runs, state.heard_hooks = _heard(outcome)
    names, now = [bundle.name for bundle in state.bundles], state.clock.now()

    def store(tx: Transaction) -> None:
        before = tx.bundles.hooks()
        for name in names:
            tx.bundles.set_heard(name, state.heard_of_runs)
            tx.bundles.set_hooks(name, state.heard_hooks)
        if Hook.STARTING in state.heard_hooks - before:
            spread_of_living(tx, now)
        tx.news.keep_only(tx.bundles.hooks())

    state.store.transact(store)


def _files(state: ProcessorState) -> Iterator[tuple[str, Signature]]:
    """The files of the plugins folder, with what shows that one has changed."""
    for path in state.settings.plugins_folder.rglob("*.py"):
        with suppress(OSError):  # gone meanwhile
            yield str(path), signature_of(path.stat())


def _heard(outcome: Outcome) -> tuple[frozenset[CallbackEvent], frozenset[Hook]]:
    """What the child says, if it makes sense: it has run user code."""
    try:
        ended = None if outcome.ended is None else msgspec.msgpack.decode(outcome.ended, type=Ended)
        if ended is not None:
            return frozenset(map(CallbackEvent, ended.heard)), frozenset(map(Hook, ended.hooks))
    except (msgspec.MsgspecError, ValueError):
        pass
    return frozenset(), frozenset()
