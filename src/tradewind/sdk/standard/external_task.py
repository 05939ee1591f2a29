"""Waiting for another DAG, and telling it to run again when this one does."""

import warnings
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, NoReturn

from tradewind.sdk.configuration import conf
from tradewind.sdk.context import Context
from tradewind.sdk.exceptions import AirflowSkipException
from tradewind.sdk.operator_link import BaseOperatorLink
from tradewind.sdk.runtime import current_runtime
from tradewind.sdk.sensor import BaseSensorOperator
from tradewind.sdk.server_exceptions import AirflowProviderDeprecationWarning
from tradewind.sdk.standard.empty import EmptyOperator
from tradewind.sdk.standard.exceptions import (
    AirflowExternalTaskSensorException,
    DuplicateStateError,
    ExternalDagFailedError,
    ExternalDagNotFoundError,
    ExternalTaskFailedError,
    ExternalTaskGroupFailedError,
    ExternalTaskNotFoundError,
)
from tradewind.sdk.standard.external_states import ExternalTarget, count_runs_with_all, count_runs_with_any
from tradewind.sdk.standard.external_task_triggers import WorkflowTrigger
from tradewind.sdk.standard.run_links import run_url
from tradewind.sdk.standard.weekday import logical_instant
from tradewind.sdk.states import State, TaskInstanceState
from tradewind.sdk.taskflow import determine_kwargs


class ExternalDagLink(BaseOperatorLink):
    """To the run of the other DAG."""

    name = "External DAG"

    def get_link(self, operator: Any, *, ti_key: Any) -> str:
        """The page of the run with the same id in the other DAG."""
        return run_url(operator.external_dag_id, ti_key.run_id)


class ExternalTaskSensor(BaseSensorOperator):
    """Wait for a run of another DAG, for tasks or a task group in it, at the same logical date.

    States in `failed_states` fail the sensor (or skip it, with `soft_fail`), those in `skipped_states` skip it; without
    them it waits until `allowed_states` is reached or its time is over.
    """

    template_fields: Sequence[str] = (
        "external_dag_id",
        "external_task_id",
        "external_task_ids",
        "external_task_group_id",
    )
    ui_color = "#4db7db"
    operator_extra_links: Collection[BaseOperatorLink] = (ExternalDagLink(),)

    def __init__(
        self,
        *,
        external_dag_id: str,
        external_task_id: str | None = None,
        external_task_ids: Collection[str] | None = None,
        external_task_group_id: str | None = None,
        allowed_states: Iterable[str] | None = None,
        skipped_states: Iterable[str] | None = None,
        failed_states: Iterable[str] | None = None,
        execution_delta: timedelta | None = None,
        execution_date_fn: Callable[..., Any] | None = None,
        check_existence: bool = False,
        poll_interval: float | None = None,
        deferrable: bool = conf.getboolean("operators", "default_deferrable", fallback=False),
        **kwargs: Any,
    ) -> None:
        if poll_interval is not None:
            warnings.warn(
                "poll_interval is deprecated: use poke_interval", AirflowProviderDeprecationWarning, stacklevel=3
            )
            kwargs.setdefault("poke_interval", poll_interval)
        super().__init__(**kwargs)
        if execution_delta is not None and execution_date_fn is not None:
            raise ValueError(f"sensor {self.task_id!r} has both execution_delta and execution_date_fn; give only one")
        named = [external_task_id, external_task_ids or None, external_task_group_id]
        if sum(each is not None for each in named) > 1:
            raise ValueError(
                f"sensor {self.task_id!r} must have only one of external_task_id, external_task_ids and"
                " external_task_group_id"
            )
        self.external_dag_id = external_dag_id
        self.external_task_id = external_task_id
        self.external_task_ids = [external_task_id] if external_task_id is not None else external_task_ids or None
        self.external_task_group_id = external_task_group_id
        self.allowed_states = [str(s) for s in allowed_states] if allowed_states else [TaskInstanceState.SUCCESS.value]
        self.skipped_states = [str(state) for state in skipped_states or ()]
        self.failed_states = [str(state) for state in failed_states or ()]
        self._check_states()
        self.execution_delta = execution_delta
        self.execution_date_fn = execution_date_fn
        self.check_existence = check_existence
        self.deferrable = deferrable
        self.external_dates_filter: str | None = None

    def poke(self, context: Context) -> bool:
        """Ask for the states once."""
        dates = self._dates(context)
        self._note_dates(dates)
        self._check_existence()
        target = self._target(dates)
        self.log.info("Looking at %s for %s", self._what(), self.external_dates_filter)
        if self.failed_states and count_runs_with_any(target, self.failed_states):
            self._fail()
        if self.skipped_states and count_runs_with_any(target, self.skipped_states):
            raise AirflowSkipException(f"{self._what()} reached a state of skipped_states")
        return count_runs_with_all(target, self.allowed_states) == len(dates)

    def execute(self, context: Context) -> Any:
        """Wait, in this worker or for a trigger."""
        if self.deferrable:
            self._defer(context)
        return super().execute(context)

    def _defer(self, context: Context) -> NoReturn:
        dates = self._dates(context)
        self._check_existence()
        timeout = self.timeout or (self.execution_timeout.total_seconds() if self.execution_timeout else None)
        self.defer(
            timeout=timedelta(seconds=timeout) if timeout else None,
            trigger=WorkflowTrigger(
                external_dag_id=self.external_dag_id,
                logical_dates=dates,
                external_task_ids=self.external_task_ids,
                external_task_group_id=self.external_task_group_id,
                failed_states=self.failed_states,
                skipped_states=self.skipped_states,
                allowed_states=self.allowed_states,
                poke_interval=self.poke_interval,
                soft_fail=self.soft_fail,
            ),
            method_name="execute_complete",
        )

    def execute_complete(self, context: Context, event: dict[str, Any] | None = None) -> None:
        """End as the trigger saw it."""
        self._note_dates(self._dates(context))
        match event:
            case {"status": "success"}:
                self.log.info("%s is there", self._what())
            case {"status": "skipped"}:
                raise AirflowSkipException(f"{self._what()} reached a state of skipped_states")
            case {"status": "failed"}:
                self._fail()
            case _:
                raise ExternalTaskNotFoundError(f"the trigger gave no usable answer about {self._what()}: {event!r}")

    def _check_states(self) -> None:
        every = [*self.allowed_states, *self.skipped_states, *self.failed_states]
        if len(set(every)) != len(every):
            raise DuplicateStateError(
                f"sensor {self.task_id!r} has the same state in two of allowed_states, skipped_states, failed_states"
            )
        about_tasks = bool(self.external_task_ids or self.external_task_group_id)
        known = {str(s) for s in (State.task_states if about_tasks else State.dag_states) if s is not None}
        unknown = set(every) - known
        if unknown:
            kind = "tasks" if about_tasks else "DAG runs"
            raise ValueError(
                f"sensor {self.task_id!r} waits for states {sorted(unknown)}, but {kind} have only {sorted(known)}"
            )

    def _check_existence(self) -> None:
        ids = self.external_task_ids or ()
        if len(set(ids)) != len(ids):
            raise ValueError(f"sensor {self.task_id!r} has the same task id twice in external_task_ids")
        if self.check_existence and current_runtime().get_dag(self.external_dag_id) is None:
            raise ExternalDagNotFoundError(f"there is no DAG {self.external_dag_id!r} that could be waited for")

    def _dates(self, context: Context) -> list[datetime]:
        logical_date = logical_instant(context)
        if self.execution_delta is not None:
            return [logical_date - self.execution_delta]
        if self.execution_date_fn is None:
            return [logical_date]
        # The date is the first argument whatever it is called; all else of the context goes by name.
        rest = {name: value for name, value in context.items() if name != "logical_date"}
        arguments = determine_kwargs(self.execution_date_fn, [logical_date], {**rest, "context": context})
        answer = self.execution_date_fn(logical_date, **arguments)
        return list(answer) if isinstance(answer, list | tuple | set) else [answer]

    def _note_dates(self, dates: list[datetime]) -> None:
        self.external_dates_filter = ",".join(date.isoformat() for date in dates)

    def _target(self, dates: list[datetime]) -> ExternalTarget:
        return ExternalTarget(
            dag_id=self.external_dag_id,
            task_ids=tuple(self.external_task_ids or ()),
            task_group_id=self.external_task_group_id,
            logical_dates=tuple(dates),
        )

    def _what(self) -> str:
        if self.external_task_ids:
            return f"task {', '.join(self.external_task_ids)} of DAG {self.external_dag_id}"
        if self.external_task_group_id:
            return f"task group {self.external_task_group_id} of DAG {self.external_dag_id}"
        return f"DAG {self.external_dag_id}"

    def _fail(self) -> None:
        message = f"{self._what()} reached a state of failed_states"
        if self.soft_fail:
            raise AirflowSkipException(f"{message}, and soft_fail is set")
        error: type[AirflowExternalTaskSensorException] = ExternalDagFailedError
        if self.external_task_ids:
            error = ExternalTaskFailedError
        elif self.external_task_group_id:
            error = ExternalTaskGroupFailedError
        raise error(message)


class ExternalTaskMarker(EmptyOperator):
    """Says that a task of another DAG depends on this one: clearing this one clears that one too."""

    template_fields: Sequence[str] = ("external_dag_id", "external_task_id", "logical_date")
    ui_color = "#4db7db"
    operator_extra_links: Collection[BaseOperatorLink] = (ExternalDagLink(),)

    def __init__(
        self,
        *,
        external_dag_id: str,
        external_task_id: str,
        logical_date: str | datetime | None = "{{ logical_date.isoformat() }}",
        recursion_depth: int = 10,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if not isinstance(logical_date, str | datetime):
            raise TypeError(
                f"logical_date of task {self.task_id!r} must be a datetime or a text, not {type(logical_date).__name__}"
            )
        if recursion_depth <= 0:
            raise ValueError(f"recursion_depth of task {self.task_id!r} must be at least 1, not {recursion_depth}")
        self.external_dag_id = external_dag_id
        self.external_task_id = external_task_id
        self.logical_date = logical_date.isoformat() if isinstance(logical_date, datetime) else logical_date
        self.recursion_depth = recursion_depth
