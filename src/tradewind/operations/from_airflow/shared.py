"""Connections, variables and pools of Airflow."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import partial
from typing import TypeVar

from tradewind.errors import InvalidRequest, UndecipherableSecret
from tradewind.model.pool import Pool
from tradewind.model.task_answers import ConnectionResult
from tradewind.operations.cipher import Cipher, opened_connection, opened_variable
from tradewind.operations.from_airflow.outcome import Choice, Fate, Outcome, is_written
from tradewind.operations.manage_connections import check_connection, put_connections
from tradewind.operations.manage_pools import check_pool, set_pools
from tradewind.operations.manage_variables import Variable, check_key, set_variables
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.airflow_source import AirflowConnection, AirflowPool, AirflowVariable
from tradewind.storage.interface.shared_stores import ConnectionRecord, VariableRecord

Stored = TypeVar("Stored")
Opened = TypeVar("Opened", ConnectionResult, Variable, Pool)

_NOT_COMPARED = frozenset({"served_turn", "is_encrypted"})
"""What is no property of the thing itself."""


def copy_connections(tx: Transaction, found: Sequence[AirflowConnection], choice: Choice) -> list[Outcome]:
    """Connections, encrypted with our key."""
    here = {record.fields.conn_id: record for record in tx.connections.all()}
    there = [(each.record.fields.conn_id, each.team, each.record) for each in found]
    outcomes, wanted = _compared(there, here, _open_connection, choice)
    if choice.writes:
        put_connections(tx, wanted, cipher=choice.ours, now=choice.now)
    return outcomes


def copy_variables(tx: Transaction, found: Sequence[AirflowVariable], choice: Choice) -> list[Outcome]:
    """Variables, encrypted with our key."""
    here = {record.key: record for record in tx.variables.all()}
    there = [(each.record.key, each.team, each.record) for each in found]
    outcomes, wanted = _compared(there, here, _open_variable, choice)
    if choice.writes:
        set_variables(tx, wanted, cipher=choice.ours, now=choice.now)
    return outcomes


def copy_pools(tx: Transaction, found: Sequence[AirflowPool], choice: Choice) -> list[Outcome]:
    """Pools. Tasks that hold slots keep them."""
    here = {pool.name: pool for pool in tx.pools.all()}
    there = [(each.pool.name, each.team, each.pool) for each in found]
    outcomes, wanted = _compared(there, here, _open_pool, choice)
    if choice.writes:
        set_pools(tx, wanted)
    return outcomes


def check_their_key(
    connections: Sequence[AirflowConnection], variables: Sequence[AirflowVariable], cipher: Cipher
) -> None:
    """Raises `InvalidRequest` for a key that opens not one of all secrets: it is that of another Airflow."""
    encrypted: list[Callable[[], object]] = [
        *(partial(opened_connection, each.record, cipher) for each in connections if _is_encrypted(each.record)),
        *(partial(opened_variable, each.record, cipher) for each in variables if each.record.is_encrypted),
    ]
    if encrypted and not any(map(_opens, encrypted)):
        raise InvalidRequest(
            f"the key opens none of the {len(encrypted)} encrypted connections and variables: it is not the one of"
            " [core] fernet_key of this Airflow"
        )


def _opens(opened: Callable[[], object]) -> bool:
    try:
        opened()
    except UndecipherableSecret:
        return False
    return True


def _compared(
    there: Sequence[tuple[str, str | None, Stored]],
    here: Mapping[str, Stored],
    opened: Callable[[Stored, Cipher], Opened],
    choice: Choice,
) -> tuple[list[Outcome], list[Opened]]:
    """What becomes of each (its name, its team, and what is stored of it), and what is to be written."""
    outcomes: list[Outcome] = []
    wanted: list[Opened] = []
    for name, team, stored in there:
        if team is not None:  # to give it to everybody would be more than its owner said
            why = f"it belongs to the team {team!r}, and there are no teams here"
            outcomes.append(Outcome(name, Fate.IMPOSSIBLE, why))
            continue
        try:
            value = opened(stored, choice.theirs)
        except UndecipherableSecret as error:
            why = f"{error.what} is encrypted with another key: give Airflow's"
            outcomes.append(Outcome(name, Fate.IMPOSSIBLE, why))
            continue
        except InvalidRequest as error:
            outcomes.append(Outcome(name, Fate.IMPOSSIBLE, str(error)))
            continue
        differences = _differences(value, here[name], opened, choice.ours) if name in here else []
        fate = choice.fate(is_here=name in here, is_same=not differences)
        outcomes.append(Outcome(name, fate, ", ".join(differences) or None))
        if is_written(outcomes[-1]):
            wanted.append(value)
    return outcomes, wanted


def _differences(
    there: Opened, stored: Stored, opened: Callable[[Stored, Cipher], Opened], cipher: Cipher
) -> list[str]:
    """Names, for values may be secret."""
    try:
        here = opened(stored, cipher)
    except (UndecipherableSecret, InvalidRequest):
        return ["what is stored here cannot be read"]
    names = [field.name for field in fields(there) if field.name not in _NOT_COMPARED]
    # Some databases and forms make an empty text of nothing.
    return [name for name in names if (getattr(there, name) or None) != (getattr(here, name) or None)]


def _is_encrypted(record: ConnectionRecord) -> bool:
    return bool((record.is_encrypted and record.fields.password) or (record.is_extra_encrypted and record.fields.extra))


def _open_connection(record: ConnectionRecord, cipher: Cipher) -> ConnectionResult:
    connection = opened_connection(record, cipher)
    check_connection(connection)
    return connection


def _open_variable(record: VariableRecord, cipher: Cipher) -> Variable:
    check_key(record.key)
    return Variable(record.key, opened_variable(record, cipher), record.description)


def _open_pool(pool: Pool, _cipher: Cipher) -> Pool:
    check_pool(pool)
    return pool
