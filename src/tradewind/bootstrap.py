"""The composition root: which database, which wake-up signal, which executors. The only place that names them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tradewind.dag_processor.bundles.registry import make_bundles
from tradewind.dag_processor.service import DagProcessor
from tradewind.executors.interface import Executor
from tradewind.runtime.clock import Clock, SystemClock
from tradewind.runtime.service import Loop, Service
from tradewind.runtime.wakeup import PipeWakeup, SocketWakeup, Wakeup
from tradewind.scheduler.service import Scheduler
from tradewind.settings import Settings, environment_without_secrets
from tradewind.storage.database import Database
from tradewind.storage.migrate import check_schema, current_revision, downgrade, needed_revision, upgrade
from tradewind.telemetry.hub import Hub

__all__ = [
    "Wiring",
    "check_schema",
    "current_revision",
    "downgrade",
    "make_dag_processor",
    "make_loop",
    "make_scheduler",
    "needed_revision",
    "upgrade",
    "wire",
]


@dataclass(slots=True)
class Wiring:
    """What the processes of one deployment share."""

    settings: Settings
    clock: Clock
    hub: Hub
    wakeup: Wakeup
    database: Database


def wire(settings: Settings, *, hub: Hub | None = None, clock: Clock | None = None) -> Wiring:
    """Connect everything.

    Raises:
        MigrationNeeded: the database is not at the schema that this version needs; the message says what to do.
    """
    url = settings.database.sql_alchemy_conn
    check_schema(url)
    clock = clock or SystemClock()
    hub = hub or Hub()
    wakeup = _make_wakeup(settings, url)
    database = Database(
        url,
        hub=hub,
        pool_size=settings.database.sql_alchemy_pool_size,
        pause=clock.sleep,
        wake=wakeup.wake,
        notifies=True,
        frozen_after_s=settings.scheduler.scheduler_health_check_threshold,
    )
    return Wiring(settings, clock, hub, wakeup, database)


def make_scheduler(wiring: Wiring, executors: Sequence[Executor]) -> Scheduler:
    """A scheduler with these executors, the first being the default."""
    return Scheduler(
        wiring.database,
        executors,
        wiring.clock,
        core=wiring.settings.core,
        settings=wiring.settings.scheduler,
        hub=wiring.hub,
    )


def make_dag_processor(wiring: Wiring, bundle_names: Sequence[str] = ()) -> tuple[DagProcessor, PipeWakeup]:
    """A processor of these bundles, or of all; and what ends its waiting.

    Raises:
        SettingsError: a bundle is unknown or wrongly described.
    """
    # Nothing that another process stores is news for it, so nobody outside needs to be able to wake it.
    wakeup = PipeWakeup()
    environ = environment_without_secrets()
    processor = DagProcessor(
        wiring.database,
        wiring.clock,
        wakeup,
        settings=wiring.settings,
        bundles=make_bundles(wiring.settings, environ, bundle_names),
        environ=environ,
        hub=wiring.hub,
    )
    return processor, wakeup


def make_loop(wiring: Wiring, service: Service, is_stopping: Callable[[], bool], wakeup: Wakeup | None = None) -> Loop:
    """What runs a service until it is stopped."""
    return Loop(service, wiring.clock, wakeup or wiring.wakeup, is_stopping)


def _make_wakeup(settings: Settings, url: str) -> Wakeup:
    if url.startswith("postgresql"):
        from tradewind.storage.notify import PostgresWakeup  # noqa: PLC0415 - psycopg is an optional driver

        return PostgresWakeup(url)
    return SocketWakeup(settings.home / "wakeup")
