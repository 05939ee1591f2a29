"""What a metadata database of Airflow has, in our words; its runs are in `airflow_history`."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from itertools import groupby
from typing import Final

import sqlalchemy as sa

from tradewind.model.account import Profile
from tradewind.model.pool import Pool
from tradewind.model.task_answers import ConnectionResult
from tradewind.storage.airflow_database import AirflowDatabase, Wanted, opened_airflow
from tradewind.storage.airflow_history import SqlAirflowHistory
from tradewind.storage.interface.airflow_source import (
    AirflowConnection,
    AirflowDag,
    AirflowPool,
    AirflowUser,
    AirflowVariable,
)
from tradewind.storage.interface.shared_stores import ConnectionRecord, VariableRecord

_FIELDS: Final = ("conn_id", "conn_type", "description", "host", "schema", "login", "password", "extra")


@contextmanager
def airflow_source(url: str) -> Iterator["SqlAirflowSource"]:
    """See `airflow_database.opened_airflow`."""
    with opened_airflow(url) as database:
        yield SqlAirflowSource(database)


class SqlAirflowSource:
    """Implements `interface.AirflowSource`."""

    def __init__(self, database: AirflowDatabase) -> None:
        self._database = database

    @property
    def version(self) -> str:
        return self._database.version

    @property
    def has_users(self) -> bool:
        return self._database.has("ab_user", "username", "password")

    @cached_property
    def history(self) -> SqlAirflowHistory:
        return SqlAirflowHistory(self._database)

    def connections(self) -> list[AirflowConnection]:
        flags = _flags("is_encrypted", "is_extra_encrypted")
        wanted = (*_texts(*_FIELDS, "team_name"), ("port", sa.Integer()), *flags)
        return [
            AirflowConnection(
                ConnectionRecord(
                    ConnectionResult(port=row.port, **{name: getattr(row, name) for name in _FIELDS}),
                    bool(row.is_encrypted),
                    bool(row.is_extra_encrypted),
                ),
                row.team_name,
            )
            for row in self._database.rows("connection", wanted, "conn_id")
        ]

    def variables(self) -> list[AirflowVariable]:
        wanted = (*_texts("key", "val", "description", "team_name"), *_flags("is_encrypted"))
        return [
            AirflowVariable(
                VariableRecord(row.key, row.val or "", bool(row.is_encrypted and row.val), row.description),
                row.team_name,
            )
            for row in self._database.rows("variable", wanted, "key")
        ]

    def pools(self) -> list[AirflowPool]:
        wanted = (*_texts("pool", "description", "team_name"), ("slots", sa.Integer()), *_flags("include_deferred"))
        return [
            AirflowPool(Pool(row.pool, row.slots, bool(row.include_deferred), row.description), row.team_name)
            for row in self._database.rows("slot_pool", wanted, "pool")
            if row.pool is not None
        ]

    def users(self) -> list[AirflowUser]:
        if not self.has_users:
            return []
        roles = self._roles()
        texts = _texts("username", "email", "first_name", "last_name", "password")
        return [
            AirflowUser(
                Profile(
                    row.username,
                    row.email or None,
                    row.first_name or "",
                    row.last_name or "",
                    is_active=row.active is not False,
                    roles=roles.get(row.id, frozenset()),
                ),
                row.password or None,
            )
            for row in self._database.rows("ab_user", (*texts, ("id", sa.Integer()), *_flags("active")), "username")
        ]

    def dags(self) -> list[AirflowDag]:
        wanted = (*_texts("dag_id"), *_flags("is_paused", "is_stale", "is_active"))
        return [
            AirflowDag(
                row.dag_id,
                bool(row.is_paused),
                bool(row.is_stale) or row.is_active is False,  # Airflow 2 said it the other way round
            )
            for row in self._database.rows("dag", wanted, "dag_id")
        ]

    def _roles(self) -> dict[int, frozenset[str]]:
        """Of each user by number, also those that they have by a group."""
        role, of_user = self._database.table("ab_role"), self._database.table("ab_user_role")
        found = [sa.select(of_user.c.user_id, role.c.name).join(role, role.c.id == of_user.c.role_id)]
        if self._database.has("ab_user_group", "group_id") and self._database.has("ab_group_role", "group_id"):
            member, of_group = self._database.table("ab_user_group"), self._database.table("ab_group_role")
            found.append(
                sa.select(member.c.user_id, role.c.name)
                .join(of_group, of_group.c.group_id == member.c.group_id)
                .join(role, role.c.id == of_group.c.role_id)
            )
        rows = sorted({(row[0], row[1]) for each in found for row in self._database.connection.execute(each)})
        return {user: frozenset(name for _, name in group) for user, group in groupby(rows, lambda row: row[0])}


def _texts(*names: str) -> Wanted:
    return tuple((name, sa.Text()) for name in names)


def _flags(*names: str) -> Wanted:
    return tuple((name, sa.Boolean()) for name in names)
