"""One transaction: all stores on one connection."""

from functools import cached_property
from typing import NamedTuple

import sqlalchemy as sa

from tradewind.storage.accounts import Accounts
from tradewind.storage.archives import Archives
from tradewind.storage.asset_events import AssetEvents
from tradewind.storage.asset_states import AssetStates
from tradewind.storage.assets import Assets
from tradewind.storage.attempts import Attempts
from tradewind.storage.audit import AuditLog, Watch
from tradewind.storage.backfills import Backfills
from tradewind.storage.bundles import Bundles
from tradewind.storage.callbacks import Callbacks
from tradewind.storage.catalog import Catalog
from tradewind.storage.changes import Changes
from tradewind.storage.connection_tests import ConnectionTests
from tradewind.storage.connections import Connections
from tradewind.storage.dag_changes import DagChanges
from tradewind.storage.dags import Dags
from tradewind.storage.deadline_callbacks import DeadlineCallbacks
from tradewind.storage.deadlines import Deadlines
from tradewind.storage.deferrals import Deferrals
from tradewind.storage.deliveries import Deliveries
from tradewind.storage.files import Files
from tradewind.storage.grants import Grants
from tradewind.storage.history import History
from tradewind.storage.inquiries import Inquiries
from tradewind.storage.jobs import Jobs
from tradewind.storage.listings import Listings
from tradewind.storage.live import Live
from tradewind.storage.logins import Logins
from tradewind.storage.lookups import Lookups
from tradewind.storage.measures import Measures
from tradewind.storage.new_runs import NewRuns
from tradewind.storage.news import NewsForListeners
from tradewind.storage.overview import Overview
from tradewind.storage.plans import Plans
from tradewind.storage.pools import Pools
from tradewind.storage.pruning import Pruning
from tradewind.storage.queue import Queue
from tradewind.storage.rendered import Rendered
from tradewind.storage.run_partitions import RunPartitions
from tradewind.storage.run_views import RunViews
from tradewind.storage.runs import Runs
from tradewind.storage.slots import Slots
from tradewind.storage.starts import Starts
from tradewind.storage.task_states import TaskStates
from tradewind.storage.tasks import Tasks
from tradewind.storage.tokens import ApiTokens
from tradewind.storage.triggers import Triggers
from tradewind.storage.variables import Variables
from tradewind.storage.versions import Versions
from tradewind.storage.watchers import Watchers
from tradewind.storage.xcoms import XComs
from tradewind.telemetry.events import Event


class Channels(NamedTuple):
    """Who is told of changes through PostgreSQL, if anybody is."""

    schedulers: str | None = None
    triggerers: str | None = None


class _Stores:
    """What all of them are made on. Each is made when it is first asked for."""

    def __init__(
        self, connection: sa.Connection, channels: Channels | None = None, watching: Watch | None = None
    ) -> None:
        """`channels`: where PostgreSQL tells others of changes; `watching`: who sees whether something is changed."""
        self.connection = connection
        self._channels = channels or Channels()
        self._watching = watching


class _EngineStores(_Stores):
    """DAGs, runs, task instances, and who works on them."""

    @cached_property
    def dags(self) -> Dags:
        return Dags(self.connection)

    @cached_property
    def versions(self) -> Versions:
        return Versions(self.connection)

    @cached_property
    def bundles(self) -> Bundles:
        return Bundles(self.connection)

    @cached_property
    def files(self) -> Files:
        return Files(self.connection)

    @cached_property
    def callbacks(self) -> Callbacks:
        return Callbacks(self.connection)

    @cached_property
    def news(self) -> NewsForListeners:
        return NewsForListeners(self.connection)

    @cached_property
    def plans(self) -> Plans:
        return Plans(self.connection)

    @cached_property
    def deadlines(self) -> Deadlines:
        return Deadlines(self.connection)

    @cached_property
    def deadline_callbacks(self) -> DeadlineCallbacks:
        return DeadlineCallbacks(self.connection)

    @cached_property
    def runs(self) -> Runs:
        return Runs(self.connection)

    @cached_property
    def new_runs(self) -> NewRuns:
        return NewRuns(self.connection, self.changes, self._watching)

    @cached_property
    def backfills(self) -> Backfills:
        return Backfills(self.connection)

    @cached_property
    def tasks(self) -> Tasks:
        return Tasks(self.connection)

    @cached_property
    def queue(self) -> Queue:
        return Queue(self.connection)

    @cached_property
    def starts(self) -> Starts:
        return Starts(self.connection)

    @cached_property
    def attempts(self) -> Attempts:
        return Attempts(self.connection, self.changes)

    @cached_property
    def changes(self) -> Changes:
        return Changes(self.connection, self._channels.schedulers)

    @cached_property
    def pools(self) -> Pools:
        return Pools(self.connection)

    @cached_property
    def jobs(self) -> Jobs:
        return Jobs(self.connection)

    @cached_property
    def measures(self) -> Measures:
        return Measures(self.connection)


class _ScheduleStores(_EngineStores):
    """What starts runs besides the clock."""

    @cached_property
    def deliveries(self) -> Deliveries:
        return Deliveries(self.connection)

    @cached_property
    def dag_changes(self) -> DagChanges:
        return DagChanges(self.connection, self.changes.tell)

    @cached_property
    def slots(self) -> Slots:
        return Slots(self.connection)

    @cached_property
    def run_partitions(self) -> RunPartitions:
        return RunPartitions(self.connection)


class _TaskStores(_Stores):
    """What tasks leave behind and ask for."""

    @cached_property
    def xcoms(self) -> XComs:
        return XComs(self.connection)

    @cached_property
    def rendered(self) -> Rendered:
        return Rendered(self.connection)

    @cached_property
    def task_states(self) -> TaskStates:
        return TaskStates(self.connection)

    @cached_property
    def deferrals(self) -> Deferrals:
        return Deferrals(self.connection)

    @cached_property
    def inquiries(self) -> Inquiries:
        return Inquiries(self.connection)

    @cached_property
    def triggers(self) -> Triggers:
        return Triggers(self.connection, self._channels.triggerers)

    @cached_property
    def watchers(self) -> Watchers:
        return Watchers(self.connection, self.triggers.tell)

    @cached_property
    def lookups(self) -> Lookups:
        return Lookups(self.connection)

    @cached_property
    def variables(self) -> Variables:
        return Variables(self.connection)

    @cached_property
    def connections(self) -> Connections:
        return Connections(self.connection)

    @cached_property
    def connection_tests(self) -> ConnectionTests:
        return ConnectionTests(self.connection)

    @cached_property
    def assets(self) -> Assets:
        return Assets(self.connection)

    @cached_property
    def asset_events(self) -> AssetEvents:
        return AssetEvents(self.connection)

    @cached_property
    def asset_states(self) -> AssetStates:
        return AssetStates(self.connection)


class _ClientStores(_Stores):
    """What people and other programs ask for."""

    @cached_property
    def overview(self) -> Overview:
        return Overview(self.connection)

    @cached_property
    def run_views(self) -> RunViews:
        return RunViews(self.connection)

    @cached_property
    def catalog(self) -> Catalog:
        return Catalog(self.connection)

    @cached_property
    def pruning(self) -> Pruning:
        return Pruning(self.connection)

    @cached_property
    def archives(self) -> Archives:
        return Archives(self.connection)

    @cached_property
    def history(self) -> History:
        return History(self.connection)

    @cached_property
    def listings(self) -> Listings:
        return Listings(self.connection)

    @cached_property
    def live(self) -> Live:
        return Live(self.connection)

    @cached_property
    def accounts(self) -> Accounts:
        return Accounts(self.connection)

    @cached_property
    def grants(self) -> Grants:
        return Grants(self.connection)

    @cached_property
    def api_tokens(self) -> ApiTokens:
        return ApiTokens(self.connection)

    @cached_property
    def logins(self) -> Logins:
        return Logins(self.connection)

    @cached_property
    def audit_log(self) -> AuditLog:
        return AuditLog(self.connection)


class SqlTransaction(_ScheduleStores, _TaskStores, _ClientStores):
    """Implements `interface.Transaction`."""

    def __init__(
        self, connection: sa.Connection, channels: Channels | None = None, watching: Watch | None = None
    ) -> None:
        super().__init__(connection, channels, watching)
        self.events: list[Event] = []
        self.lasts = False
        """Whether its commit shall be on disk when it returns, also where others are not."""

    @property
    def has_recorded_changes(self) -> bool:
        """Whether a scheduler will have something to do."""
        return "changes" in self.__dict__ and self.changes.is_recorded

    @property
    def has_trigger_news(self) -> bool:
        """Whether a triggerer will have something to do."""
        return "triggers" in self.__dict__ and self.triggers.has_news

    def emit(self, *events: Event) -> None:
        """Tell these events after the commit."""
        self.events.extend(events)
