"""Macros: dates in templates (D3)."""

import datetime as dt

import pendulum
import pytest

from tradewind.sdk import macros
from tradewind.sdk.exceptions import AirflowOptionalProviderFeatureException


@pytest.mark.parametrize(
    ("ds", "days", "expected"),
    [("2015-01-01", 5, "2015-01-06"), ("2015-01-06", -5, "2015-01-01"), ("2024-02-28", 1, "2024-02-29")],
)
def test_days_are_added(ds: str, days: int, expected: str) -> None:
    assert macros.ds_add(ds, days) == expected


@pytest.mark.parametrize(
    ("ds", "read", "write", "expected"),
    [
        ("2015-01-02", "%Y-%m-%d", "%m-%d-%y", "01-02-15"),
        ("1/5/2015", "%m/%d/%Y", "%Y-%m-%d", "2015-01-05"),
        ("12/07/2024 +0200", "%d/%m/%Y %z", "%Y-%m-%d %z", "2024-07-12 +0200"),
    ],
)
def test_dates_are_written_another_way(ds: str, read: str, write: str, expected: str) -> None:
    assert macros.ds_format(ds, read, write) == expected


def test_languages_need_babel() -> None:
    try:
        import babel  # type: ignore[import-not-found] # noqa: F401, PLC0415 - whether it is there decides what is tested
    except ModuleNotFoundError:
        with pytest.raises(AirflowOptionalProviderFeatureException, match="needs the package babel"):
            macros.ds_format_locale("12/07/2024", "%d/%m/%Y", "EEEE dd MMMM yyyy", "en_US")
    else:
        written = macros.ds_format_locale("12/07/2024", "%d/%m/%Y", "EEEE dd MMMM yyyy", "en_US")
        assert written == "Friday 12 July 2024"


def test_differences_are_told_in_words() -> None:
    moment = dt.datetime(2026, 1, 3, tzinfo=dt.UTC)

    assert macros.datetime_diff_for_humans(moment, pendulum.datetime(2026, 1, 1)) == "2 days after"
    assert macros.datetime_diff_for_humans(moment, dt.datetime(2026, 1, 4, tzinfo=dt.UTC)) == "1 day before"


@pytest.mark.parametrize("name", ["datetime", "timedelta", "dateutil", "time", "uuid", "random", "json", "yaml"])
def test_modules_that_templates_use_are_there(name: str) -> None:
    assert hasattr(macros, name)


def test_time_of_day_and_chance() -> None:
    assert 0 <= macros.random() < 1
    assert macros.dateutil.parser.parse("2026-01-31").day == 31
    assert macros.yaml.safe_load("a: 1") == {"a": 1}
