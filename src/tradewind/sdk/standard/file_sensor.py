"""Waiting for files."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

from tradewind.sdk.configuration import conf
from tradewind.sdk.context import Context
from tradewind.sdk.exceptions import AirflowException
from tradewind.sdk.sensor import BaseSensorOperator
from tradewind.sdk.standard.file_hook import FSHook
from tradewind.sdk.standard.file_triggers import FileTrigger, find_file
from tradewind.sdk.triggers import StartTriggerArgs


class FileSensor(BaseSensorOperator):
    """Wait for a file, or for a folder with a file anywhere in it.

    `filepath` may be a pattern; it is relative to the path of the connection `fs_conn_id`.
    """

    template_fields: Sequence[str] = ("filepath", "fs_conn_id")
    ui_color = "#91818a"
    start_trigger_args = StartTriggerArgs(
        trigger_cls=f"{FileTrigger.__module__}.{FileTrigger.__name__}",
        trigger_kwargs={},
        next_method="execute_complete",
        next_kwargs=None,
        timeout=None,
    )
    start_from_trigger = False

    def __init__(
        self,
        *,
        filepath: str,
        fs_conn_id: str = "fs_default",
        recursive: bool = False,
        deferrable: bool = conf.getboolean("operators", "default_deferrable", fallback=False),
        start_from_trigger: bool = False,
        trigger_kwargs: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.filepath = filepath
        self.fs_conn_id = fs_conn_id
        self.recursive = recursive
        self.deferrable = deferrable
        self.start_from_trigger = start_from_trigger
        self.trigger_kwargs = trigger_kwargs
        if deferrable and start_from_trigger:
            self.start_trigger_args = replace(
                self.start_trigger_args,
                timeout=timedelta(seconds=self.timeout),
                trigger_kwargs=self._trigger_arguments(),
            )

    @cached_property
    def path(self) -> str:
        """The pattern with the connection's folder before it; an absolute one needs no connection."""
        if Path(self.filepath).is_absolute():
            return self.filepath
        return str(Path(FSHook(self.fs_conn_id).get_path()) / self.filepath)

    def poke(self, context: Context) -> bool:
        """Look once."""
        found = find_file(self.path, recursive=self.recursive)
        self.log.info("Looking for %s: found %s", self.path, found or "nothing")
        return found is not None

    def execute(self, context: Context) -> Any:
        """Wait, in this worker or for a trigger."""
        if not self.deferrable:
            return super().execute(context)
        if not self.poke(context):
            self.defer(
                trigger=FileTrigger(**self._trigger_arguments()),
                method_name="execute_complete",
                timeout=timedelta(seconds=self.timeout),
            )
        return None

    def execute_complete(self, context: Context, event: bool | None = None) -> None:
        """End as the trigger saw it."""
        if not event:
            raise AirflowException(f"the trigger of task {self.task_id!r} ended without having found {self.filepath!r}")

    def _trigger_arguments(self) -> dict[str, Any]:
        return {"filepath": self.path, "recursive": self.recursive, "poke_interval": self.poke_interval}
