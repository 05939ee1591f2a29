"""The composition root: which database, which wake-up signal, which executors. The only place that names them."""

import os
import secrets
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Final, NamedTuple

from tradewind.bundles.registry import make_bundles
from tradewind.dag_processor.lint import is_failure, lint_paths
from tradewind.dag_processor.read_once import ReadFile, read_once
from tradewind.dag_processor.service import DagProcessor
from tradewind.errors import DatabaseError, SettingsError
from tradewind.executors.context import ExecutorContext
from tradewind.executors.interface import Executor
from tradewind.executors.registry import has_worker, make_executor, read_executors
from tradewind.model.connection_test import ConnectionTestKey
from tradewind.model.deadline_callback import CallbackItem
from tradewind.model.ids import AttemptKey
from tradewind.model.task_answers import ConnectionResult
from tradewind.operations.manage_connections import find_connection
from tradewind.operations.outside_tasks import OutsideWorkers
from tradewind.runtime.background import Background
from tradewind.runtime.clock import Clock, SystemClock
from tradewind.runtime.readiness import tell_ready
from tradewind.runtime.service import Loop, Service
from tradewind.runtime.socket_folder import make_worker_folder
from tradewind.runtime.wakeup import ClosableWakeup, PipeWakeup, SocketWakeup, Wakeup
from tradewind.scheduler.service import Scheduler
from tradewind.secrets.backends import BackendChoice, make_chain
from tradewind.secrets.chain import SecretsChain
from tradewind.secrets.encryption import Encryption
from tradewind.settings import DatabaseSettings, Settings, environment_of_workers, environment_without_secrets
from tradewind.storage.database import CHANNEL, TRIGGER_CHANNEL, USUAL_CACHE_MB, Database, create_engine
from tradewind.storage.interface.airflow_source import AirflowSource
from tradewind.storage.live import CHANNEL as LIVE_CHANNEL
from tradewind.storage.live import LiveJournal
from tradewind.storage.revision import check_schema, current_revision, needed_revision
from tradewind.storage.server import server_version, shell_of
from tradewind.storage.upkeep import Upkeep
from tradewind.task_logs.reader import LogReader
from tradewind.task_logs.remote import RemoteLogs, make_remote_logs
from tradewind.telemetry.hub import Hub

__all__ = [
    "Wiring",
    "airflow_source",
    "bundle_folders",
    "check_executors",
    "check_schema",
    "current_revision",
    "downgrade",
    "executor_words",
    "has_schema",
    "is_failure",
    "lint_paths",
    "load_driver",
    "local_workers",
    "made_dag_processor",
    "made_executors",
    "make_live_wakeup",
    "make_log_reader",
    "make_loop",
    "make_remote_logs_of",
    "make_remote_logs_with",
    "make_scheduler",
    "make_secrets_chain",
    "migration_sql",
    "needed_revision",
    "read_dag_files",
    "server_version",
    "shell_of",
    "upgrade",
    "wire",
    "wired",
]


_MIGRATE: Final = "tradewind.storage.migrate"
_AIRFLOW_SOURCE: Final = "tradewind.storage.airflow_source"


@dataclass(slots=True)
class Wiring:
    """What the processes of one deployment share."""

    settings: Settings
    clock: Clock
    hub: Hub
    wakeup: Wakeup
    live_wakeup: SocketWakeup
    """Tells web servers of this machine that something changed."""
    trigger_wakeup: Wakeup
    """Tells triggerers of triggers that are new or called off, and ends their waiting."""
    database: Database

    def close(self) -> None:
        """Give everything back to the system."""
        self.database.close()
        self.live_wakeup.close()
        for wakeup in (self.wakeup, self.trigger_wakeup):
            close = getattr(wakeup, "close", None)  # not every kind of signal holds something
            if close is not None:
                close()


def wire(
    settings: Settings,
    *,
    hub: Hub | None = None,
    clock: Clock | None = None,
    waits_for_disk: bool = True,
    pool_size: int | None = None,
    cache_mb: int = USUAL_CACHE_MB,
) -> Wiring:
    """Connect everything. For `waits_for_disk` and `cache_mb` see `Database`; `pool_size` is that of the configuration
    by default.

    Raises:
        MigrationNeeded: the database is not at the schema that this version needs; the message says what to do.
    """
    url = settings.database.sql_alchemy_conn
    check_schema(url)
    clock = clock or SystemClock()
    hub = hub or Hub()
    wakeup = _make_wakeup(settings, url, "wakeup", CHANNEL)
    trigger_wakeup = _make_wakeup(settings, url, "triggers", TRIGGER_CHANNEL)
    live_wakeup = SocketWakeup(_live_folder(settings))
    database = Database(
        url,
        hub=hub,
        pool_size=pool_size or settings.database.sql_alchemy_pool_size,
        pause=clock.sleep,
        wake=wakeup.wake,
        wake_triggerers=trigger_wakeup.wake,
        notifies=True,
        journal=LiveJournal(clock.now, clock.monotonic, live_wakeup.wake),
        frozen_after_s=settings.scheduler.scheduler_health_check_threshold,
        waits_for_disk=waits_for_disk,
        cache_mb=cache_mb,
        upkeep=_upkeep(settings.database, clock),
    )
    return Wiring(settings, clock, hub, wakeup, live_wakeup, trigger_wakeup, database)


def _upkeep(settings: DatabaseSettings, clock: Clock) -> Upkeep:
    return Upkeep(clock.monotonic, settings.sql_alchemy_pool_pre_ping, settings.sql_alchemy_pool_recycle)


@contextmanager
def wired(
    settings: Settings,
    *,
    hub: Hub | None = None,
    waits_for_disk: bool = True,
    pool_size: int | None = None,
    cache_mb: int = USUAL_CACHE_MB,
) -> Iterator[Wiring]:
    """The same for as long as a block runs."""
    wiring = wire(settings, hub=hub, waits_for_disk=waits_for_disk, pool_size=pool_size, cache_mb=cache_mb)
    try:
        yield wiring
    finally:
        wiring.close()


def upgrade(url: str, revision: str = "head", default_pool_slots: int | None = None) -> None:
    """See `storage.migrate`. Alembic is slow to load, and hardly any process needs it."""
    import_module(_MIGRATE).upgrade(url, revision, default_pool_slots)


def downgrade(url: str, revision: str) -> None:
    """See `storage.migrate`."""
    import_module(_MIGRATE).downgrade(url, revision)


def drop_archives(url: str) -> None:
    """See `storage.migrate`."""
    import_module(_MIGRATE).drop_archives(url)


def migration_sql(url: str, start: str | None, end: str, *, is_upgrade: bool) -> str:
    """See `storage.migrate`."""
    text: str = import_module(_MIGRATE).migration_sql(url, start, end, is_upgrade=is_upgrade)
    return text


def airflow_source(url: str) -> AbstractContextManager[AirflowSource]:
    """See `storage.airflow_source`. One command needs it, once."""
    source: AbstractContextManager[AirflowSource] = import_module(_AIRFLOW_SOURCE).airflow_source(url)
    return source


def make_scheduler(wiring: Wiring, executors: Sequence[Executor]) -> Scheduler:
    """A scheduler with these executors, the first being the default."""
    return Scheduler(
        wiring.database,
        executors,
        wiring.clock,
        core=wiring.settings.core,
        settings=wiring.settings.scheduler,
        connection_test=wiring.settings.connection_test,
        hub=wiring.hub,
        triggers_have_queues=wiring.settings.triggerer.queues_enabled,
    )


@contextmanager
def made_executors(wiring: Wiring) -> Iterator[tuple[Executor, ...]]:
    """The executors of the configuration, the first being the default. Their workers go on after the block.

    Raises:
        SettingsError: `[core] executor` names one that there is not.
    """
    own = wiring.settings.workers
    is_remote = own.without_database or not own.start_with_scheduler
    has_tokens = is_remote and wiring.settings.core.execution_api_server_url
    hand_out = _make_hand_out(wiring) if has_tokens else _HandOut()
    background = Background(environment_of_workers() if own.without_database else None)
    started: dict[str, int] = {}

    def start_worker(name: str) -> None:
        if not own.start_with_scheduler:
            return  # somebody else does
        if name in started and background.is_running(started[name]):
            return  # on a busy machine it takes its time
        folder = make_worker_folder(wiring.settings.home, name)
        command = [sys.executable, "-m", "tradewind.cli.main", "worker", "--executor", name]
        if not own.without_database:
            command += ["--execution-api-url", ""]
        started[name] = background.start(command, folder / "worker.log")

    executors: list[Executor] = []
    try:
        for entry in read_executors(wiring.settings.core.executor).entries:
            context = ExecutorContext(
                entry.name,
                wiring.settings,
                wiring.clock,
                wiring.hub,
                start_worker,
                hand_out.attempt,
                hand_out.test,
                hand_out.callback,
            )
            executors.append(make_executor(entry, context))
        yield tuple(executors)
    finally:
        for executor in executors:
            executor.close()


class _HandOut(NamedTuple):
    """What makes the tokens of work for workers that have no database."""

    attempt: Callable[[AttemptKey], str] | None = None
    test: Callable[[ConnectionTestKey], str] | None = None
    callback: Callable[[CallbackItem], str] | None = None


def _make_hand_out(wiring: Wiring) -> _HandOut:
    tokens = import_module("tradewind.api.execution.tokens")
    secret = import_module("tradewind.api.auth.signing_secret")
    settings = wiring.settings
    key = secret.signing_secret(settings.api_auth.jwt_secret, settings.home)
    made = tokens.AttemptTokens(key, tokens.lifetime_of(settings))
    now = wiring.clock.now
    return _HandOut(
        lambda attempt: made.hand_out(attempt, now()),
        lambda test: made.hand_out_test(test, now()),
        lambda item: made.hand_out_callback(item, now()),
    )


def deadline_callback_patience_s(settings: Settings) -> float:
    """How long the callback of a missed deadline may take, with the import of its file."""
    own = settings.callbacks.callback_execution_timeout or settings.workers.callback_timeout
    return settings.core.dagbag_import_timeout + own


def load_driver(settings: Settings) -> None:
    """Load what talks to the database, for whoever is forked from this process."""
    create_engine(settings.database.sql_alchemy_conn, pool_size=1).dispose()


def check_executors(text: str) -> None:
    """Raises `SettingsError`: `[core] executor` names one that there is not, or cannot be understood."""
    read_executors(text)


def executor_words(settings: Settings) -> dict[str, str]:
    """The name of an executor, for each word by which it may be asked for. Raises `SettingsError`."""
    return read_executors(settings.core.executor).words()


def local_workers(settings: Settings) -> list[str]:
    """The executors of the configuration whose tasks a worker of this machine runs."""
    return [entry.name for entry in read_executors(settings.core.executor).entries if has_worker(entry)]


@contextmanager
def made_dag_processor(wiring: Wiring, bundle_names: Sequence[str] = ()) -> Iterator[tuple[DagProcessor, PipeWakeup]]:
    """A processor of these bundles, or of all; and what ends its waiting.

    Raises:
        SettingsError: a bundle is unknown or wrongly described, or there is no such executor.
    """
    environ = environment_without_secrets()
    bundles = make_bundles(wiring.settings, environ, bundle_names)
    # Nothing that another process stores is news for it, so nobody outside needs to be able to wake it.
    wakeup = PipeWakeup()
    cipher = Encryption.from_setting(wiring.settings.core.fernet_key)
    processor = DagProcessor(
        wiring.database,
        wiring.clock,
        wakeup,
        settings=wiring.settings,
        bundles=bundles,
        environ=environ,
        executors=executor_words(wiring.settings),
        answer=OutsideWorkers(
            wiring.database,
            cipher,
            make_secrets_chain(wiring.settings, environ, for_worker=False),
        ),
        cipher=cipher,
        hub=wiring.hub,
    )
    try:
        yield processor, wakeup
    finally:
        wakeup.close()


def has_schema(settings: Settings) -> bool:
    """Whether there is a database that this version can work with."""
    try:
        check_schema(settings.database.sql_alchemy_conn)
    except DatabaseError:
        return False
    return True


def bundle_folders(settings: Settings, bundle_names: Sequence[str] = ()) -> dict[str, Path]:
    """Where the files of these bundles, or of all, are now. Raises as `read_dag_files` does."""
    bundles = make_bundles(settings, environment_without_secrets(), bundle_names)
    for bundle in bundles:
        bundle.initialize()
    return {bundle.name: bundle.path for bundle in bundles}


def read_dag_files(settings: Settings, bundle_names: Sequence[str] = ()) -> list[ReadFile]:
    """What the files of these bundles, or of all, say now. Needs no database.

    Raises:
        SettingsError: a bundle is unknown or wrongly described.
        BundleError: its files cannot be had.
    """
    environ = environment_without_secrets()
    return read_once(make_bundles(settings, environ, bundle_names), settings, environ)


def make_loop(
    wiring: Wiring,
    service: Service,
    is_stopping: Callable[[], bool],
    wakeup: Wakeup | None = None,
    *,
    most_passes: int | None = None,
    counts_only_idle: bool = False,
) -> Loop:
    """What runs a service until it is stopped, or has made so many passes."""
    return Loop(
        service,
        wiring.clock,
        wakeup or wiring.wakeup,
        is_stopping,
        most_passes,
        counts_only_idle,
        started=tell_ready,
    )


def make_log_reader(wiring: Wiring) -> LogReader:
    """What reads the logs of tasks, here and where copies of them are kept.

    Raises:
        SettingsError: where that is, is wrongly described.
    """
    return LogReader(wiring.settings.log_folder, make_remote_logs_of(wiring))


def make_remote_logs_of(wiring: Wiring) -> RemoteLogs | None:
    """Where copies of logs are kept, if they are, reached with the connection that the configuration names.

    Raises:
        SettingsError: the place is wrongly described, or there is no such connection.
    """
    cipher = Encryption.from_setting(wiring.settings.core.fernet_key)
    return make_remote_logs_with(
        wiring.settings,
        lambda conn_id: wiring.database.transact(lambda tx: find_connection(tx, conn_id, cipher)),
    )


def make_remote_logs_with(settings: Settings, find: Callable[[str], ConnectionResult | None]) -> RemoteLogs | None:
    """The same; `find` is asked for the connection where no secrets backend and no environment variable has it."""
    conn_id = settings.logging.remote_log_conn_id if settings.logging.remote_logging else ""
    if not conn_id:
        return make_remote_logs(settings.logging)
    connection = make_secrets_chain(settings, environment_without_secrets()).get_connection(conn_id) or find(conn_id)
    if connection is None:
        raise SettingsError(f"[logging] remote_log_conn_id is {conn_id!r}, but there is no such connection")
    return make_remote_logs(settings.logging, connection)


def make_secrets_chain(settings: Settings, environ: Mapping[str, str], *, for_worker: bool = True) -> SecretsChain:
    """Where variables and connections are looked up before the database is asked.

    Raises:
        SettingsError: a secrets backend cannot be loaded.
    """
    secrets, workers = settings.secrets, settings.workers
    own = (workers.secrets_backend, workers.secrets_backend_kwargs) if for_worker else ("", "")
    return make_chain(
        environ,
        BackendChoice("[secrets] backend", secrets.backend, secrets.backend_kwargs),
        BackendChoice("[workers] secrets_backend", *own),
    )


def make_live_wakeup(wiring: Wiring) -> ClosableWakeup:
    """What tells a web server of live changes."""
    url = wiring.settings.database.sql_alchemy_conn
    if url.startswith("postgresql"):
        from tradewind.storage.notify import PostgresWakeup  # noqa: PLC0415 - psycopg is an optional driver

        return PostgresWakeup(url, LIVE_CHANNEL)
    # Several in one process, one after the other: none may take away the socket of the next.
    wakeup = SocketWakeup(_live_folder(wiring.settings), f"{os.getpid()}-{secrets.token_hex(4)}")
    wakeup.listen()
    return wakeup


def _live_folder(settings: Settings) -> Path:
    return settings.home / "wakeup" / "live"


def _make_wakeup(settings: Settings, url: str, folder: str, channel: str) -> Wakeup:
    if url.startswith("postgresql"):
        from tradewind.storage.notify import PostgresWakeup  # noqa: PLC0415 - psycopg is an optional driver

        return PostgresWakeup(url, channel)
    return SocketWakeup(settings.home / folder)
