"""Starting a run of another DAG."""

import json
import secrets
import string
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, ClassVar, NoReturn

from tradewind.model.run_ids import RUN_ID_SUFFIX_LENGTH, new_run_id
from tradewind.model.states import RunType
from tradewind.sdk import timezone
from tradewind.sdk.configuration import conf as configuration
from tradewind.sdk.context import Context
from tradewind.sdk.exceptions import AirflowException, DagRunTriggerException
from tradewind.sdk.notset import NOTSET, ArgNotSet, is_arg_set
from tradewind.sdk.operator import BaseOperator
from tradewind.sdk.operator_link import BaseOperatorLink
from tradewind.sdk.runtime import current_runtime
from tradewind.sdk.standard.exceptions import DagIsPaused
from tradewind.sdk.standard.openlineage_parent import with_openlineage_parent
from tradewind.sdk.standard.run_links import run_url
from tradewind.sdk.states import DagRunState
from tradewind.sdk.xcom import XCom

XCOM_RUN_ID = "trigger_run_id"
"""Pushed by whoever runs the task, once the run exists."""

_SUFFIX_LETTERS = string.ascii_letters + string.digits


class TriggerDagRunLink(BaseOperatorLink):
    """To the run that was started."""

    name = "Triggered DAG"

    def get_link(self, operator: Any, *, ti_key: Any) -> str:
        """The page of that run; empty if none was started."""
        run_id = XCom.get_value(ti_key=ti_key, key=XCOM_RUN_ID)
        return run_url(operator.trigger_dag_id, run_id) if run_id else ""


class TriggerDagRunOperator(BaseOperator):
    """Start a run of another DAG, and with `wait_for_completion` wait until it ended.

    The run is created by whoever runs the task (`DagRunTriggerException`), which also waits.
    """

    template_fields: Sequence[str] = (
        "trigger_dag_id",
        "trigger_run_id",
        "logical_date",
        "conf",
        "wait_for_completion",
        "skip_when_already_exists",
    )
    template_fields_renderers: ClassVar[dict[str, str]] = {"conf": "py"}
    ui_color = "#ffefeb"
    operator_extra_links: Collection[BaseOperatorLink] = (TriggerDagRunLink(),)

    def __init__(
        self,
        *,
        trigger_dag_id: str,
        trigger_run_id: str | None = None,
        conf: dict[str, Any] | None = None,
        logical_date: str | datetime | ArgNotSet | None = NOTSET,
        run_after: str | datetime | ArgNotSet | None = NOTSET,
        reset_dag_run: bool = False,
        wait_for_completion: bool = False,
        poke_interval: int = 60,
        allowed_states: list[str | DagRunState] | None = None,
        failed_states: list[str | DagRunState] | None = None,
        skip_when_already_exists: bool = False,
        fail_when_dag_is_paused: bool = False,
        note: str | None = None,
        deferrable: bool = configuration.getboolean("operators", "default_deferrable", fallback=False),
        openlineage_inject_parent_info: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.trigger_dag_id = trigger_dag_id
        self.trigger_run_id = trigger_run_id
        self.conf: Any = conf
        self.logical_date = logical_date
        self.run_after = self._checked("run_after", run_after)
        self.reset_dag_run = reset_dag_run
        self.wait_for_completion = wait_for_completion
        self.poke_interval = poke_interval
        self.allowed_states = [DagRunState(state) for state in allowed_states or [DagRunState.SUCCESS]]
        self.failed_states = [
            DagRunState(state) for state in ([DagRunState.FAILED] if failed_states is None else failed_states)
        ]
        self.skip_when_already_exists = skip_when_already_exists
        self.fail_when_dag_is_paused = fail_when_dag_is_paused
        self.note = note
        self.deferrable = deferrable
        self.openlineage_inject_parent_info = openlineage_inject_parent_info

    def execute(self, context: Context) -> NoReturn:
        """Ask for the run."""
        logical_date, run_after = self._dates()
        run_conf = self._json_conf()
        if self.openlineage_inject_parent_info:
            run_conf = self.conf = with_openlineage_parent(run_conf, context["ti"])
        # Listeners read it here.
        self.trigger_run_id = str(self.trigger_run_id) if self.trigger_run_id else _new_run_id(logical_date, run_after)
        if self.fail_when_dag_is_paused:
            self._refuse_paused()
        context["ti"].xcom_push(
            key=TriggerDagRunLink().xcom_key, value=run_url(self.trigger_dag_id, self.trigger_run_id)
        )
        raise DagRunTriggerException(
            trigger_dag_id=self.trigger_dag_id,
            dag_run_id=self.trigger_run_id,
            conf=run_conf,
            logical_date=logical_date,
            run_after=run_after,
            reset_dag_run=self.reset_dag_run,
            skip_when_already_exists=self.skip_when_already_exists,
            wait_for_completion=self.wait_for_completion,
            allowed_states=[str(state) for state in self.allowed_states],
            failed_states=[str(state) for state in self.failed_states],
            poke_interval=self.poke_interval,
            deferrable=self.deferrable,
            note=self.note,
        )

    def execute_complete(self, context: Context, event: tuple[str, dict[str, Any]]) -> None:
        """Fail if the run ended in one of `failed_states`; the event is that of `DagStateTrigger`."""
        _, runs = event
        run_ids = runs["run_ids"]
        self.trigger_run_id = run_ids[0] if len(run_ids) == 1 else None
        failed = [run_id for run_id in run_ids if runs.get(run_id) in self.failed_states]
        if failed:
            raise AirflowException(
                f"run {', '.join(failed)} of DAG {self.trigger_dag_id!r} ended in a state of failed_states"
            )
        self.log.info("DAG %s ended as it should", self.trigger_dag_id)

    def _dates(self) -> tuple[datetime | None, datetime | None]:
        """The logical date and when the run is due. Without either, both are now."""
        self._checked("logical_date", self.logical_date)
        run_after = _instant(self.run_after) if is_arg_set(self.run_after) else None
        if is_arg_set(self.logical_date):
            return _instant(self.logical_date), run_after
        return (None if is_arg_set(self.run_after) else timezone.utcnow()), run_after

    def _json_conf(self) -> dict[str, Any] | None:
        try:
            # Templates make text of it.
            if isinstance(self.conf, str):
                self.conf = json.loads(self.conf) if self.conf else None
            json.dumps(self.conf)
        except (TypeError, ValueError) as wrong:
            raise ValueError(
                f"conf of task {self.task_id!r} must be JSON, but {self.conf!r} is not: {wrong}"
            ) from wrong
        checked: dict[str, Any] | None = self.conf
        return checked

    def _refuse_paused(self) -> None:
        dag = current_runtime().get_dag(self.trigger_dag_id)
        if dag is None:
            raise AirflowException(f"there is no DAG {self.trigger_dag_id!r} to trigger")
        if dag.is_paused:
            raise DagIsPaused(dag_id=self.trigger_dag_id)

    def _checked(self, name: str, value: Any) -> Any:
        if value is None or not is_arg_set(value) or isinstance(value, str | datetime):
            return value
        raise TypeError(
            f"{name} of task {self.task_id!r} must be a datetime, a text or None, not {type(value).__name__}"
        )


def _instant(value: Any) -> datetime | None:
    return timezone.parse(value) if isinstance(value, str) else value


def _new_run_id(logical_date: datetime | None, run_after: datetime | None) -> str:
    # Only runs without a logical date can meet another of the same name.
    suffix = "".join(secrets.choice(_SUFFIX_LETTERS) for _ in range(RUN_ID_SUFFIX_LENGTH))
    due = run_after or logical_date or timezone.utcnow()
    return new_run_id(RunType.MANUAL, due, logical_date=logical_date, suffix=suffix)
