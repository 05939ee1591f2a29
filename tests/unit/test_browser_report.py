"""That nobody looked at the pages is said at the end of a run."""

from unittest.mock import Mock

import pytest

from tests.browser_report import NO_BROWSER, BrowserReport


def _skipped(reason: str) -> pytest.TestReport:
    return pytest.TestReport(
        nodeid="test_x.py::test_x",
        location=("test_x.py", 1, "test_x"),
        keywords={},
        outcome="skipped",
        longrepr=("test_x.py", 1, f"Skipped: {reason}"),
        when="setup",
    )


def _summary(plugin: BrowserReport) -> list[str]:
    terminal = Mock()
    plugin.pytest_terminal_summary(terminal)
    return [call.args[0] for call in terminal.write_line.call_args_list]


def test_skipped_browser_tests_are_told_once_with_the_reason() -> None:
    plugin = BrowserReport()
    for _ in range(2):
        plugin.pytest_runtest_logreport(_skipped(f"{NO_BROWSER}: there is no Chromium"))

    (line,) = _summary(plugin)

    assert line.startswith("NO BROWSER TESTS: there is no Chromium. 2 tests skipped")


def test_other_skips_are_not_its_business() -> None:
    plugin = BrowserReport()
    plugin.pytest_runtest_logreport(_skipped("no mysql server: refused"))

    assert _summary(plugin) == []
