"""Makes docs/rest-reference.md from the web server itself: `python -m tests.architecture.rest_reference`."""

import itertools
import sys
from collections.abc import Iterator

from tests.architecture.sources import ROOT
from tradewind.api.app import ALL, make_app
from tradewind.api.reference import Described, described

PAGE = ROOT / "docs" / "rest-reference.md"

HEAD = """\
# Reference of the REST API

Made by `python -m tests.architecture.rest_reference` from the routes themselves; a test keeps it current.

Paths, parameters, bodies and answers below `/api/v2` are those of Airflow 3, so its clients work unchanged. What a
schema looks like is in `/openapi.json`; `/docs` shows this list in the browser.

- A star marks what must be given. `~` in the place of a DAG or a run stands for all of them.
- Lists take `limit` (at most 100), `offset` and `order_by` (`-` before a field: descending), and say `total_entries`.
- *Needs* is what the caller must be allowed; see the [security page](security.md) for who is. For what belongs to a
  DAG, the DAG's own `access_control` may allow it too, and lists show only what their reader may see.
- Refusals are `{"detail": …}` with status 400 (makes no sense), 401 (log in), 403 (not allowed), 404 (no such thing),
  409 (not now), 413 (too long), 422 (a value of the wrong kind, and which), 503 (try again). They are left out below.
- Answers carry an `ETag` where it is worth it: send it back as `If-None-Match`, and get 304 without a body if nothing
  changed.
- Long answers are compressed for clients that send `Accept-Encoding: gzip`, but for those that may hold secrets.
- Instead of asking again and again, [watch](live-changes.md).
"""


def page() -> str:
    """The text of the page."""
    found = described(make_app(None).openapi(), ALL)  # type: ignore[arg-type]
    return "\n".join([HEAD, *_sections(found)])


def _sections(found: list[Described]) -> Iterator[str]:
    for tag, members in itertools.groupby(found, lambda each: each.tag):
        yield f"## {tag}\n"
        yield "| operation | | needs | parameters | body | answers |"
        yield "|---|---|---|---|---|---|"
        for each in members:
            yield _line(each)
        yield ""


def _line(each: Described) -> str:
    need = "" if each.need is None else f"{each.need.action.value} {each.need.resource.value}"
    parameters = ", ".join(f"`{name}`" for name in each.parameters)
    cells = (f"`{each.method} {each.path}`", each.text, need, parameters, each.body or "", "<br>".join(each.answers))
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.stdout.write(f"{PAGE} written\n")
