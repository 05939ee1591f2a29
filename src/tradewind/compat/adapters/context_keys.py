"""Keys that the context of a task had in Airflow 2, worked out from those that it has now."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

_DAY: Final = timedelta(days=1)
_RENAMED: Final[Mapping[str, str]] = {
    "execution_date": "logical_date",
    "next_execution_date": "data_interval_end",
    "triggering_dataset_events": "triggering_asset_events",
}


def old_context_values(context: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the old keys; without those that a run without a logical date cannot have.

    Nothing about earlier runs: asking for those costs a question to the server, and this is done for every task.
    """
    values = {old: context[new] for old, new in _RENAMED.items() if context.get(new) is not None}
    logical_date = context.get("logical_date")
    if isinstance(logical_date, datetime):
        values.update(_dates("yesterday_ds", logical_date - _DAY))
        values.update(_dates("tomorrow_ds", logical_date + _DAY))
    if isinstance(end := context.get("data_interval_end"), datetime):
        values.update(_dates("next_ds", end))
    return values


def _dates(key: str, instant: datetime) -> dict[str, str]:
    return {key: f"{instant:%Y-%m-%d}", f"{key}_nodash": f"{instant:%Y%m%d}"}
