"""Says at the end of a run that nobody looked at the pages, where there is no browser or no way to build them."""

from typing import Final

import pytest

NO_BROWSER: Final = "NO BROWSER TESTS"
"""How the reason begins for which they are skipped."""


class BrowserReport:
    """A pytest plugin of the process that sees every report: the only one, or the controller of xdist."""

    def __init__(self) -> None:
        self.left_out = 0
        self.reason = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped and isinstance(report.longrepr, tuple) and NO_BROWSER in report.longrepr[2]:
            self.left_out += 1
            self.reason = report.longrepr[2].removeprefix("Skipped: ")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.left_out:
            line = f"{self.reason}. {self.left_out} tests skipped: what people see was NOT tested."
            terminalreporter.write_line(line, yellow=True, bold=True)
