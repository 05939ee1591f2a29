"""The composition root of triggerers: which places, which secrets, which runner."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import partial

from tradewind.bootstrap import Wiring, deadline_callback_patience_s, make_remote_logs_of, make_secrets_chain
from tradewind.bundles.registry import make_bundles
from tradewind.decide.triggerers import Patience
from tradewind.model.assignment import Asker
from tradewind.model.ids import NO_ATTEMPT
from tradewind.operations.answer_triggers import TriggerRequests
from tradewind.operations.answer_watchers import WatcherRequests
from tradewind.operations.outside_tasks import OutsideTasks
from tradewind.operations.structures import Structures
from tradewind.secrets.encryption import Encryption
from tradewind.settings import environment_without_secrets
from tradewind.task_logs.shipper import LogShipper
from tradewind.telemetry.events import LogNotKept
from tradewind.triggerer.answers import Answers
from tradewind.triggerer.calling_back import CallingBack
from tradewind.triggerer.code_places import CodePlaces
from tradewind.triggerer.logs import TriggerLogs
from tradewind.triggerer.neighbours import Neighbours
from tradewind.triggerer.options import TriggererOptions
from tradewind.triggerer.runner_process import WATCHER_RUNNER, RunnerProcess
from tradewind.triggerer.running import RunningTriggers
from tradewind.triggerer.service import Triggerer
from tradewind.triggerer.watching import Watching
from tradewind.worker.callback_process import CallbackProcess
from tradewind.worker.supervisor.places import MachinePlaces


@contextmanager
def made_triggerer(
    wiring: Wiring, *, capacity: int | None = None, queues: Collection[str] | None = None
) -> Iterator[Triggerer]:
    """A triggerer for as long as a block runs. Its capacity is that of the configuration by default."""
    settings, structures = wiring.settings, Structures()
    environ = environment_without_secrets()
    cipher = Encryption.from_setting(settings.core.fernet_key)
    running = RunningTriggers(
        lambda: RunnerProcess(environ, wiring.trigger_wakeup.wake, answers.ask),
        wiring.clock,
        places=CodePlaces(_make_places(wiring, environ), str(settings.plugins_folder)),
        logs=_make_logs(wiring),
        cipher=cipher,
        patience=_patience(wiring),
        tell=wiring.hub.emit,
    )
    answers = Answers(
        running.asker,
        make_secrets_chain(settings, environ),
        TriggerRequests(wiring.database, wiring.clock.now, structures, cipher, settings.state_store.default_retention),
    )
    watcher_answers = Answers(
        lambda _: (NO_ATTEMPT, Asker(NO_ATTEMPT.task, "", "")),
        make_secrets_chain(settings, environ),
        WatcherRequests(wiring.database, wiring.clock.now, structures, cipher),
    )
    watching = Watching(
        wiring.database,
        wiring.clock,
        lambda: RunnerProcess(environ, wiring.trigger_wakeup.wake, watcher_answers.ask, program=WATCHER_RUNNER),
        places=CodePlaces(_make_places(wiring, environ), str(settings.plugins_folder)),
        cipher=cipher,
        options=_options(wiring, capacity, queues),
        patience=_patience(wiring),
        hub=wiring.hub,
    )
    try:
        yield Triggerer(
            wiring.database,
            wiring.clock,
            running,
            options=_options(wiring, capacity, queues),
            neighbours=Neighbours(settings.home / "triggerers"),
            structures=structures,
            watching=watching,
            calling=_make_calling(wiring, environ, cipher) if queues is None else None,
            hub=wiring.hub,
        )
    finally:
        answers.close()
        watcher_answers.close()


def _make_calling(wiring: Wiring, environ: Mapping[str, str], cipher: Encryption) -> CallingBack:
    settings = wiring.settings
    make = partial(
        CallbackProcess,
        ask=OutsideTasks(wiring.database, cipher, make_secrets_chain(settings, environ)),
        clock=wiring.clock,
        environ=environ,
        plugins=str(settings.plugins_folder),
        patience_s=deadline_callback_patience_s(settings),
    )
    return CallingBack(
        wiring.database,
        wiring.clock,
        make,
        _make_places(wiring, environ),
        lease_s=settings.triggerer.triggerer_health_check_threshold,
        wake=wiring.trigger_wakeup.wake,
        hub=wiring.hub,
    )


def _options(wiring: Wiring, capacity: int | None, queues: Collection[str] | None) -> TriggererOptions:
    own = wiring.settings.triggerer
    return TriggererOptions(
        capacity=capacity or own.capacity,
        claimed_at_once=own.max_trigger_to_select_per_loop,
        heartbeat_s=own.job_heartbeat_sec,
        threshold_s=own.triggerer_health_check_threshold,
        runner_threshold_s=own.runner_health_check_threshold,
        longest_retry_delay_s=wiring.settings.core.max_task_retry_delay,
        longest_mapped=wiring.settings.core.max_map_length,
        queues=queues,
    )


def _patience(wiring: Wiring) -> Patience:
    settings = wiring.settings.triggerer
    return Patience(
        blocks=settings.quarantine_after_blocks,
        longest_block_s=settings.quarantine_after_seconds,
        in_quarantine_s=settings.runner_health_check_threshold,
    )


def _make_places(wiring: Wiring, environ: Mapping[str, str]) -> MachinePlaces:
    settings = wiring.settings
    return MachinePlaces(make_bundles(settings, environ), settings.log_folder, now=wiring.clock.now, log_limit_bytes=0)


def _make_logs(wiring: Wiring) -> TriggerLogs:
    settings, remote = wiring.settings, make_remote_logs_of(wiring)

    def fail(name: str, error: Exception) -> None:
        wiring.hub.emit(LogNotKept(name, f"{type(error).__name__}: {error}"))

    deletes_local = settings.logging.delete_local_logs
    return TriggerLogs(
        settings.log_folder,
        now=wiring.clock.now,
        limit_bytes=settings.logging.task_log_limit_mb * 1_000_000,
        shipper=LogShipper(remote, settings.log_folder, deletes_local=deletes_local, fail=fail) if remote else None,
        fail=fail,
    )
