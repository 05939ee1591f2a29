"""The rules by which a run fails when a database was left out."""

import pytest

from tests.database_report import DatabaseReport, required_kinds


def report(kind: str, *, outcome: str = "passed", when: str = "call", skipped: str | None = None) -> pytest.TestReport:
    longrepr = None if skipped is None else ("test_x.py", 1, f"Skipped: {skipped}")
    return pytest.TestReport(
        nodeid="test_x.py::test_x",
        location=("test_x.py", 1, "test_x"),
        keywords={kind: 1},
        outcome="skipped" if skipped else outcome,  # type: ignore[arg-type]
        longrepr=longrepr,
        when=when,  # type: ignore[arg-type]
    )


def test_nothing_is_required_by_default() -> None:
    assert required_kinds({}) == frozenset()


def test_kinds_are_required_by_name() -> None:
    assert required_kinds({"TRADEWIND_TEST_REQUIRE": "postgres, mysql"}) == {"postgres", "mysql"}


def test_reachable_always_includes_sqlite() -> None:
    assert "sqlite" in required_kinds({"TRADEWIND_TEST_REQUIRE": "reachable"})


def test_a_given_url_counts_as_reachable() -> None:
    environ = {"TRADEWIND_TEST_REQUIRE": "reachable", "TRADEWIND_TEST_MYSQL_URL": "mysql://db.invalid/test"}

    assert "mysql" in required_kinds(environ)


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(pytest.UsageError, match="oracle"):
        required_kinds({"TRADEWIND_TEST_REQUIRE": "oracle"})


def test_a_required_kind_with_a_skipped_test_breaks_the_run() -> None:
    plugin = DatabaseReport(frozenset({"mysql"}))
    plugin.pytest_runtest_logreport(report("mysql"))
    plugin.pytest_runtest_logreport(report("mysql", when="setup", skipped="no mysql server: refused"))

    assert plugin.violations() == ["TRADEWIND_TEST_REQUIRE demands mysql, but 1 tests were skipped"]


def test_a_required_kind_that_no_test_used_breaks_the_run() -> None:
    plugin = DatabaseReport(frozenset({"postgres"}))
    plugin.pytest_runtest_logreport(report("sqlite"))

    assert plugin.violations() == ["TRADEWIND_TEST_REQUIRE demands postgres, but no test passed on it"]


def test_a_skip_for_another_reason_is_allowed() -> None:
    plugin = DatabaseReport(frozenset({"sqlite"}))
    plugin.pytest_runtest_logreport(report("sqlite"))
    plugin.pytest_runtest_logreport(report("sqlite", when="setup", skipped="SQLite has no SKIP LOCKED"))

    assert plugin.violations() == []


def test_a_kind_that_is_not_required_may_be_left_out() -> None:
    plugin = DatabaseReport(frozenset())
    plugin.pytest_runtest_logreport(report("mysql", when="setup", skipped="no mysql server: refused"))

    assert plugin.violations() == []
    assert plugin.left_out["mysql"] == 1
