"""Users, roles, tokens, what DAGs grant, and who changed what."""

import sqlalchemy as sa

from tradewind.storage.audit_guard import guard_audit_log
from tradewind.storage.schema.conventions import add_index, metadata
from tradewind.storage.types import Instant, LongText, big_key, identifier

account = sa.Table(
    "account",
    metadata,
    sa.Column("account_key", big_key(), primary_key=True, autoincrement=True),
    sa.Column("name", identifier(), nullable=False),
    sa.Column("email", identifier(), nullable=True),
    sa.Column("first_name", LongText, nullable=False),
    sa.Column("last_name", LongText, nullable=False),
    sa.Column("is_active", sa.Boolean, nullable=False),
    sa.Column("password_hash", LongText, nullable=True),
    sa.Column("generation", sa.Integer, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("last_login_at", Instant, nullable=True),
    # A hash: who they are to the provider that lets them in.
    sa.Column("external_id", sa.String(64), nullable=True),
    sa.UniqueConstraint("name"),
    sa.UniqueConstraint("email"),
    sa.UniqueConstraint("external_id"),
    # Tokens name the key: no later user may have it again.
    sqlite_autoincrement=True,
)

# Roles that are not built in.
custom_role = sa.Table("custom_role", metadata, sa.Column("name", identifier(), primary_key=True))

account_role = sa.Table(
    "account_role",
    metadata,
    sa.Column("account_key", big_key(), primary_key=True, autoincrement=False),
    # Built in or not.
    sa.Column("role", identifier(), primary_key=True),
    sa.ForeignKeyConstraint(["account_key"], ["account.account_key"], ondelete="CASCADE"),
    sqlite_with_rowid=False,
)
add_index("ix_account_role_role", account_role.c.role)

# What `access_control` of a DAG says. The role may be unknown yet.
dag_grant = sa.Table(
    "dag_grant",
    metadata,
    sa.Column("role", identifier(), primary_key=True),
    sa.Column("dag_id", identifier(), primary_key=True),
    sa.Column("rights", sa.String(50), nullable=False),
    sa.ForeignKeyConstraint(["dag_id"], ["dag.dag_id"], ondelete="CASCADE"),
    sqlite_with_rowid=False,
)
add_index("ix_dag_grant_dag", dag_grant.c.dag_id)

api_token = sa.Table(
    "api_token",
    metadata,
    sa.Column("token_key", big_key(), primary_key=True, autoincrement=True),
    sa.Column("account_key", big_key(), nullable=False),
    sa.Column("name", identifier(), nullable=False),
    sa.Column("token_hash", sa.String(64), nullable=False),
    sa.Column("role", identifier(), nullable=True),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("expires_at", Instant, nullable=True),
    sa.UniqueConstraint("token_hash"),
    sa.UniqueConstraint("account_key", "name"),
    sa.ForeignKeyConstraint(["account_key"], ["account.account_key"], ondelete="CASCADE"),
    sqlite_autoincrement=True,
)

revoked_token = sa.Table(
    "revoked_token",
    metadata,
    sa.Column("token_id", sa.String(64), primary_key=True),
    sa.Column("expires_at", Instant, nullable=False),
)
add_index("ix_revoked_token_expires", revoked_token.c.expires_at)

login_failure = sa.Table(
    "login_failure",
    metadata,
    # A hash: what people type for their name is now and then their password.
    sa.Column("subject", sa.String(64), primary_key=True),
    sa.Column("failures", sa.Integer, nullable=False),
    sa.Column("last_at", Instant, nullable=False),
)
add_index("ix_login_failure_last", login_failure.c.last_at)

audit_log = sa.Table(
    "audit_log",
    metadata,
    sa.Column("entry_key", big_key(), primary_key=True, autoincrement=True),
    sa.Column("at", Instant, nullable=False),
    sa.Column("event", identifier(), nullable=False),
    sa.Column("owner", identifier(), nullable=True),
    # Ids rather than keys: an entry outlives what it is about.
    sa.Column("dag_id", identifier(), nullable=True),
    sa.Column("task_id", identifier(), nullable=True),
    sa.Column("run_id", identifier(), nullable=True),
    sa.Column("map_index", sa.Integer, nullable=True),
    sa.Column("try_number", sa.Integer, nullable=True),
    sa.Column("logical_date", Instant, nullable=True),
    sa.Column("extra", LongText, nullable=True),
    sqlite_autoincrement=True,
)
add_index("ix_audit_log_at", audit_log.c.at)
add_index("ix_audit_log_dag", audit_log.c.dag_id, audit_log.c.entry_key)
add_index("ix_audit_log_event", audit_log.c.event, audit_log.c.entry_key)
add_index("ix_audit_log_owner", audit_log.c.owner, audit_log.c.entry_key)


@sa.event.listens_for(audit_log, "after_create")
def _keep_unchanged(_table: sa.Table, connection: sa.Connection, **_: object) -> None:
    guard_audit_log(connection)
