"""Says at the end of a run which databases were left out, and fails the run where that is not allowed.

`TRADEWIND_TEST_REQUIRE` is a comma list of kinds, or `reachable`: every kind that this machine could have
used. A required kind fails the run when one of its tests was skipped for want of a server, or when no test
used it at all.
"""

from collections import Counter
from collections.abc import Mapping

import pytest

from tests.brokers import BROKER_KINDS
from tests.databases import DATABASE_KINDS, DatabaseKind, reachable_kinds

REQUIRE_VARIABLE = "TRADEWIND_TEST_REQUIRE"
ALL_REACHABLE = "reachable"

# How DatabaseUnavailable begins: other skips (a feature that one database lacks) are the test's own business.
_NO_SERVER = "no {kind} server: "


class DatabaseReport:
    """A pytest plugin of the process that sees every report: the only one, or the controller of xdist."""

    def __init__(self, required: frozenset[DatabaseKind]) -> None:
        self.required = required
        self.passed: Counter[DatabaseKind] = Counter()
        self.left_out: Counter[DatabaseKind] = Counter()
        self.reasons: dict[DatabaseKind, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for kind in DATABASE_KINDS:
            if kind not in report.keywords:
                continue
            if report.when == "call" and report.passed:
                self.passed[kind] += 1
            if report.skipped and (reason := _reason_of_skip(report, kind)):
                self.left_out[kind] += 1
                self.reasons[kind] = reason

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.violations() and session.exitstatus in (
            pytest.ExitCode.OK,
            pytest.ExitCode.NO_TESTS_COLLECTED,
        ):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for kind, count in self.left_out.items():
            line = f"NOT TESTED ON {kind.upper()}: {count} tests skipped, {self.reasons[kind]}"
            terminalreporter.write_line(line, yellow=True, bold=True)
        for line in self.violations():
            terminalreporter.write_line(line, red=True, bold=True)

    def violations(self) -> list[str]:
        """Why the run must fail, one line per required kind that was not tested in full."""
        lines = []
        for kind in DATABASE_KINDS:
            if kind not in self.required:
                continue
            if self.left_out[kind]:
                lines.append(f"{REQUIRE_VARIABLE} demands {kind}, but {self.left_out[kind]} tests were skipped")
            elif not self.passed[kind]:
                lines.append(f"{REQUIRE_VARIABLE} demands {kind}, but no test passed on it")
        return lines


def required_kinds(environ: Mapping[str, str]) -> frozenset[DatabaseKind]:
    """The kinds that `TRADEWIND_TEST_REQUIRE` demands; a word that is no kind is an error of the caller."""
    words = {word.strip() for word in environ.get(REQUIRE_VARIABLE, "").split(",")} - {""}
    required = {kind for kind in DATABASE_KINDS if kind in words}
    unknown = words - required - {ALL_REACHABLE} - set(BROKER_KINDS)
    if unknown:
        expected = ", ".join([*DATABASE_KINDS, *BROKER_KINDS, ALL_REACHABLE])
        raise pytest.UsageError(f"{REQUIRE_VARIABLE} has {sorted(unknown)}; expected some of: {expected}")
    if ALL_REACHABLE in words:
        required |= reachable_kinds(environ)
    return frozenset(required)


def _reason_of_skip(report: pytest.TestReport, kind: DatabaseKind) -> str | None:
    if not isinstance(report.longrepr, tuple):
        return None
    message = report.longrepr[2].removeprefix("Skipped: ")
    return message if message.startswith(_NO_SERVER.format(kind=kind)) else None
