"""What Prometheus reads: its text format 0.0.4, and OpenMetrics 1.0 for those who ask for it."""

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final

from tradewind.telemetry.metric import MetricKind
from tradewind.telemetry.prometheus import BUCKETS, Family, Histogram, Labels

PLAIN: Final = "text/plain; version=0.0.4; charset=utf-8"
OPEN_METRICS: Final = "application/openmetrics-text; version=1.0.0; charset=utf-8"
_QUALITY: Final = re.compile(r";\s*q=([0-9.]+)")
_TYPES: Final = {MetricKind.COUNTER: "counter", MetricKind.GAUGE: "gauge", MetricKind.TIMER: "histogram"}


def content_type(accept: str) -> str:
    """Which of the two a client wants, by its `Accept` header."""
    wishes = {each.split(";")[0].strip().lower(): _quality(each) for each in accept.split(",") if each.strip()}
    wish = wishes.get("application/openmetrics-text", 0.0)
    others = max(wishes.get(name, 0.0) for name in ("text/plain", "text/*", "*/*"))
    return OPEN_METRICS if wish > 0 and wish >= others else PLAIN


def render(families: Sequence[Family], kind: str = PLAIN) -> str:
    """All families, in one of the two formats."""
    is_open = kind == OPEN_METRICS
    lines = [line for family in families for line in _family(family, is_open=is_open)]
    return "\n".join([*lines, "# EOF" if is_open else ""]) + ("\n" if is_open else "")


def _quality(wish: str) -> float:
    found = _QUALITY.search(wish)
    try:
        return 1.0 if found is None else float(found[1])
    except ValueError:
        return 0.0


def _family(family: Family, *, is_open: bool) -> Iterator[str]:
    is_counter = family.metric.kind is MetricKind.COUNTER
    sample = f"{family.name}_total" if is_counter else family.name
    # In the older format a counter is called by the name of its values.
    name = family.name if is_open else sample
    yield f"# HELP {name} {_escaped(family.metric.help, quotes=is_open)}"
    yield f"# TYPE {name} {_TYPES[family.metric.kind]}"
    if is_open and family.metric.kind is MetricKind.TIMER:
        yield f"# UNIT {name} seconds"
    for labels, value in family.values.items():
        yield f"{sample}{_shown(labels)} {_number(value)}"
    for labels, histogram in family.histograms.items():
        yield from _histogram(sample, labels, histogram)


def _histogram(name: str, labels: Labels, histogram: Histogram) -> Iterator[str]:
    counts = list(accumulate(histogram.counts))
    bounds = [*(repr(bound) for bound in BUCKETS), "+Inf"]
    for bound, count in zip(bounds, counts, strict=True):
        yield f"{name}_bucket{_shown((*labels, ('le', bound)))} {count}"
    yield f"{name}_count{_shown(labels)} {counts[-1]}"
    yield f"{name}_sum{_shown(labels)} {_number(histogram.total)}"


def _shown(labels: Labels) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{_escaped(value, quotes=True)}"' for name, value in labels) + "}"


def _escaped(text: str, *, quotes: bool) -> str:
    text = text.replace("\\", "\\\\").replace("\n", "\\n")
    return text.replace('"', '\\"') if quotes else text


def _number(value: float) -> str:
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "+Inf" if value > 0 else "-Inf"
    return str(int(value)) if value == int(value) else repr(value)
