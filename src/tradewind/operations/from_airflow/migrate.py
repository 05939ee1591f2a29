"""All that is chosen of what Airflow has, one kind after the other."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from tradewind.operations.from_airflow.history import HistoryTally, HistoryWish, copy_history
from tradewind.operations.from_airflow.outcome import Choice, Kind, Outcome
from tradewind.operations.from_airflow.pauses import copy_pauses
from tradewind.operations.from_airflow.shared import check_their_key, copy_connections, copy_pools, copy_variables
from tradewind.operations.from_airflow.users import copy_users
from tradewind.storage.interface import ReadingStore, Transaction
from tradewind.storage.interface.airflow_source import AirflowSource, AirflowUser


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be copied."""

    kinds: Collection[Kind]
    history: HistoryWish
    users: tuple[AirflowUser, ...] = ()
    """Besides those of the database."""
    is_key_given: bool = False
    """Whether somebody said that this is the key: then one that opens nothing is a mistake."""


def migrate(
    store: ReadingStore,
    source: AirflowSource,
    wish: Wish,
    choice: Choice,
    *,
    can_be_used: Callable[[str], bool],
    advance: Callable[[int], None] = lambda _: None,
) -> tuple[Mapping[Kind, list[Outcome]], HistoryTally]:
    """What becomes of everything. All but the history is one transaction: all of it is written, or nothing.

    Raises:
        InvalidRequest: the key that was given opens nothing at all.
    """
    work = _settings_of(source, wish, choice, can_be_used)
    outcomes = store.transact(work) if choice.writes else store.read(work)
    tally = HistoryTally()
    if Kind.HISTORY in wish.kinds:
        tally = copy_history(store, source.history, wish.history, choice, advance)
        outcomes[Kind.HISTORY] = tally.outcomes()
    return outcomes, tally


def _settings_of(
    source: AirflowSource, wish: Wish, choice: Choice, can_be_used: Callable[[str], bool]
) -> Callable[[Transaction], dict[Kind, list[Outcome]]]:
    """All that is no history. It is read before anything is written, and once, however often the writing is tried."""
    kinds = wish.kinds
    connections = source.connections() if Kind.CONNECTIONS in kinds else []
    variables = source.variables() if Kind.VARIABLES in kinds else []
    pools = source.pools() if Kind.POOLS in kinds else []
    users = [*source.users(), *wish.users] if Kind.USERS in kinds else []
    dags = source.dags() if Kind.PAUSES in kinds else []
    if wish.is_key_given:
        check_their_key(connections, variables, choice.theirs)

    def work(tx: Transaction) -> dict[Kind, list[Outcome]]:
        found = {
            Kind.CONNECTIONS: copy_connections(tx, connections, choice),
            Kind.VARIABLES: copy_variables(tx, variables, choice),
            Kind.POOLS: copy_pools(tx, pools, choice),
            Kind.USERS: copy_users(tx, users, choice, can_be_used),
            Kind.PAUSES: copy_pauses(tx, dags, choice),
        }
        return {kind: outcomes for kind, outcomes in found.items() if kind in kinds}

    return work
