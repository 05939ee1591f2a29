"""A runtime that answers from memory, for tests of what asks it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from tradewind.model.task_answers import (
    AssetEventResult,
    AssetResult,
    ConnectionResult,
    DagResult,
    DagRunResult,
    HITLDetailRequest,
    HITLDetailResponse,
    InactiveAssetResult,
    PreviousTIResult,
    PrevSuccessfulDagRunResult,
    WebhookMessage,
    XComElement,
    XComResult,
)

XComKey = tuple[str, str, str, str]


@dataclass
class MemorySecrets:
    """Variables and connections."""

    variables: dict[str, str] = field(default_factory=dict)
    connections: dict[str, ConnectionResult] = field(default_factory=dict)
    masked: list[tuple[Any, str | None]] = field(default_factory=list)

    def get_variable(self, key: str) -> str | None:
        return self.variables.get(key)

    def set_variable(self, key: str, value: str, description: str | None = None) -> None:
        self.variables[key] = value

    def delete_variable(self, key: str) -> None:
        self.variables.pop(key, None)

    def get_variable_keys(self, prefix: str | None = None) -> Sequence[str]:
        return sorted(key for key in self.variables if key.startswith(prefix or ""))

    def get_connection(self, conn_id: str) -> ConnectionResult | None:
        return self.connections.get(conn_id)

    def mask_secret(self, secret: Any, name: str | None = None) -> None:
        self.masked.append((secret, name))


@dataclass
class MemoryXComs:
    """XComs by place, then by map index."""

    xcoms: dict[XComKey, dict[int, Any]] = field(default_factory=dict)
    mapped_lengths: list[int | None] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def get_xcom(
        self,
        *,
        dag_id: str,
        run_id: str,
        task_id: str,
        key: str,
        map_index: int | None = None,
        include_prior_dates: bool = False,
    ) -> XComResult | None:
        self.asked.append("get_xcom")
        places = [place for place in self.xcoms if (place[0], *place[2:]) == (dag_id, task_id, key)]
        runs = [place for place in places if place[1] == run_id or (include_prior_dates and place[1] < run_id)]
        for place in sorted(runs, reverse=True):
            found = self.xcoms[place]
            index = min(found, default=None) if map_index is None else map_index
            if index in found:
                return XComResult(key, found[index])
        return None

    def set_xcom(
        self,
        *,
        dag_id: str,
        run_id: str,
        task_id: str,
        key: str,
        value: Any,
        map_index: int = -1,
        dag_result: bool = False,
        mapped_length: int | None = None,
    ) -> None:
        self.xcoms.setdefault((dag_id, run_id, task_id, key), {})[map_index] = value
        self.mapped_lengths.append(mapped_length)

    def delete_xcom(self, *, dag_id: str, run_id: str, task_id: str, key: str, map_index: int | None = None) -> None:
        self.xcoms.pop((dag_id, run_id, task_id, key), None)

    def count_xcoms(self, *, dag_id: str, run_id: str, task_id: str, key: str) -> int:
        self.asked.append("count_xcoms")
        return len(self.xcoms.get((dag_id, run_id, task_id, key), {}))

    def get_xcom_item(self, *, dag_id: str, run_id: str, task_id: str, key: str, offset: int) -> XComResult | None:
        self.asked.append("get_xcom_item")
        try:
            return XComResult(key, self._values(dag_id, run_id, task_id, key)[offset])
        except IndexError:
            return None

    def get_xcom_element(
        self, *, dag_id: str, run_id: str, task_id: str, key: str, map_index: int, index: int
    ) -> XComElement | None:
        self.asked.append("get_xcom_element")
        elements = self.xcoms.get((dag_id, run_id, task_id, key), {}).get(map_index)
        if not isinstance(elements, list) or not elements:
            return None
        return XComElement(elements[index % len(elements)], len(elements))

    def get_xcom_slice(
        self,
        *,
        dag_id: str,
        run_id: str,
        task_id: str,
        key: str,
        start: int | None = None,
        stop: int | None = None,
        step: int | None = None,
        include_prior_dates: bool = False,
    ) -> Sequence[Any]:
        self.asked.append("get_xcom_slice")
        return self._values(dag_id, run_id, task_id, key)[slice(start, stop, step)]

    def _values(self, *place: str) -> list[Any]:
        dag_id, run_id, task_id, key = place
        return [value for _, value in sorted(self.xcoms.get((dag_id, run_id, task_id, key), {}).items())]


@dataclass
class MemoryStates:
    """The state stores."""

    task_states: dict[str, Any] = field(default_factory=dict)
    retentions: dict[str, timedelta | None] = field(default_factory=dict)
    asset_states: dict[str | None, dict[str, Any]] = field(default_factory=dict)

    def get_task_state(self, key: str) -> Any:
        return self.task_states.get(key)

    def set_task_state(self, key: str, value: Any, retention: timedelta | None = None) -> None:
        self.task_states[key] = value
        self.retentions[key] = retention

    def delete_task_state(self, key: str) -> None:
        self.task_states.pop(key, None)

    def clear_task_state(self) -> None:
        self.task_states.clear()

    def get_asset_state(self, key: str, *, name: str | None = None, uri: str | None = None) -> Any:
        return self.asset_states.get(name or uri, {}).get(key)

    def set_asset_state(self, key: str, value: Any, *, name: str | None = None, uri: str | None = None) -> None:
        self.asset_states.setdefault(name or uri, {})[key] = value

    def delete_asset_state(self, key: str, *, name: str | None = None, uri: str | None = None) -> None:
        self.asset_states.get(name or uri, {}).pop(key, None)

    def clear_asset_state(self, *, name: str | None = None, uri: str | None = None) -> None:
        self.asset_states.pop(name or uri, None)


@dataclass
class MemoryAssets:
    """Assets and their events."""

    assets: list[AssetResult] = field(default_factory=list)
    aliases: dict[str, list[AssetResult]] = field(default_factory=dict)
    events: list[AssetEventResult] = field(default_factory=list)
    event_requests: list[dict[str, Any]] = field(default_factory=list)
    consumed: list[AssetEventResult] = field(default_factory=list)
    pages: int = 0

    def get_asset(self, *, name: str | None = None, uri: str | None = None) -> AssetResult | None:
        return next((asset for asset in self.assets if asset.name == name or asset.uri == uri), None)

    def get_assets_by_alias(self, alias_name: str) -> Sequence[AssetResult]:
        return self.aliases.get(alias_name, [])

    def get_asset_events(
        self,
        *,
        name: str | None = None,
        uri: str | None = None,
        alias_name: str | None = None,
        after: datetime | str | None = None,
        before: datetime | str | None = None,
        ascending: bool = True,
        limit: int | None = None,
    ) -> Sequence[AssetEventResult]:
        self.event_requests.append(
            {
                "name": name,
                "uri": uri,
                "alias_name": alias_name,
                "after": after,
                "before": before,
                "ascending": ascending,
                "limit": limit,
            }
        )
        found = [event for event in self.events if name in (None, event.asset.name) and uri in (None, event.asset.uri)]
        ordered = sorted(found, key=lambda event: event.timestamp, reverse=not ascending)
        return ordered[:limit]

    def get_consumed_asset_events(self, *, after: int = 0, limit: int = 1_000) -> Sequence[AssetEventResult]:
        self.pages += 1
        return [event for event in self.consumed if (event.id or 0) > after][:limit]

    def get_inactive_assets(self) -> Sequence[InactiveAssetResult]:
        return []


@dataclass
class MemoryRuns:
    """Runs and task instances."""

    runs: dict[tuple[str, str], DagRunResult] = field(default_factory=dict)
    rendered: dict[str, Any] = field(default_factory=dict)

    def get_dag(self, dag_id: str) -> DagResult | None:
        return DagResult(dag_id=dag_id, is_paused=False)

    def get_dag_run(self, dag_id: str, run_id: str) -> DagRunResult | None:
        return self.runs.get((dag_id, run_id))

    def get_dag_run_state(self, dag_id: str, run_id: str) -> str | None:
        run = self.get_dag_run(dag_id, run_id)
        return None if run is None else run.state

    def count_dag_runs(
        self,
        dag_id: str,
        *,
        logical_dates: Sequence[datetime] | None = None,
        run_ids: Sequence[str] | None = None,
        states: Sequence[str] | None = None,
    ) -> int:
        return sum(key[0] == dag_id for key in self.runs)

    def get_previous_dag_run(
        self, dag_id: str, *, logical_date: datetime, state: str | None = None
    ) -> DagRunResult | None:
        return None

    def get_previous_successful_dag_run(self) -> PrevSuccessfulDagRunResult:
        return PrevSuccessfulDagRunResult()

    def trigger_dag_run(
        self,
        dag_id: str,
        run_id: str,
        *,
        logical_date: datetime | None = None,
        run_after: datetime | None = None,
        conf: Mapping[str, Any] | None = None,
        reset_dag_run: bool = False,
        partition_key: str | None = None,
        note: str | None = None,
    ) -> bool:
        return (dag_id, run_id) not in self.runs or reset_dag_run

    def count_task_instances(
        self,
        dag_id: str,
        *,
        map_index: int | None = None,
        task_ids: Sequence[str] | None = None,
        task_group_id: str | None = None,
        logical_dates: Sequence[datetime] | None = None,
        run_ids: Sequence[str] | None = None,
        states: Sequence[str] | None = None,
    ) -> int:
        return 0

    def get_task_states(
        self,
        dag_id: str,
        *,
        map_index: int | None = None,
        task_ids: Sequence[str] | None = None,
        task_group_id: str | None = None,
        logical_dates: Sequence[datetime] | None = None,
        run_ids: Sequence[str] | None = None,
    ) -> Mapping[str, Mapping[str, str | None]]:
        return {}

    def get_task_breadcrumbs(self, dag_id: str, run_id: str) -> Sequence[Mapping[str, Any]]:
        return []

    def get_previous_task_instance(
        self,
        dag_id: str,
        task_id: str,
        *,
        logical_date: datetime | None = None,
        map_index: int = -1,
        state: str | None = None,
    ) -> PreviousTIResult | None:
        return None

    def get_first_reschedule_date(self) -> datetime | None:
        return None

    def set_rendered_fields(self, fields: Mapping[str, Any]) -> None:
        self.rendered.update(fields)

    def set_rendered_map_index(self, rendered_map_index: str) -> None:
        self.rendered["map_index"] = rendered_map_index


@dataclass
class MemoryQuestions:
    """Questions to people."""

    questions: dict[str, HITLDetailRequest] = field(default_factory=dict)
    answers: dict[str, HITLDetailResponse] = field(default_factory=dict)

    def upsert_hitl_detail(self, request: HITLDetailRequest) -> None:
        self.questions[request.ti_id] = request

    def update_hitl_detail(
        self, ti_id: str, *, chosen_options: Sequence[str], params_input: Mapping[str, Any]
    ) -> HITLDetailResponse:
        answer = HITLDetailResponse(
            response_received=True, chosen_options=tuple(chosen_options), params_input=params_input
        )
        self.answers[ti_id] = answer
        return answer

    def get_hitl_detail(self, ti_id: str) -> HITLDetailResponse | None:
        return self.answers.get(ti_id)


@dataclass
class MemoryWebhooks:
    """What was posted."""

    posted: dict[str, list[WebhookMessage]] = field(default_factory=dict)

    def get_webhook_messages(self, hook: str, *, after: int = 0, limit: int = 100) -> Sequence[WebhookMessage]:
        return [message for message in self.posted.get(hook, []) if message.number > after][:limit]

    def delete_webhook_messages(self, hook: str, numbers: Sequence[int]) -> None:
        self.posted[hook] = [message for message in self.posted.get(hook, []) if message.number not in numbers]


@dataclass
class MemoryRuntime(
    MemorySecrets, MemoryXComs, MemoryStates, MemoryAssets, MemoryRuns, MemoryQuestions, MemoryWebhooks
):
    """All of it."""
