"""Our reading of cron expressions against croniter's, whose language Airflow users write (C1).

Left out is where we differ on purpose: see the docstring of `tradewind.decide.timetables`.
"""

from collections.abc import Sequence
from datetime import datetime

from croniter import croniter
from hypothesis import given
from hypothesis import strategies as st

from tradewind.model.cron_calendar import cron_calendar

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")


@st.composite
def items(draw: st.DrawFn, low: int, high: int, names: Sequence[str] = ()) -> str:
    def written(value: int) -> str:
        return draw(st.sampled_from([str(value), names[value - low]])) if names else str(value)

    value = draw(st.integers(low, high))
    other = draw(st.integers(low, high))
    step = draw(st.integers(1, 12))
    shapes = [written(value), f"*/{step}", f"{written(value)}-{written(other)}"]
    if value < other:
        shapes.append(f"{written(value)}-{written(other)}/{step}")
    if value < high:
        shapes.append(f"{written(value)}/{step}")
    return draw(st.sampled_from(shapes))


def fields(low: int, high: int, names: Sequence[str] = ()) -> st.SearchStrategy[str]:
    listed = st.lists(items(low, high, names), min_size=1, max_size=3).map(",".join)
    return st.just("*") | listed


hours_and_minutes = st.tuples(fields(0, 59), fields(0, 23)).map(" ".join)
months = fields(1, 12, MONTHS)
plain_days = st.tuples(fields(1, 31), months, fields(0, 6, WEEKDAYS))
special_days = st.tuples(st.sampled_from(["L", "1-L", "10,L", "15W", "1W", "W31", "?"]), months, st.just("*"))
special_weekdays = st.tuples(
    st.sampled_from(["*", "?"]), months, st.sampled_from(["5#3", "mon#1,fri#1", "L5", "mon-wed#2", "7", "5-7", "sun#5"])
)
days = (plain_days | special_days | special_weekdays).map(" ".join)
more = st.just("") | fields(0, 59) | st.tuples(fields(0, 59), st.sampled_from(["*", "2020-2060", "*/2"])).map(" ".join)
starts = st.datetimes(datetime.fromisoformat("2024-01-01"), datetime.fromisoformat("2030-01-01"))


@given(hours_and_minutes, days, more, starts)
def test_both_name_the_same_readings_in_both_directions(time: str, day: str, rest: str, start: datetime) -> None:
    """C1."""
    if day.endswith("7"):
        rest = ""  # croniter knows the Sunday number 7 only in five fields
    expression = f"{time} {day} {rest}"
    calendar = cron_calendar(expression)
    for ahead in (True, False):
        theirs = croniter(expression, start)
        ours = calendar.after(start) if ahead else calendar.before(start)
        for _ in range(3):
            if ours is None:
                break  # the years are over
            assert ours == (theirs.get_next(datetime) if ahead else theirs.get_prev(datetime))
            ours = calendar.after(ours) if ahead else calendar.before(ours)
