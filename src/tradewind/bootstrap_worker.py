"""The composition root of workers: which engine, which places, which secrets."""

import fcntl
import os
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from tradewind.bootstrap import (
    Wiring,
    deadline_callback_patience_s,
    make_remote_logs_of,
    make_remote_logs_with,
    make_secrets_chain,
)
from tradewind.bundles.registry import make_bundles
from tradewind.errors import SettingsError
from tradewind.executors.registry import ExecutorEntry, most_at_once, read_executors
from tradewind.model.masking import MaskingRules
from tradewind.operations.attempt_engine import StoredEngine
from tradewind.operations.begin_attempts import Beginner
from tradewind.operations.connection_test_engine import StoredConnectionTests
from tradewind.operations.deadline_callback_engine import StoredCallbacks
from tradewind.operations.outside_tasks import OutsideTasks
from tradewind.operations.structures import Structures
from tradewind.runtime.clock import Clock, SystemClock
from tradewind.runtime.socket_folder import make_worker_folder
from tradewind.secrets.encryption import Encryption
from tradewind.settings import Settings, environment_without_secrets
from tradewind.task_logs.remote import RemoteLogs
from tradewind.task_logs.shipper import LogShipper
from tradewind.telemetry.events import LogNotKept
from tradewind.telemetry.hub import Hub
from tradewind.worker.engine import CallbackEngine, ConnectionTestEngine, Engine
from tradewind.worker.http_callbacks import HttpCallbacks
from tradewind.worker.http_connection import HttpConnection
from tradewind.worker.http_connection_tests import HttpConnectionTests
from tradewind.worker.http_engine import HttpEngine
from tradewind.worker.supervisor.leftovers import end_leftovers, marked
from tradewind.worker.supervisor.options import SupervisorOptions
from tradewind.worker.supervisor.places import MachinePlaces
from tradewind.worker.supervisor.service import Supervisor

_JOB: Final = "job"
_TOKEN: Final = "token"
"""Files in the folder of a worker, by which the next one knows this one: without a database, a token."""


def executor_named(word: str, settings: Settings) -> ExecutorEntry:
    """Whom somebody means by this word.

    Raises:
        SettingsError: the configuration has no such executor.
    """
    executors = read_executors(settings.core.executor)
    entry = executors.find(word)
    if entry is None:
        names = ", ".join(each.name for each in executors.entries)
        raise SettingsError(f"[core] executor does not name {word!r}, only {names}")
    return entry


@contextmanager
def made_supervisor(wiring: Wiring, executor: str) -> Iterator[Supervisor | None]:
    """The supervisor of an executor on this machine, started; nothing if there is one already."""
    settings = wiring.settings
    cipher = Encryption.from_setting(settings.core.fernet_key)
    engine = StoredEngine(
        wiring.database,
        wiring.clock,
        Beginner(Structures(), hostname=socket.gethostname(), pid=os.getpid()),
        cipher,
        longest_delay_s=settings.core.max_task_retry_delay,
        default_retention=settings.state_store.default_retention,
    )
    rules = MaskingRules.configured(
        settings.core.sensitive_var_conn_names,
        hides_by_name=settings.core.hide_sensitive_var_conn_fields,
        min_length=settings.logging.min_length_masked_secret,
    )
    tests = StoredConnectionTests(wiring.database, wiring.clock, cipher, rules)
    callbacks = StoredCallbacks(
        wiring.database,
        wiring.clock,
        OutsideTasks(wiring.database, cipher),
        lease_s=settings.scheduler.task_instance_heartbeat_timeout,
    )
    machine = _Machine(settings, wiring.clock, wiring.hub, lambda: make_remote_logs_of(wiring), tests, callbacks)
    with _started(machine, executor, engine, _JOB) as supervisor:
        yield supervisor


@contextmanager
def made_remote_supervisor(settings: Settings, executor: str, hub: Hub) -> Iterator[Supervisor | None]:
    """The same without a database: all that tasks need is asked of `[core] execution_api_server_url`.

    Raises:
        SettingsError: that is no URL.
    """
    clock = SystemClock()
    connect = partial(HttpConnection, settings.core.execution_api_server_url, settings.workers.execution_api_timeout)
    server = connect()
    engine = HttpEngine(
        server,
        clock,
        hostname=socket.gethostname(),
        pid=os.getpid(),
        patience_s=settings.scheduler.task_instance_heartbeat_timeout,
    )
    remote_logs = partial(make_remote_logs_with, settings, lambda _: None)
    machine = _Machine(settings, clock, hub, remote_logs, HttpConnectionTests(server), HttpCallbacks(server, connect))
    with _started(machine, executor, engine, _TOKEN) as supervisor:
        yield supervisor


@dataclass(frozen=True, slots=True)
class _Machine:
    """What a supervisor needs besides its engine."""

    settings: Settings
    clock: Clock
    hub: Hub
    remote_logs: Callable[[], RemoteLogs | None]
    """Where copies of logs are kept, if they are."""
    tests: ConnectionTestEngine
    callbacks: CallbackEngine


@contextmanager
def _started(machine: _Machine, executor: str, engine: Engine, memory: str) -> Iterator[Supervisor | None]:
    folder = make_worker_folder(machine.settings.home, executor)
    with (folder / "lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield None
            return
        end_leftovers(folder)
        supervisor = _make_supervisor(machine, executor, engine, folder)
        remembered = folder / memory
        former = remembered.read_text() if remembered.exists() else None
        try:
            supervisor.start(former, partial(_write_privately, remembered))
            yield supervisor
        finally:
            supervisor.stop()
            remembered.unlink(missing_ok=True)


def _write_privately(path: Path, text: str) -> None:
    """All of it or nothing: who finds half of it could not fail what its predecessor has begun."""
    fresh = path.with_suffix(".new")
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
    fresh.rename(path)


def _make_supervisor(machine: _Machine, executor: str, engine: Engine, folder: Path) -> Supervisor:
    settings, clock = machine.settings, machine.clock
    environ = environment_without_secrets()
    timeout_s = settings.scheduler.task_instance_heartbeat_timeout
    workers = settings.workers
    options = SupervisorOptions(
        slots=most_at_once(executor_named(executor, settings), settings.core),
        heartbeat_timeout_s=timeout_s,
        heartbeat_interval_s=settings.scheduler.task_instance_heartbeat_sec or min(5.0, timeout_s / 5),
        stop_patience_s=settings.core.killed_task_cleanup_time,
        callback_patience_s=workers.callback_timeout,
        trial_patience_s=settings.connection_test.timeout,
        deadline_callback_patience_s=deadline_callback_patience_s(settings),
        idle_s=workers.idle_timeout,
        most_zygotes=workers.max_warm_dag_files,
        zygote_idle_s=workers.warm_dag_file_idle_time,
        max_memory_bytes=workers.max_memory_mb * 1_000_000,
        plugins=str(settings.plugins_folder),
        keeps_metrics=machine.hub.measures,
    )
    return Supervisor(
        engine,
        machine.tests,
        machine.callbacks,
        clock,
        folder=folder,
        options=options,
        places=_make_places(machine, environ),
        secrets=make_secrets_chain(settings, environ),
        environ={**environ, **marked(folder)},
        hub=machine.hub,
    )


def _make_places(machine: _Machine, environ: Mapping[str, str]) -> MachinePlaces:
    settings, remote = machine.settings, machine.remote_logs()

    def fail(name: str, error: Exception) -> None:
        machine.hub.emit(LogNotKept(name, f"{type(error).__name__}: {error}"))

    deletes_local = settings.logging.delete_local_logs
    shipper = LogShipper(remote, settings.log_folder, deletes_local=deletes_local, fail=fail) if remote else None
    return MachinePlaces(
        make_bundles(settings, environ),
        settings.log_folder,
        now=machine.clock.now,
        log_limit_bytes=settings.logging.task_log_limit_mb * 1_000_000,
        shipper=shipper,
        fail=fail,
    )
