"""Commands for bash."""

import os
import shutil
import tempfile
from collections.abc import Callable, Container, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from tradewind.sdk.context import Context, context_to_airflow_vars
from tradewind.sdk.exceptions import AirflowException, AirflowSkipException
from tradewind.sdk.notset import ArgNotSet
from tradewind.sdk.operator import BaseOperator
from tradewind.sdk.standard.subprocess_hook import SubprocessHook, SubprocessResult, working_directory

_LONGEST_ARGUMENT = 100_000
"""Bytes. Linux refuses a single argument of 128 KiB, and a rendered script file can well be longer."""


def exit_codes(codes: int | Container[int] | None) -> Container[int]:
    """`skip_on_exit_code` in the form that can be asked: one code, several, or none."""
    if codes is None:
        return ()
    return (codes,) if isinstance(codes, int) else codes


def _unchanged(output: str) -> Any:
    return output


class BashOperator(BaseOperator):
    """Run a command, or a script file whose name ends in `.sh` or `.bash`, which is rendered as a template first.

    The last line that the command writes, through `output_processor`, is the task's result. Exit codes of
    `skip_on_exit_code` skip the task, all others but 0 fail it.
    """

    template_fields: Sequence[str] = ("bash_command", "env", "cwd")
    template_fields_renderers: ClassVar[dict[str, str]] = {"bash_command": "bash", "env": "json"}
    template_ext: Sequence[str] = (".sh", ".bash")
    ui_color = "#f0ede4"

    def __init__(
        self,
        *,
        bash_command: str | ArgNotSet,
        env: dict[str, str] | None = None,
        append_env: bool = False,
        output_encoding: str = "utf-8",
        skip_on_exit_code: int | Container[int] | None = 99,
        cwd: str | None = None,
        output_processor: Callable[[str], Any] = _unchanged,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.bash_command = bash_command
        self.env = env
        self.append_env = append_env
        self.output_encoding = output_encoding
        self.skip_on_exit_code = exit_codes(skip_on_exit_code)
        self.cwd = cwd
        self.output_processor = output_processor

    @cached_property
    def subprocess_hook(self) -> SubprocessHook:
        """What runs the command."""
        return SubprocessHook()

    def get_env(self, context: Context) -> dict[str, str]:
        """The command's environment: that of the worker unless `env` replaces it, and what names the task."""
        env: dict[str, str] = {}
        if self.env is None or self.append_env:
            env.update(os.environ)  # noqa: TID251 - a command inherits the environment by default
        env.update(self.env or {})
        env.update(context_to_airflow_vars(context, in_env_var_format=True))
        return env

    def execute(self, context: Context) -> Any:
        """Run the command to its end."""
        if self.cwd is not None and not Path(self.cwd).is_dir():
            raise AirflowException(f"cwd {self.cwd!r} of task {self.task_id!r} is not a folder on this worker")
        result = self._run(self.get_env(context))
        if result.exit_code in self.skip_on_exit_code:
            raise AirflowSkipException(f"the command ended with exit code {result.exit_code}, which means skip")
        if result.exit_code != 0:
            raise AirflowException(f"the command failed with exit code {result.exit_code}; its output is in the log")
        return self.output_processor(result.output)

    def on_kill(self) -> None:
        """Ask the command, and what it started, to end."""
        self.subprocess_hook.send_sigterm()

    def _run(self, env: Mapping[str, str]) -> SubprocessResult:
        bash = shutil.which("bash") or "bash"
        command = str(self.bash_command)
        if len(command.encode()) <= _LONGEST_ARGUMENT:
            return self.subprocess_hook.run_command([bash, "-c", command], env, self.output_encoding, self.cwd)
        with (
            working_directory(self.cwd) as folder,
            tempfile.NamedTemporaryFile(mode="w", dir=folder, suffix=".sh") as script,
        ):
            script.write(command)
            script.flush()
            name = Path(script.name).name
            return self.subprocess_hook.run_command([bash, name], env, self.output_encoding, folder)
