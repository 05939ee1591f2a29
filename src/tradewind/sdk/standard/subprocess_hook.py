"""Child processes whose output goes to the task's log."""

import contextlib
import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from subprocess import PIPE, STDOUT, Popen
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from tradewind.sdk.hook import BaseHook


class SubprocessResult(NamedTuple):
    """How a process ended, and the last line it wrote."""

    exit_code: int
    output: str


@contextlib.contextmanager
def working_directory(cwd: str | None = None) -> Iterator[str]:
    """The folder itself, or a temporary one for as long as the block lasts."""
    if cwd is not None:
        yield cwd
        return
    with TemporaryDirectory(prefix="tradewind-") as temporary:
        yield temporary


class SubprocessHook(BaseHook):
    """Runs one process at a time, in a process group of its own, and logs what it writes line by line."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.sub_process: Popen[bytes] | None = None

    def run_command(
        self,
        command: Sequence[str],
        env: Mapping[str, str] | None = None,
        output_encoding: str = "utf-8",
        cwd: str | None = None,
    ) -> SubprocessResult:
        """Wait for the command to end; its standard error is read as part of its output.

        Without `env` it inherits the environment, without `cwd` it works in a temporary folder.
        """
        with working_directory(cwd) as folder:
            self.log.info("Running command: %s", list(command))
            # A group of its own, so that on_kill also reaches what the command itself started.
            process = Popen(command, stdout=PIPE, stderr=STDOUT, cwd=folder, env=env, start_new_session=True)
            self.sub_process = process
            output = self._log_lines(process, output_encoding)
            self.log.info("Command ended with exit code %s", process.returncode)
        return SubprocessResult(process.returncode, output)

    def _log_lines(self, process: Popen[bytes], encoding: str) -> str:
        # Neither `with process` nor `finally`: a task's timeout comes through here as a BaseException, and on_kill
        # asks the process to end only afterwards. Waiting now would block for ever, and closing the pipe would
        # break a process that still writes while it tidies up.
        line = ""
        assert process.stdout is not None
        try:
            for raw in process.stdout:
                line = raw.decode(encoding, errors="backslashreplace").rstrip()
                self.log.info("%s", line)
            process.wait()
        except Exception:
            process.stdout.close()
            raise
        process.stdout.close()
        return line

    def send_sigterm(self) -> None:
        """Ask the process and all that it started to end; nothing if none is running."""
        process = self.sub_process
        if process is None or process.stdout is None or process.stdout.closed:
            return
        self.log.info("Sending SIGTERM to the process group of %s", process.pid)
        # Not os.getpgid: the command may be gone while what it started still writes.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
