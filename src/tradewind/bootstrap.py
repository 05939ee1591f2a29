"""The composition root: which database, which wake-up signal, which executors. The only place that names them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tradewind.executors.interface import Executor
from tradewind.runtime.clock import Clock, SystemClock
from tradewind.runtime.service import Loop
from tradewind.runtime.wakeup import SocketWakeup, Wakeup
from tradewind.scheduler.service import Scheduler
from tradewind.settings import Settings
from tradewind.storage.database import Database
from tradewind.storage.migrate import check_schema, current_revision, downgrade, needed_revision, upgrade
from tradewind.telemetry.hub import Hub

__all__ = [
    "Wiring",
    "check_schema",
    "current_revision",
    "downgrade",
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


def make_loop(wiring: Wiring, scheduler: Scheduler, is_stopping: Callable[[], bool]) -> Loop:
    """What runs the scheduler until it is stopped."""
    return Loop(scheduler, wiring.clock, wiring.wakeup, is_stopping)


def _make_wakeup(settings: Settings, url: str) -> Wakeup:
    if url.startswith("postgresql"):
        from tradewind.storage.notify import PostgresWakeup  # noqa: PLC0415 - psycopg is an optional driver

        return PostgresWakeup(url)
    return SocketWakeup(settings.home / "wakeup")
