"""Listeners of plugins that want to hear of runs: whether there are any, and telling them."""

from dataclasses import asdict, dataclass
from typing import Any, Final

import msgspec

from tradewind.compat.adapters.listeners import get_listener_manager
from tradewind.compat.plugin_loading import load_plugins
from tradewind.dag_processor.protocol import CallbackCall
from tradewind.model.dag import CallbackEvent
from tradewind.model.task_answers import DagRunResult
from tradewind.sdk.states import DagRunState

_HOOKS: Final = {
    CallbackEvent.EXECUTE: ("on_dag_run_running", DagRunState.RUNNING),
    CallbackEvent.SUCCESS: ("on_dag_run_success", DagRunState.SUCCESS),
    CallbackEvent.FAILURE: ("on_dag_run_failed", DagRunState.FAILED),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class HeardRun(DagRunResult):
    """A run, as listeners get to see it: as it was when it changed, whatever became of it since."""

    dag: Any = None
    """None, if its file does not have it any more."""
    queued_at: Any = None
    bundle_version: str | None = None
    version_number: int | None = None

    def get_dag(self) -> Any:
        """Its DAG."""
        return self.dag


def heard_events(plugins: str) -> list[str]:
    """The changes of runs of which listeners of all plugins want to hear."""
    load_plugins(plugins or None)
    hooks = get_listener_manager().hook
    return [event.value for event, (name, _) in _HOOKS.items() if getattr(hooks, name).get_hookimpls()]


def tell_run_listeners(plugins: str, call: CallbackCall, dag: Any) -> None:
    """Tell those of all plugins how the run changed. What they raise goes to the log and nowhere else."""
    load_plugins(plugins or None)
    name, state = _HOOKS[CallbackEvent(call.event)]
    facts = asdict(call.run)
    if call.event == CallbackEvent.EXECUTE:
        facts["end_date"] = None
    more = {} if call.listened is None else msgspec.structs.asdict(call.listened)
    run = HeardRun(**{**facts, "state": state}, **more, dag=dag)
    get_listener_manager().tell(name, dag_run=run, msg=call.reason or "")
