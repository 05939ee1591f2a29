"""Which DAGs clients may ask lists for."""

from dataclasses import dataclass
from typing import Any, Literal

from fastapi import HTTPException

from tradewind.api.auth.access import Need, Principal, dags_within_reach
from tradewind.api.moment import Moment
from tradewind.api.paging import Texts, is_, matches, one_of, starts_with, within
from tradewind.model.listing import Condition, Test
from tradewind.model.states import RunState


def within_reach(caller: Principal, need: Need, field: str = "dag_id") -> Condition | None:
    """Only what belongs to DAGs for which the caller may."""
    reach = dags_within_reach(caller, need)
    return None if reach is None else Condition(field, Test.ONE_OF, tuple(sorted(reach)))


@dataclass(kw_only=True)
class ChosenDags:
    """What DAGs that are to be changed may be chosen by."""

    tags: Texts
    tags_match_mode: Literal["any", "all"] | None = None
    owners: Texts
    dag_id_pattern: str | None = None
    dag_id_prefix_pattern: str | None = None
    exclude_stale: bool = True
    paused: bool | None = None

    def conditions(self) -> list[Condition | None]:
        """What a list is asked for."""
        tags: list[Condition | None] = [one_of("tag", self.tags)]
        if self.tags_match_mode == "all":
            tags = [is_("tag", tag) for tag in self.tags]
        return [
            *tags,
            # As in Airflow: whoever is named among the owners.
            matches("owners", "|".join(self.owners)),
            matches("dag_id", self.dag_id_pattern),
            starts_with("dag_id", self.dag_id_prefix_pattern),
            is_("is_stale", False if self.exclude_stale else None),
            is_("is_paused", self.paused),
        ]


@dataclass(kw_only=True)
class DagFilter(ChosenDags):
    """What DAGs may be asked for. What is said of runs is said of the last run of a DAG."""

    dag_display_name_pattern: str | None = None
    dag_display_name_prefix_pattern: str | None = None
    has_import_errors: bool | None = None
    last_dag_run_state: RunState | None = None
    bundle_name: str | None = None
    bundle_version: str | None = None
    has_asset_schedule: bool | None = None
    asset_dependency: str | None = None
    dag_run_start_date_gte: Moment | None = None
    dag_run_start_date_gt: Moment | None = None
    dag_run_start_date_lte: Moment | None = None
    dag_run_start_date_lt: Moment | None = None
    dag_run_end_date_gte: Moment | None = None
    dag_run_end_date_gt: Moment | None = None
    dag_run_end_date_lte: Moment | None = None
    dag_run_end_date_lt: Moment | None = None
    dag_run_state: Texts
    is_favorite: bool | None = None
    timetable_type: Texts

    def of(self, caller: Principal) -> list[Condition | None]:
        """What a list is asked for; favorites are those of the caller.

        Raises:
            HTTPException: 422; there is no such state.
        """
        return [
            *self.conditions(),
            matches("dag_display_name", self.dag_display_name_pattern),
            starts_with("dag_display_name", self.dag_display_name_prefix_pattern),
            is_("has_import_errors", self.has_import_errors),
            is_("last_run_state", self.last_dag_run_state),
            one_of("last_run_state", [_state(text) for text in self.dag_run_state]),
            is_("bundle_name", self.bundle_name),
            is_("bundle_version", self.bundle_version),
            is_("has_asset_schedule", self.has_asset_schedule),
            matches("awaited_asset", self.asset_dependency),
            *within("last_run_start_date", **self._bounds("dag_run_start_date")),
            *within("last_run_end_date", **self._bounds("dag_run_end_date")),
            self._favorite(caller),
            one_of("timetable_type", self.timetable_type),
        ]

    def _bounds(self, name: str) -> dict[str, Any]:
        return {bound: getattr(self, f"{name}_{bound}") for bound in ("gte", "gt", "lte", "lt")}

    def _favorite(self, caller: Principal) -> Condition | None:
        if self.is_favorite is None:
            return None
        return Condition("favorite_of", Test.IS if self.is_favorite else Test.IS_NOT, caller.name)


def _state(text: str) -> RunState:
    try:
        return RunState(text)
    except ValueError:
        raise HTTPException(
            422, f"Invalid value for state. Valid values are {', '.join(state.value for state in RunState)}"
        ) from None
