"""Waiting for a command to succeed."""

import shutil
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from tradewind.sdk.context import Context
from tradewind.sdk.exceptions import AirflowFailException
from tradewind.sdk.standard.subprocess_hook import SubprocessHook
from tradewind.sdk.standard.waiting_between_looks import WaitingBetweenLooks


class BashSensor(WaitingBetweenLooks):
    """Wait until a command ends with exit code 0.

    With `retry_exit_code`, only that code means "not yet", and all others fail the sensor; without, every code but 0
    means "not yet". With `deferrable` it waits in the triggerer between two commands, which run in workers.
    """

    template_fields: Sequence[str] = ("bash_command", "env")

    def __init__(
        self,
        *,
        bash_command: str,
        env: dict[str, str] | None = None,
        output_encoding: str = "utf-8",
        retry_exit_code: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.bash_command = bash_command
        self.env = env
        self.output_encoding = output_encoding
        self.retry_exit_code = retry_exit_code

    @cached_property
    def subprocess_hook(self) -> SubprocessHook:
        """What runs the command."""
        return SubprocessHook()

    def poke(self, context: Context) -> bool:
        """Run the command once."""
        bash = shutil.which("bash") or "bash"
        result = self.subprocess_hook.run_command([bash, "-c", self.bash_command], self.env, self.output_encoding)
        if self.retry_exit_code is not None and result.exit_code not in (0, self.retry_exit_code):
            raise AirflowFailException(
                f"the command ended with exit code {result.exit_code}, neither 0 nor {self.retry_exit_code}"
            )
        return result.exit_code == 0

    def on_kill(self) -> None:
        """Ask the command, and what it started, to end."""
        self.subprocess_hook.send_sigterm()
