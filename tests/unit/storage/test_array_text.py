"""Arrays as PostgreSQL reads them."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from tradewind.storage.batch import Kind, Value, array_text, batch_parameters


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([], "{}"),
        ([1, None, -2], "{1,NULL,-2}"),
        ([1.5, 1e300], "{1.5,1e+300}"),
        (["a", None, ""], '{"a",NULL,""}'),
        (["NULL", "{a}", "a,b", "ä 'b'"], '{"NULL","{a}","a,b","ä \'b\'"}'),
        (['say "so"', "back\\slash", '\\"'], r'{"say \"so\"","back\\slash","\\\""}'),
    ],
)
def test_what_an_array_is_made_of_is_told_apart(values: list[Value], text: str) -> None:
    assert array_text(values) == text


def test_columns_of_one_value_are_written_once_and_instants_that_only_look_equal_are_told_apart() -> None:
    """B9: 02:30 is shown twice on the day on which clocks are put back; Python says that both are the same."""
    first = datetime(2026, 10, 25, 2, 30, tzinfo=ZoneInfo("Europe/Berlin"))
    second = first.replace(fold=1)
    columns = (("shown", Kind.INSTANT), ("at", Kind.INSTANT), ("note", Kind.LONG), ("number", Kind.INT))
    noon = datetime(2026, 10, 25, 12, tzinfo=UTC)

    written = batch_parameters("postgresql", columns, [(first, noon, "a\0", 1), (second, noon, "a\0", 2)])

    assert written == {
        "batch_shown": '{"2026-10-25T00:30:00+00:00","2026-10-25T01:30:00+00:00"}',
        "batch_at": '{"2026-10-25T12:00:00+00:00","2026-10-25T12:00:00+00:00"}',
        "batch_note": '{"a\N{REPLACEMENT CHARACTER}","a\N{REPLACEMENT CHARACTER}"}',
        "batch_number": "{1,2}",
    }
    assert set(batch_parameters("postgresql", columns, []).values()) == {"{}"}
