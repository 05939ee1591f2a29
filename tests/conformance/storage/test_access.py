"""Users, roles, tokens, grants of DAGs, failed logins, the audit log."""

from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from tests.conformance.storage.worlds import World
from tests.databases import DatabaseUrls
from tradewind.errors import TransactionConflict
from tradewind.model.account import ApiToken, DagRight, LoginFailures, Profile
from tradewind.model.audit import AuditEntry
from tradewind.model.pool import Pool
from tradewind.storage.audit_guard import guard_audit_log
from tradewind.storage.database import Database
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.access_stores import pending
from tradewind.storage.schema import audit_log

NOW = datetime(2026, 1, 1, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)
ANNA = Profile("anna", "anna@example.org", "Anna", "Ames", True, frozenset({"Viewer", "night shift"}))
BERT = Profile("bert")


def test_a_user_is_stored_changed_and_deleted(store: Database) -> None:
    with store.begin() as tx:
        tx.accounts.create(BERT, None, NOW)
        tx.accounts.create(ANNA, "a hash", NOW)
    with store.begin() as tx:
        assert [account.profile for account in tx.accounts.all()] == [ANNA, BERT]
        found = tx.accounts.find("anna")
        assert found is not None
        assert (found.password_hash, found.generation, found.created_at) == ("a hash", 1, NOW)
        assert tx.accounts.find_by_email("anna@example.org") == found
        assert tx.accounts.find("Anna") is None
        assert tx.accounts.find_by_email("nobody") is None
        tx.accounts.link("anna", "who she is elsewhere")
        linked = tx.accounts.find_by_external_id("who she is elsewhere")
        assert linked is not None
        assert (linked.profile, linked.external_id) == (ANNA, "who she is elsewhere")
        assert tx.accounts.find_by_external_id("nobody") is None

        changed = Profile("anna", None, "A", "B", False, frozenset({"Op"}))
        tx.accounts.update("anna", changed)
        tx.accounts.set_password("anna", "another")
        tx.accounts.replace_hash("anna", "stronger")
        tx.accounts.logged_in("anna", LATER)
        found = tx.accounts.find("anna")
        assert found is not None
        assert found.profile == changed
        assert (found.password_hash, found.generation, found.last_login_at) == ("stronger", 2, LATER)

        assert tx.accounts.delete("anna") is True
        assert tx.accounts.delete("anna") is False
        assert [account.profile.name for account in tx.accounts.all()] == ["bert"]


def test_a_role_that_is_deleted_is_taken_from_all(store: Database) -> None:
    with store.begin() as tx:
        tx.accounts.create_role("night shift")
        tx.accounts.create_role("day shift")
        tx.accounts.create(ANNA, None, NOW)
    with store.begin() as tx:
        assert tx.accounts.custom_roles() == ["day shift", "night shift"]
        assert tx.accounts.delete_role("night shift") is True
        assert tx.accounts.delete_role("night shift") is False

        found = tx.accounts.find("anna")
        assert found is not None
        assert found.profile.roles == {"Viewer"}


def test_grants_of_a_dag_are_replaced_and_end_with_it(store: Database, world: World) -> None:
    read, edit = frozenset({DagRight.READ}), frozenset({DagRight.READ, DagRight.EDIT})
    world.dag("first")
    world.dag("second")

    with store.begin() as tx:
        tx.accounts.create(Profile("anna", roles=frozenset({"a", "b"})), None, NOW)

        def granted() -> object:
            holder = tx.accounts.holder_of("anna", "token")
            return holder and holder.grants

        tx.grants.replace({"first": {"a": read, "b": edit}, "second": {"a": read}})
        assert granted() == {"a": {"first": read, "second": read}, "b": {"first": edit}}
        assert tx.grants.by_role() == granted()
        tx.grants.replace({"first": {"b": read}})
        assert granted() == {"a": {"second": read}, "b": {"first": read}}
        tx.dags.delete("second")
        assert granted() == {"a": {}, "b": {"first": read}}


def test_whose_token_it_is_comes_with_all_that_lets_them_in(store: Database, world: World) -> None:
    world.dag("first")
    world.dag("second")
    with store.begin() as tx:
        tx.accounts.create(ANNA, None, NOW)
        tx.accounts.create(BERT, None, NOW)
        tx.grants.replace({"first": {"night shift": frozenset({DagRight.EDIT})}, "second": {"x": frozenset()}})

    with store.begin() as tx:
        holder = tx.accounts.holder_of("anna", "token")
        assert holder is not None
        assert (holder.name, holder.is_active, holder.generation, holder.is_revoked) == ("anna", True, 1, False)
        assert holder.roles == {"Viewer", "night shift"}
        assert holder.grants == {"Viewer": {}, "night shift": {"first": frozenset({DagRight.EDIT})}}
        other = tx.accounts.holder_of("bert", "token")
        assert other is not None
        assert other.roles == frozenset()
        assert tx.accounts.holder_of("nobody", "token") is None


def test_a_revoked_token_is_known_until_it_expires(store: Database) -> None:
    with store.begin() as tx:
        tx.accounts.create(ANNA, None, NOW)
        tx.api_tokens.revoke("one", NOW, NOW)
        tx.api_tokens.revoke("two", LATER, NOW)
        tx.api_tokens.revoke("two", LATER, NOW)
        tx.api_tokens.revoke("three", LATER, NOW + timedelta(seconds=1))

        holders = {token: tx.accounts.holder_of("anna", token) for token in ("one", "two", "three", "four")}

    assert {token: holder and holder.is_revoked for token, holder in holders.items()} == {
        "one": False,
        "two": True,
        "three": True,
        "four": False,
    }


def test_tokens_of_programs_belong_to_a_user(store: Database) -> None:
    with store.begin() as tx:
        tx.accounts.create(ANNA, None, NOW)
        tx.accounts.create(BERT, None, NOW)
        anna, bert = (account.account_key for account in tx.accounts.all())
        made = tx.api_tokens.add(anna, "nightly", "hash", role="Viewer", expires_at=LATER, now=NOW)
        assert made == ApiToken(made.token_key, "nightly", "Viewer", NOW, LATER)
        tx.api_tokens.add(anna, "hourly", "other hash", role=None, expires_at=None, now=NOW)

    with store.begin() as tx:
        assert [token.name for token in tx.api_tokens.of_account(anna)] == ["hourly", "nightly"]
        assert tx.api_tokens.of_account(bert) == []
        holder = tx.accounts.holder_of_api_token("hash")
        assert holder is not None
        assert (holder.name, holder.narrowed_to, holder.expires_at) == ("anna", "Viewer", LATER)
        assert tx.accounts.holder_of_api_token("none") is None
        assert tx.api_tokens.delete(bert, made.token_key) is False
        assert tx.api_tokens.delete(anna, made.token_key) is True
        tx.accounts.delete("anna")
        assert tx.accounts.holder_of_api_token("other hash") is None


def test_failed_logins_are_counted_and_forgotten(store: Database) -> None:
    with store.begin() as tx:
        tx.logins.put({"a": LoginFailures(1, NOW), "b": LoginFailures(7, LATER), "c": LoginFailures(2, LATER)})
        tx.logins.put({"a": LoginFailures(2, NOW)})
        assert tx.logins.failures(["a", "b", "x"]) == {"a": LoginFailures(2, NOW), "b": LoginFailures(7, LATER)}
        tx.logins.forget(["b", "x"])
        tx.logins.forget_before(LATER)
        assert tx.logins.failures(["a", "b", "c"]) == {"c": LoginFailures(2, LATER)}


def _log(store: Database) -> list[tuple[str, str | None]]:
    with store.engine.begin() as connection:
        rows = connection.execute(sa.select(audit_log.c.event, audit_log.c.owner).order_by(audit_log.c.entry_key))
        return [(row.event, row.owner) for row in rows]


def test_an_entry_of_the_audit_log_has_all_of_it(store: Database) -> None:
    entry = AuditEntry("clear", "anna", NOW, "dag", "task", "run", 3, 2, LATER, "{}")

    with store.begin() as tx:
        tx.audit_log.add(entry)
        tx.audit_log.add(AuditEntry("x" * 999, None, NOW))

    assert _log(store) == [("clear", "anna"), ("x" * 250, None)]


def test_the_first_transaction_that_changes_something_says_who_does(store: Database) -> None:
    """It is the same transaction, so that neither can be without the other."""
    with pending(AuditEntry("post_pool", "anna", NOW)):
        store.transact(lambda tx: tx.pools.all())
        assert _log(store) == []
        store.transact(lambda tx: tx.pools.create(Pool("one", 1)))
        store.transact(lambda tx: tx.pools.create(Pool("two", 1)))
    store.transact(lambda tx: tx.pools.create(Pool("three", 1)))

    assert _log(store) == [("post_pool", "anna")]


def test_what_is_rolled_back_is_not_in_the_log(store: Database) -> None:
    attempts: list[int] = []

    def work(tx: Transaction) -> None:
        attempts.append(1)
        tx.pools.create(Pool("one", 1))
        if len(attempts) == 1:
            raise TransactionConflict("try again")

    def fail(tx: Transaction) -> None:
        tx.pools.create(Pool("none", 1))
        raise LookupError

    with pending(AuditEntry("fails", "anna", NOW)), pytest.raises(LookupError):
        store.transact(fail)
    with pending(AuditEntry("works", "anna", NOW)):
        store.transact(work)

    assert _log(store) == [("works", "anna")]


def test_an_entry_of_the_audit_log_is_never_changed(store: Database) -> None:
    """D6: append only. The database itself refuses, where it lets us ask for that."""
    with store.begin() as tx:
        tx.audit_log.add(AuditEntry("clear", "anna", NOW))
    with pytest.raises(sa.exc.DBAPIError, match="the audit log is never changed"), store.engine.begin() as connection:
        connection.execute(sa.update(audit_log).values(owner="bert"))

    assert _log(store) == [("clear", "anna")]


def test_where_no_triggers_may_be_made_the_log_says_so_and_all_else_works(
    database_urls: DatabaseUrls, caplog: pytest.LogCaptureFixture
) -> None:
    url = sa.make_url(database_urls("mysql"))
    user = f"{url.database}_t"[-30:]
    root = sa.create_engine(url)
    poor = sa.create_engine(url.set(username=user, password="hush"))
    try:
        with root.begin() as connection:
            connection.exec_driver_sql(f"CREATE USER '{user}'@'%%' IDENTIFIED BY 'hush'")
            connection.exec_driver_sql(f"GRANT CREATE, SELECT, INSERT, UPDATE ON `{url.database}`.* TO '{user}'@'%%'")
        with poor.begin() as connection:
            connection.exec_driver_sql("CREATE TABLE audit_log (owner INT)")
            guard_audit_log(connection)
            connection.exec_driver_sql("INSERT INTO audit_log VALUES (1)")
    finally:
        with root.begin() as connection:
            connection.exec_driver_sql(f"DROP USER IF EXISTS '{user}'@'%%'")
        poor.dispose()
        root.dispose()

    (record,) = [each for each in caplog.records if each.name == "tradewind.storage.audit_guard"]
    assert "GRANT TRIGGER" in record.getMessage()
