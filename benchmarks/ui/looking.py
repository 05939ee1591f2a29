"""What is measured within a page."""

import gzip
from dataclasses import dataclass
from typing import Final

from playwright.sync_api import Page, Response

WATCHING: Final = """
window.measured = {};
const isSettled = () => document.querySelector("main h1") !== null
    && document.querySelector('[aria-busy="true"]') === null && window.__TSR_ROUTER__?.state.status === "idle";
const look = () => {
    if (isSettled() && document.querySelector(window.awaited ?? "main h1")) {
        // What was put into the document is painted after the next frame; then somebody can act.
        requestAnimationFrame(() => setTimeout(() => { window.measured.settled ??= performance.now(); }));
    }
};
new MutationObserver(look).observe(document, {subtree: true, childList: true, attributes: true});
"""
"""Notes when the page is there, with something of what `awaited` selects."""
_SETTLED: Final = "() => window.measured.settled"
_SLOWEST: Final = """() => performance.getEntriesByType("resource")
    .filter(({name}) => /\\/(ui|api)\\//.test(name) && !name.includes("/ui/events"))
    .map(({name, requestStart, responseEnd}) => [new URL(name).pathname, responseEnd - requestStart])
    .sort((one, other) => other[1] - one[1])"""
_SCROLLED: Final = """async ([selector, step, frames]) => {
    const scroller = document.querySelector(selector);
    const times = [];
    for (let frame = 0; frame <= frames; frame += 1) {
        times.push(await new Promise(requestAnimationFrame));
        if (scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 1) scroller.scrollTop = 0;
        scroller.scrollTop += step;
        scroller.scrollLeft += step / 10;
    }
    const spent = times.slice(1).map((time, number) => time - times[number]).sort((one, other) => one - other);
    return [frames * 1000 / (times.at(-1) - times[0]), spent[Math.floor(frames * 0.95)]];
}"""


@dataclass(frozen=True, slots=True)
class Loaded:
    """How a page came to be there."""

    ms: float
    requests: list[tuple[str, float]]
    """Of the server, the slowest first."""
    script_bytes: int
    """Compressed, of what was loaded until then."""


def load(page: Page, address: str, awaited: str = "main h1") -> Loaded:
    """Go there, and wait until it can be used."""
    scripts: list[Response] = []

    def note(response: Response) -> None:
        if response.url.endswith(".js"):
            scripts.append(response)

    page.on("response", note)
    page.add_init_script(f"window.awaited = {awaited!r};")
    page.goto(address)
    ms = float(page.wait_for_function(_SETTLED).json_value())
    page.remove_listener("response", note)
    script_bytes = sum(len(gzip.compress(script.body(), 6)) for script in scripts)
    return Loaded(ms, page.evaluate(_SLOWEST), script_bytes)


def scroll(page: Page, selector: str, frames: int, step: int = 60) -> tuple[float, float]:
    """Frames a second while everything moves, and the time that 19 of 20 frames do not exceed, in milliseconds."""
    rate, slow_ms = page.evaluate(_SCROLLED, [selector, step, frames])
    return rate, slow_ms
