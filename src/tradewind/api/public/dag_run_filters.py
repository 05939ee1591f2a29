"""What clients may ask lists of runs for."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from enum import StrEnum
from typing import Annotated, Final

from fastapi import HTTPException
from fastapi import Query as Parameter
from pydantic import ConfigDict, Field

from tradewind.api.paging import MOST_AT_ONCE, Numbers, Texts, is_, matches, one_of, starts_with, within
from tradewind.api.public.ranges import Ranges, RangesBody
from tradewind.model.listing import Condition
from tradewind.model.states import RunState, RunType

_PATTERNS: Final = ("run_id", "triggering_user_name", "dag_id", "partition_key")


@dataclass(kw_only=True)
class RunFilter(Ranges):
    """What runs may be asked for."""

    partition_date_gte: date | None = None
    partition_date_lte: date | None = None
    conf_contains: Annotated[str, Parameter()] = None  # type: ignore[assignment]  # absent, but never null
    run_type: Texts
    state: Texts
    dag_version: Numbers
    bundle_version: str | None = None
    run_id_pattern: str | None = None
    run_id_prefix_pattern: str | None = None
    triggering_user_name_pattern: str | None = None
    triggering_user_name_prefix_pattern: str | None = None
    dag_id_pattern: str | None = None
    dag_id_prefix_pattern: str | None = None
    partition_key_pattern: str | None = None
    partition_key_prefix_pattern: str | None = None
    consuming_asset_pattern: str | None = None

    def conditions(self) -> Iterator[Condition | None]:
        """What a list is asked for.

        Raises:
            HTTPException: 422; there is no such state or type.
        """
        yield from self.within_ranges()
        yield from _days(self.partition_date_gte, self.partition_date_lte)
        yield matches("conf", self.conf_contains)
        yield one_of("run_type", _known(RunType, self.run_type, "run type"))
        yield one_of("state", _known(RunState, self.state, "state"))
        yield one_of("version_number", self.dag_version)
        yield is_("bundle_version", self.bundle_version)
        for name in _PATTERNS:
            yield matches(name, getattr(self, f"{name}_pattern"))
            yield starts_with(name, getattr(self, f"{name}_prefix_pattern"))
        yield matches("consuming_asset", self.consuming_asset_pattern)


class DAGRunsBatchBody(RangesBody):
    """What runs of all DAGs may be asked for."""

    model_config = ConfigDict(extra="forbid")
    order_by: str | None = None
    page_offset: Annotated[int, Field(ge=0.0)] = 0
    page_limit: Annotated[int, Field(ge=0.0)] = MOST_AT_ONCE
    dag_ids: list[str] | None = None
    states: list[RunState | None] | None = None
    conf_contains: str | None = None

    def conditions(self) -> Iterator[Condition | None]:
        """What a list is asked for."""
        yield from self.within_ranges()
        yield matches("conf", self.conf_contains)
        yield one_of("dag_id", self.dag_ids)
        yield one_of("state", None if self.states is None else [state and state.value for state in self.states])


def _days(first: date | None, last: date | None) -> list[Condition]:
    start = None if first is None else datetime.combine(first, time.min, UTC)
    end = None if last is None else datetime.combine(last, time.max, UTC)
    return within("partition_date", gte=start, lte=end)


def _known(kind: type[StrEnum], words: Iterable[str], name: str) -> list[str]:
    chosen = list(words)
    for word in chosen:
        if word not in set(kind):
            raise HTTPException(422, f"Invalid value for {name}: {word!r}. Valid values are {', '.join(kind)}")
    return chosen
