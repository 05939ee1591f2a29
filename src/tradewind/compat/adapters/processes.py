"""Starting processes, as DAG files import it from `airflow.utils.process_utils`."""

import logging
import os
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

DEFAULT_TIME_TO_WAIT_AFTER_SIGTERM: Final = 60

_log: Final = logging.getLogger(__name__)


def execute_in_subprocess(cmd: list[str], cwd: str | None = None, env: dict[str, str] | None = None) -> None:
    """Run a command, log what it prints, and fail as it fails."""
    execute_in_subprocess_with_kwargs(cmd, cwd=cwd, env=env)


def execute_in_subprocess_with_kwargs(cmd: list[str], **kwargs: Any) -> None:
    """As `execute_in_subprocess`, with further arguments for `subprocess.Popen`."""
    _log.info("Executing: %s", shlex.join(cmd))
    with subprocess.Popen(cmd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, close_fds=True, **kwargs) as process:
        for line in process.stdout or ():
            _log.info("%s", line.decode(errors="backslashreplace").rstrip())
        code = process.wait()
    if code != 0:
        raise subprocess.CalledProcessError(code, cmd)


def execute_interactive(cmd: list[str], **kwargs: Any) -> None:
    """Run a command in the terminal of this process."""
    subprocess.run(cmd, check=True, **kwargs)


@contextmanager
def patch_environ(new_env_variables: dict[str, str]) -> Iterator[None]:
    """Have these environment variables inside the block; as before afterwards."""
    environment = os.environ  # noqa: TID251 - changing it is what the function is for
    before = {name: environment.get(name) for name in new_env_variables}
    environment.update(new_env_variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                environment.pop(name, None)
            else:
                environment[name] = value


def set_new_process_group() -> None:
    """Put this process into a group of its own, unless it leads its session."""
    if os.getpid() != os.getsid(0):
        os.setpgid(0, 0)
