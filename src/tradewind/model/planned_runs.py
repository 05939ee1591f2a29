"""The runs that a timetable of an author's own has named, worked out where its DAG file was read.

Schedulers never import such a timetable. They take the runs to come from this list, and ask for a longer one before it
is over. Backfills take theirs from a second one, which begins at the start date of the DAG. What mappers of authors'
own say of partitions is kept with them: see `partition_answers`.
"""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from tradewind.model.partition_answers import NOTHING_SAID, PartitionAnswers, decode_answers, encode_answers
from tradewind.model.timetable import DataInterval, RunInfo

MOST_PLANNED: Final = 100
FEW_LEFT: Final = 50
"""With no more than these to come, the timetable is asked for others."""
MOST_PAST: Final = 1_000
"""How many runs are named from the start date on, for backfills: each time that the file is read."""

Row = tuple[str, ...]
"""When a run may begin, its data interval, its partition with the date of that, and its id: as texts. What it has not
is an empty text, or left out at the end."""
_LONGEST_ROW: Final = 6


@dataclass(frozen=True, slots=True)
class PlannedRuns:
    """As the timetable named them, one after the other."""

    runs: tuple[RunInfo, ...] = ()
    is_complete: bool = False
    """Whether it said that there are no others."""
    asked_at: datetime | None = None
    """When it named them."""
    past: tuple[Row, ...] = ()
    """From the start date of the DAG on. Only who backfills reads them, so that only there they become runs."""
    past_is_complete: bool = False
    past_error: str | None = None
    """What the timetable raised when it was asked for these."""
    partitions: PartitionAnswers = NOTHING_SAID
    """What mappers of the author's own have said, of a DAG that has those in place of a timetable."""

    def __post_init__(self) -> None:
        if len(self.runs) > MOST_PLANNED:
            raise ValueError(f"a timetable is asked for {MOST_PLANNED} runs at a time, and has named {len(self.runs)}")
        if len(self.past) > MOST_PAST:
            raise ValueError(f"a timetable is asked for {MOST_PAST} past runs, and has named {len(self.past)}")

    def named_since_start(self) -> list[RunInfo]:
        """From the start date of the DAG on."""
        return [_run(*row) for row in self.past]


@dataclass(frozen=True, slots=True)
class LastRun:
    """The newest run that the timetable of a DAG made: where it goes on."""

    dag_id: str
    run_after: datetime
    data_interval: DataInterval | None
    partition_key: str | None = None
    partition_date: datetime | None = None


def encode_plan(plan: PlannedRuns) -> str:
    """As JSON."""
    content = {
        "runs": [row_of(run) for run in plan.runs],
        "is_complete": plan.is_complete,
        "asked_at": None if plan.asked_at is None else _text(plan.asked_at),
        "past": plan.past,
        "past_is_complete": plan.past_is_complete,
        "past_error": plan.past_error,
        "partitions": encode_answers(plan.partitions),
    }
    return json.dumps(content, separators=(",", ":"))


def decode_plan(text: str) -> PlannedRuns:
    """What `encode_plan` wrote. A `ValueError` says what is wrong with it: it may come from an author's process."""
    try:
        content = json.loads(text)
        runs = tuple(_run(*row) for row in content["runs"])
        past = tuple(_checked_row(row) for row in content.get("past", ()))
        error, asked_at = content.get("past_error"), content.get("asked_at")
        partitions = decode_answers(content.get("partitions", {}))
        return PlannedRuns(
            runs,
            bool(content["is_complete"]),
            asked_at=None if asked_at is None else _instant(asked_at),
            past=past,
            past_is_complete=bool(content.get("past_is_complete")),
            past_error=None if error is None else str(error),
            partitions=partitions,
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a list of planned runs: {error!r}") from None


def row_of(run: RunInfo) -> Row:
    """The run as texts."""
    interval = run.data_interval
    start, end = ("", "") if interval is None else (_text(interval.start), _text(interval.end))
    date = "" if run.partition_date is None else _text(run.partition_date)
    row = [_text(run.run_after), start, end, run.partition_key or "", date, run.run_id or ""]
    while not row[-1]:
        row.pop()
    return tuple(row)


def _checked_row(row: object) -> Row:
    if not isinstance(row, list) or not 1 <= len(row) <= _LONGEST_ROW or not all(isinstance(text, str) for text in row):
        raise ValueError(f"not a planned run: {row!r}")
    return tuple(row)


def _run(run_after: str, start: str = "", end: str = "", key: str = "", date: str = "", run_id: str = "") -> RunInfo:
    interval = DataInterval(_instant(start), _instant(end)) if start and end else None
    return RunInfo(_instant(run_after), interval, key or None, _instant(date) if date else None, run_id or None)


def _text(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)
