"""axe-core in a page: what somebody with a screen reader, a keyboard or weak eyes would stumble over."""

from functools import cache
from typing import Final

from playwright.sync_api import Page

from tests.architecture.sources import ROOT

_SOURCE: Final = ROOT / "ui" / "node_modules" / "axe-core" / "axe.min.js"
_RULES: Final = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
_NOT_ASKED: Final = {"target-size": {"enabled": False}}
"""Cells of a grid and bars of runs are small so that many can be seen; tables have the same with larger links."""
_OF_COLOURS: Final = ("color-contrast", "link-in-text-block")
_RUN: Final = """async (options) => (await axe.run(document, {...options, resultTypes: ["violations"]})).violations.map(
    ({id, help, nodes}) => [id, help, nodes.map(({target, failureSummary}) => [target.join(" "), failureSummary])])"""


def violations(page: Page, *, only_colours: bool = False) -> list[str]:
    """Each with the places where it is. Colours are all that a theme changes."""
    # Playwright speaks to the debugger, to which the policy of the page does not apply.
    page.evaluate(_source())
    only = {"type": "rule", "values": _OF_COLOURS} if only_colours else {"type": "tag", "values": _RULES}
    # What is in frames is of other servers.
    options = {"runOnly": only, "iframes": False} | ({} if only_colours else {"rules": _NOT_ASKED})
    return [_told(*found) for found in page.evaluate(_RUN, options)]


def _told(name: str, what: str, places: list[tuple[str, str]]) -> str:
    lines = [f"    {place}: {' '.join(summary.split())}" for place, summary in places[:5]]
    more = [f"    and {len(places) - 5} more"] if len(places) > 5 else []
    return "\n".join([f"{name}: {what}", *lines, *more])


@cache
def _source() -> str:
    # It defines itself for a module loader if it sees one; the page has none. What it evaluates to is not sent back.
    return f"{_SOURCE.read_text(encoding='utf-8')}; undefined"
