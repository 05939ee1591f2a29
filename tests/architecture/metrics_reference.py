"""Makes the tables of docs/metrics.md from the metrics themselves: `python -m tests.architecture.metrics_reference`."""

from collections.abc import Iterator

from tests.architecture.sources import ROOT
from tradewind.telemetry.absent import ABSENT
from tradewind.telemetry.catalog import METRICS
from tradewind.telemetry.metric import Metric

PAGE = ROOT / "docs" / "metrics.md"
_BEGIN = "<!-- made by tests/architecture/metrics_reference.py -->"
_END = "<!-- end -->"


def page() -> str:
    """The page as it has to be: its own words, with the tables in their place."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(_BEGIN)
    return "".join([before, _BEGIN, "\n\n", "\n".join(_tables()), "\n", _END, rest.partition(_END)[2]])


def _tables() -> Iterator[str]:
    yield "| metric | kind | tags | |"
    yield "|---|---|---|---|"
    yield from (_row(metric) for metric in METRICS.values() if not metric.is_own)
    yield "\nTradewind's own:\n"
    yield "| metric | kind | tags | |"
    yield "|---|---|---|---|"
    yield from (_row(metric) for metric in METRICS.values() if metric.is_own)
    yield "\nOf Airflow's metrics, these are not told:\n"
    yield "| metric | why |"
    yield "|---|---|"
    for why in dict.fromkeys(ABSENT.values()):
        names = ", ".join(f"`{name}`" for name, reason in ABSENT.items() if reason == why)
        yield f"| {names} | {why} |"
    yield ""


def _row(metric: Metric) -> str:
    return f"| `{metric.name}` | {metric.kind} | {', '.join(metric.tags)} | {metric.help} |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
