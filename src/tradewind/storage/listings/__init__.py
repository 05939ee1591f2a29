"""Lists for clients: of what, which fields, what they may be asked for.

One module for each kind of thing; `listing.py` makes the statements. May import what `storage` may.
"""

from collections.abc import Mapping
from typing import Final

import sqlalchemy as sa

from tradewind.model.listing import Listed, Page, Query
from tradewind.storage.listings.assets import (
    ALIASES_OF_ASSETS,
    ASSET_ALIASES,
    ASSET_EVENTS,
    ASSET_REFERENCES,
    ASSET_STATES,
    ASSETS,
    QUEUED_EVENTS,
    RUNS_OF_EVENTS,
    SLOTS,
    WATCHERS,
)
from tradewind.storage.listings.backfills import BACKFILLS
from tradewind.storage.listings.connections import CONNECTIONS
from tradewind.storage.listings.dag_runs import DAG_RUNS
from tradewind.storage.listings.dag_tags import DAG_TAGS
from tradewind.storage.listings.dag_versions import DAG_VERSIONS
from tradewind.storage.listings.dag_warnings import DAG_WARNINGS
from tradewind.storage.listings.dags import DAGS
from tradewind.storage.listings.deadlines import DEADLINES
from tradewind.storage.listings.event_logs import EVENT_LOGS
from tradewind.storage.listings.import_errors import IMPORT_ERRORS
from tradewind.storage.listings.inquiries import INQUIRIES
from tradewind.storage.listings.jobs import JOBS
from tradewind.storage.listings.listing import Listing
from tradewind.storage.listings.pools import POOLS
from tradewind.storage.listings.task_instances import TASK_INSTANCES
from tradewind.storage.listings.task_states import TASK_STATES
from tradewind.storage.listings.task_tries import TASK_TRIES
from tradewind.storage.listings.triggers import TRIGGERS
from tradewind.storage.listings.variables import VARIABLES
from tradewind.storage.listings.xcoms import XCOMS

_LISTINGS: Final[Mapping[Listed, Listing]] = {
    Listed.ALIASES_OF_ASSETS: ALIASES_OF_ASSETS,
    Listed.ASSETS: ASSETS,
    Listed.ASSET_ALIASES: ASSET_ALIASES,
    Listed.ASSET_EVENTS: ASSET_EVENTS,
    Listed.ASSET_REFERENCES: ASSET_REFERENCES,
    Listed.ASSET_STATES: ASSET_STATES,
    Listed.BACKFILLS: BACKFILLS,
    Listed.CONNECTIONS: CONNECTIONS,
    Listed.DAG_RUNS: DAG_RUNS,
    Listed.DAGS: DAGS,
    Listed.DAG_TAGS: DAG_TAGS,
    Listed.DAG_VERSIONS: DAG_VERSIONS,
    Listed.DAG_WARNINGS: DAG_WARNINGS,
    Listed.DEADLINES: DEADLINES,
    Listed.EVENT_LOGS: EVENT_LOGS,
    Listed.IMPORT_ERRORS: IMPORT_ERRORS,
    Listed.INQUIRIES: INQUIRIES,
    Listed.JOBS: JOBS,
    Listed.POOLS: POOLS,
    Listed.QUEUED_EVENTS: QUEUED_EVENTS,
    Listed.RUNS_OF_EVENTS: RUNS_OF_EVENTS,
    Listed.SLOTS: SLOTS,
    Listed.TASK_INSTANCES: TASK_INSTANCES,
    Listed.TASK_STATES: TASK_STATES,
    Listed.TASK_TRIES: TASK_TRIES,
    Listed.TRIGGERS: TRIGGERS,
    Listed.VARIABLES: VARIABLES,
    Listed.WATCHERS: WATCHERS,
    Listed.XCOMS: XCOMS,
}


class Listings:
    """Implements `interface.ListingStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def page(self, what: Listed, query: Query) -> Page:
        return _LISTINGS[what].page(self._connection, query)
