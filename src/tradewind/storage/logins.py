"""Logins that failed."""

from collections.abc import Collection, Mapping
from datetime import datetime

import sqlalchemy as sa

from tradewind.model.account import LoginFailures
from tradewind.storage.one_of import one_of
from tradewind.storage.schema import login_failure
from tradewind.storage.upsert import upsert

_OF_SUBJECTS = one_of(login_failure.c.subject, "subjects")
_LOCK = sa.select(login_failure).where(_OF_SUBJECTS).order_by(login_failure.c.subject).with_for_update()


class Logins:
    """Implements `interface.LoginStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def failures(self, subjects: Collection[str]) -> dict[str, LoginFailures]:
        rows = self._connection.execute(_LOCK, {"subjects": list(subjects)})
        return {row.subject: LoginFailures(row.failures, row.last_at) for row in rows}

    def put(self, failures: Mapping[str, LoginFailures]) -> None:
        rows = [
            {"subject": subject, "failures": each.count, "last_at": each.last_at}
            for subject, each in sorted(failures.items())
        ]
        upsert(self._connection, login_failure, rows)

    def forget(self, subjects: Collection[str]) -> None:
        self._connection.execute(sa.delete(login_failure).where(_OF_SUBJECTS), {"subjects": list(subjects)})

    def forget_before(self, before: datetime) -> None:
        self._connection.execute(sa.delete(login_failure).where(login_failure.c.last_at < before))
