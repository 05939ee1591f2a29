"""The composition root of workers: which engine, which places, which secrets."""

import fcntl
import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tradewind.bootstrap import Wiring, make_remote_logs_of, make_secrets_chain
from tradewind.bundles.registry import make_bundles
from tradewind.errors import SettingsError
from tradewind.executors.registry import most_at_once, read_executors
from tradewind.operations.attempt_engine import StoredEngine
from tradewind.operations.begin_attempts import Beginner
from tradewind.operations.structures import Structures
from tradewind.secrets.encryption import Encryption
from tradewind.settings import environment_without_secrets
from tradewind.task_logs.shipper import LogShipper
from tradewind.telemetry.events import LogNotKept
from tradewind.wire.work import make_worker_folder
from tradewind.worker.supervisor.leftovers import end_leftovers, marked
from tradewind.worker.supervisor.options import SupervisorOptions
from tradewind.worker.supervisor.places import MachinePlaces
from tradewind.worker.supervisor.service import Supervisor


@contextmanager
def made_supervisor(wiring: Wiring, executor: str) -> Iterator[Supervisor | None]:
    """The supervisor of an executor on this machine, started; nothing if there is one already."""
    settings = wiring.settings
    folder = make_worker_folder(settings.home, executor)
    with (folder / "lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield None
            return
        end_leftovers(folder)
        supervisor = _make_supervisor(wiring, executor, folder)
        job_file = folder / "job"
        former = job_file.read_text() if job_file.exists() else None
        try:
            supervisor.start(former, job_file.write_text)
            yield supervisor
        finally:
            supervisor.stop()
            job_file.unlink(missing_ok=True)


def _make_supervisor(wiring: Wiring, executor: str, folder: Path) -> Supervisor:
    settings, clock = wiring.settings, wiring.clock
    environ = environment_without_secrets()
    beginner = Beginner(Structures(), hostname=socket.gethostname(), pid=os.getpid())
    engine = StoredEngine(
        wiring.database,
        clock,
        beginner,
        Encryption.from_setting(settings.core.fernet_key),
        flush=wiring.database.flush,
        longest_delay_s=settings.core.max_task_retry_delay,
        default_retention=settings.state_store.default_retention,
    )
    timeout_s = settings.scheduler.task_instance_heartbeat_timeout
    workers = settings.workers
    places = _make_places(wiring, environ)
    options = SupervisorOptions(
        slots=_slots(executor, wiring),
        heartbeat_timeout_s=timeout_s,
        heartbeat_interval_s=settings.scheduler.task_instance_heartbeat_sec or min(5.0, timeout_s / 5),
        stop_patience_s=settings.core.killed_task_cleanup_time,
        callback_patience_s=workers.callback_timeout,
        idle_s=workers.idle_timeout,
        most_zygotes=workers.max_warm_dag_files,
        zygote_idle_s=workers.warm_dag_file_idle_time,
        max_memory_bytes=workers.max_memory_mb * 1_000_000,
        plugins=str(settings.plugins_folder),
        keeps_metrics=wiring.hub.measures,
    )
    return Supervisor(
        engine,
        clock,
        folder=folder,
        options=options,
        places=places,
        secrets=make_secrets_chain(settings, environ),
        environ={**environ, **marked(folder)},
        hub=wiring.hub,
    )


def _make_places(wiring: Wiring, environ: Mapping[str, str]) -> MachinePlaces:
    settings, remote = wiring.settings, make_remote_logs_of(wiring)

    def fail(name: str, error: Exception) -> None:
        wiring.hub.emit(LogNotKept(name, f"{type(error).__name__}: {error}"))

    deletes_local = settings.logging.delete_local_logs
    shipper = LogShipper(remote, settings.log_folder, deletes_local=deletes_local, fail=fail) if remote else None
    return MachinePlaces(
        make_bundles(settings, environ),
        settings.log_folder,
        now=wiring.clock.now,
        log_limit_bytes=settings.logging.task_log_limit_mb * 1_000_000,
        shipper=shipper,
        fail=fail,
    )


def _slots(executor: str, wiring: Wiring) -> int:
    entry = read_executors(wiring.settings.core.executor).find(executor)
    if entry is None:
        raise SettingsError(f"[core] executor does not name {executor!r}")
    return most_at_once(entry, wiring.settings.core)
