"""Who may come in, and what they did: accounts, roles, tokens, the audit log."""

import sqlalchemy as sa
from alembic import op

from tradewind.storage import migration_types as types
from tradewind.storage.audit_guard import GUARDS, guard_audit_log
from tradewind.storage.migration_indexes import create_index

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _create_accounts()
    _create_roles()
    _create_tokens()
    _create_audit_log()
    _guard_audit_log()


def downgrade() -> None:
    for table in (
        "audit_log",
        "login_failure",
        "revoked_token",
        "api_token",
        "dag_grant",
        "account_role",
        "custom_role",
        "account",
    ):
        op.drop_table(table)
    if op.get_context().dialect.name == "postgresql":
        op.execute("DROP FUNCTION audit_log_unchanged()")


def _create_accounts() -> None:
    op.create_table(
        "account",
        sa.Column("account_key", types.key(), autoincrement=True, nullable=False),
        sa.Column("name", types.id_text(), nullable=False),
        sa.Column("email", types.id_text(), nullable=True),
        sa.Column("first_name", types.long_text(), nullable=False),
        sa.Column("last_name", types.long_text(), nullable=False),
        sa.Column("is_active", sa.Boolean, nullable=False),
        sa.Column("password_hash", types.long_text(), nullable=True),
        sa.Column("generation", sa.Integer, nullable=False),
        sa.Column("created_at", types.instant(), nullable=False),
        sa.Column("last_login_at", types.instant(), nullable=True),
        sa.Column("external_id", sa.String(64), nullable=True),
        sa.PrimaryKeyConstraint("account_key", name="pk_account"),
        sa.UniqueConstraint("name", name="uq_account_name"),
        sa.UniqueConstraint("email", name="uq_account_email"),
        sa.UniqueConstraint("external_id", name="uq_account_external_id"),
        sqlite_autoincrement=True,
    )


def _create_roles() -> None:
    op.create_table(
        "custom_role",
        sa.Column("name", types.id_text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_custom_role"),
    )
    op.create_table(
        "account_role",
        sa.Column("account_key", types.key(), autoincrement=False, nullable=False),
        sa.Column("role", types.id_text(), nullable=False),
        sa.PrimaryKeyConstraint("account_key", "role", name="pk_account_role"),
        sa.ForeignKeyConstraint(
            ["account_key"], ["account.account_key"], name="fk_account_role_account_key", ondelete="CASCADE"
        ),
        sqlite_with_rowid=False,
    )
    create_index("ix_account_role_role", "account_role", ["role"])
    op.create_table(
        "dag_grant",
        sa.Column("role", types.id_text(), nullable=False),
        sa.Column("dag_id", types.id_text(), nullable=False),
        sa.Column("rights", sa.String(50), nullable=False),
        sa.PrimaryKeyConstraint("role", "dag_id", name="pk_dag_grant"),
        sa.ForeignKeyConstraint(["dag_id"], ["dag.dag_id"], name="fk_dag_grant_dag_id", ondelete="CASCADE"),
        sqlite_with_rowid=False,
    )
    create_index("ix_dag_grant_dag", "dag_grant", ["dag_id"])


def _create_tokens() -> None:
    op.create_table(
        "api_token",
        sa.Column("token_key", types.key(), autoincrement=True, nullable=False),
        sa.Column("account_key", types.key(), nullable=False),
        sa.Column("name", types.id_text(), nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("role", types.id_text(), nullable=True),
        sa.Column("created_at", types.instant(), nullable=False),
        sa.Column("expires_at", types.instant(), nullable=True),
        sa.PrimaryKeyConstraint("token_key", name="pk_api_token"),
        sa.ForeignKeyConstraint(
            ["account_key"], ["account.account_key"], name="fk_api_token_account_key", ondelete="CASCADE"
        ),
        sa.UniqueConstraint("account_key", "name", name="uq_api_token_account_key_name"),
        sa.UniqueConstraint("token_hash", name="uq_api_token_token_hash"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "revoked_token",
        sa.Column("token_id", sa.String(64), nullable=False),
        sa.Column("expires_at", types.instant(), nullable=False),
        sa.PrimaryKeyConstraint("token_id", name="pk_revoked_token"),
    )
    create_index("ix_revoked_token_expires", "revoked_token", ["expires_at"])
    op.create_table(
        "login_failure",
        sa.Column("subject", sa.String(64), nullable=False),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("last_at", types.instant(), nullable=False),
        sa.PrimaryKeyConstraint("subject", name="pk_login_failure"),
    )
    create_index("ix_login_failure_last", "login_failure", ["last_at"])


def _create_audit_log() -> None:
    op.create_table(
        "audit_log",
        sa.Column("entry_key", types.key(), autoincrement=True, nullable=False),
        sa.Column("at", types.instant(), nullable=False),
        sa.Column("event", types.id_text(), nullable=False),
        sa.Column("owner", types.id_text(), nullable=True),
        sa.Column("dag_id", types.id_text(), nullable=True),
        sa.Column("task_id", types.id_text(), nullable=True),
        sa.Column("run_id", types.id_text(), nullable=True),
        sa.Column("map_index", sa.Integer, nullable=True),
        sa.Column("try_number", sa.Integer, nullable=True),
        sa.Column("logical_date", types.instant(), nullable=True),
        sa.Column("extra", types.long_text(), nullable=True),
        sa.PrimaryKeyConstraint("entry_key", name="pk_audit_log"),
        sqlite_autoincrement=True,
    )
    create_index("ix_audit_log_at", "audit_log", ["at"])
    create_index("ix_audit_log_dag", "audit_log", ["dag_id", "entry_key"])
    create_index("ix_audit_log_event", "audit_log", ["event", "entry_key"])
    create_index("ix_audit_log_owner", "audit_log", ["owner", "entry_key"])


def _guard_audit_log() -> None:
    context = op.get_context()
    if not context.as_sql:
        guard_audit_log(op.get_bind())
        return
    for statement in GUARDS[context.dialect.name]:
        op.execute(statement)
