"""Tells listeners of plugins of services, assets and files that cannot be imported. In a child that reads no file."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from tradewind.compat.adapters.listeners import AssetEvent, get_listener_manager
from tradewind.compat.plugin_loading import load_plugins
from tradewind.dag_processor.protocol import ToldNews
from tradewind.model.listener_news import Hook
from tradewind.sdk.assets import Asset, AssetAlias

_JOB_TYPES: Final = {
    "scheduler": "SchedulerJob",
    "dag_processor": "DagProcessorJob",
    "triggerer": "TriggererJob",
    "worker": "WorkerJob",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A service, as listeners get to see it. The names are Airflow's."""

    id: int
    job_type: str
    hostname: str
    state: str
    start_date: datetime
    latest_heartbeat: datetime
    end_date: datetime | None = None
    dag_id: str | None = None
    executor_class: str | None = None
    unixname: str | None = None


def heard_hooks(plugins: str) -> list[str]:
    """Of what listeners of all plugins want to hear."""
    load_plugins(plugins or None)
    hooks = get_listener_manager().hook
    return [hook.value for hook in Hook if getattr(hooks, hook.value).get_hookimpls()]


def tell_news(plugins: str, news: Sequence[ToldNews], begin: Callable[[int], None]) -> None:
    """One after the other. `begin` is called before each, with how many have been begun then: what ends this process is
    not told again, and what comes after it is told by another."""
    load_plugins(plugins or None)
    for number, each in enumerate(news, start=1):
        begin(number)
        hook = Hook(each.hook)
        get_listener_manager().tell(hook.value, **_ARGUMENTS[hook](each.facts))


def _starting(facts: dict[str, Any]) -> dict[str, Any]:
    return {"component": _job(facts, "running")}


def _stopping(facts: dict[str, Any]) -> dict[str, Any]:
    return {"component": _job(facts, "success")}


def _job(facts: dict[str, Any], state: str) -> Job:
    return Job(
        id=facts["id"],
        job_type=_JOB_TYPES.get(facts["kind"], facts["kind"]),
        hostname=facts["hostname"],
        state=state,
        start_date=datetime.fromisoformat(facts["start_date"]),
        latest_heartbeat=datetime.fromisoformat(facts["latest_heartbeat"]),
    )


def _asset(facts: dict[str, Any]) -> Asset:
    return Asset(name=facts["name"], uri=facts["uri"], group=facts["group"], extra=facts["extra"])


def _alias(facts: dict[str, Any]) -> AssetAlias:
    return AssetAlias(facts["name"], group=facts["group"])


def _event(facts: dict[str, Any]) -> dict[str, Any]:
    asset, aliases = _asset(facts["asset"]), [_alias(each) for each in facts["source_aliases"]]
    more = {**facts, "extra": facts["extra"] or {}, "asset": asset, "source_aliases": aliases}
    return {"asset_event": AssetEvent(**more)}


def _import_error(facts: dict[str, Any]) -> dict[str, Any]:
    return {"filename": facts["filename"], "stacktrace": facts["stacktrace"]}


_ARGUMENTS: Final[dict[Hook, Callable[[dict[str, Any]], dict[str, Any]]]] = {
    Hook.STARTING: _starting,
    Hook.STOPPING: _stopping,
    Hook.ASSET_CREATED: lambda facts: {"asset": _asset(facts)},
    Hook.ALIAS_CREATED: lambda facts: {"asset_alias": _alias(facts)},
    Hook.ASSET_CHANGED: lambda facts: {"asset": _asset(facts)},
    Hook.ASSET_EVENT: _event,
    Hook.NEW_IMPORT_ERROR: _import_error,
    Hook.EXISTING_IMPORT_ERROR: _import_error,
}
