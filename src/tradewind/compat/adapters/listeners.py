"""Listeners: objects whose methods are called when runs and tasks change, found through pluggy as in Airflow."""

import logging
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any, Final

import pluggy

log = logging.getLogger(__name__)

PROJECT: Final = "airflow"
hookimpl: Final = pluggy.HookimplMarker(PROJECT)
_hookspec: Final = pluggy.HookspecMarker(PROJECT)


@dataclass
class AssetEvent:
    """What a listener hears of an event of an asset."""

    asset: Any
    extra: dict[str, Any]
    source_dag_id: str | None = None
    source_task_id: str | None = None
    source_run_id: str | None = None
    source_map_index: int | None = None
    source_aliases: list[Any] = field(default_factory=list)
    partition_key: str | None = None
    partition_date: datetime | None = None


class _Specifications:
    """What listeners may want to hear of."""

    @_hookspec
    def on_starting(self, component: Any) -> None:
        """A service starts."""

    @_hookspec
    def before_stopping(self, component: Any) -> None:
        """A service stops."""

    @_hookspec
    def on_task_instance_running(self, previous_state: Any, task_instance: Any) -> None:
        """A task starts to run."""

    @_hookspec
    def on_task_instance_success(self, previous_state: Any, task_instance: Any) -> None:
        """A task succeeded."""

    @_hookspec
    def on_task_instance_failed(self, previous_state: Any, task_instance: Any, error: Any) -> None:
        """A task failed."""

    @_hookspec
    def on_task_instance_skipped(self, previous_state: Any, task_instance: Any) -> None:
        """A task skipped itself."""

    @_hookspec
    def on_dag_run_running(self, dag_run: Any, msg: str) -> None:
        """A run starts."""

    @_hookspec
    def on_dag_run_success(self, dag_run: Any, msg: str) -> None:
        """A run succeeded."""

    @_hookspec
    def on_dag_run_failed(self, dag_run: Any, msg: str) -> None:
        """A run failed."""

    @_hookspec
    def on_asset_created(self, asset: Any) -> None:
        """An asset was seen for the first time."""

    @_hookspec
    def on_asset_alias_created(self, asset_alias: Any) -> None:
        """An alias of assets was seen for the first time."""

    @_hookspec
    def on_asset_changed(self, asset: Any) -> None:
        """An asset was written."""

    @_hookspec
    def on_asset_event_emitted(self, asset_event: AssetEvent) -> None:
        """An event of an asset was stored."""

    @_hookspec
    def on_new_dag_import_error(self, filename: str, stacktrace: str) -> None:
        """A DAG file cannot be imported any more."""

    @_hookspec
    def on_existing_dag_import_error(self, filename: str, stacktrace: str) -> None:
        """A DAG file still cannot be imported."""


class ListenerManager:
    """The listeners of a process."""

    def __init__(self) -> None:
        self.pm = pluggy.PluginManager(PROJECT)
        self.pm.add_hookspecs(_Specifications)

    @property
    def has_listeners(self) -> bool:
        """Whether anybody listens."""
        return bool(self.pm.get_plugins())

    @property
    def hook(self) -> Any:
        """Call its methods to tell all listeners."""
        return self.pm.hook

    def tell(self, hook: str, **facts: Any) -> None:
        """Tell each listener by itself: what one of them raises goes to the log, and the others hear of it too."""
        listeners = self.pm.get_plugins()
        for listener in self._in_order(hook):
            try:
                self.pm.subset_hook_caller(hook, remove_plugins=listeners - {listener})(**facts)
            except Exception:
                log.exception("A listener failed in %s", hook)

    def _in_order(self, hook: str) -> list[Any]:
        """Those who want to hear of it, in the order in which pluggy calls them."""
        return list(dict.fromkeys(each.plugin for each in reversed(getattr(self.hook, hook).get_hookimpls())))

    def add_listener(self, listener: Any) -> None:
        """Let an object or module with `hookimpl` functions hear of everything; once, however often it is added."""
        if not self.pm.is_registered(listener):
            self.pm.register(listener)

    def clear(self) -> None:
        """Forget all listeners."""
        for listener in list(self.pm.get_plugins()):
            self.pm.unregister(listener)


@cache
def get_listener_manager() -> ListenerManager:
    """The listeners of this process."""
    return ListenerManager()
