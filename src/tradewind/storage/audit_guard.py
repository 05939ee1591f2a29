"""Entries of the audit log are never changed: the database itself refuses it, where it can."""

import logging
from typing import Final

import sqlalchemy as sa

log = logging.getLogger(__name__)

_NEVER: Final = "the audit log is never changed"
_TRIGGER: Final = "CREATE TRIGGER audit_log_unchanged BEFORE UPDATE ON audit_log"
_FUNCTION: Final = "CREATE OR REPLACE FUNCTION audit_log_unchanged() RETURNS trigger LANGUAGE plpgsql"
GUARDS: Final = {
    "sqlite": (f"{_TRIGGER} BEGIN SELECT RAISE(ABORT, '{_NEVER}'); END",),
    "postgresql": (
        f"{_FUNCTION} AS 'BEGIN RAISE EXCEPTION ''{_NEVER}''; END'",
        f"{_TRIGGER} FOR EACH STATEMENT EXECUTE FUNCTION audit_log_unchanged()",
    ),
    "mysql": (f"{_TRIGGER} FOR EACH ROW SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = '{_NEVER}'",),
}
"""By dialect, the statements that make it so."""
_NOT_ALLOWED: Final = frozenset({1142, 1227, 1419})
"""MySQL: no right to make triggers on this table, or none while there is a binary log."""


def guard_audit_log(connection: sa.Connection) -> None:
    """Have changes of entries refused. On MySQL, who may make tables may often not make triggers: then the log says so,
    and all works but for this."""
    for statement in GUARDS[connection.dialect.name]:
        try:
            connection.exec_driver_sql(statement)
        except sa.exc.DBAPIError as error:
            if connection.dialect.name != "mysql" or _code(error) not in _NOT_ALLOWED:
                raise
            log.warning(
                "entries of the audit log could be changed by whoever has the password of the database: its user may"
                " not make triggers (%s). To mend it: GRANT TRIGGER, or set log_bin_trust_function_creators, then: %s",
                error.orig,
                statement,
            )


def _code(error: sa.exc.DBAPIError) -> object:
    return error.orig.args[0] if error.orig is not None and error.orig.args else None
