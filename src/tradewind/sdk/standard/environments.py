"""Python environments: how they are built, and what is in one that already exists."""

import json
import logging
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tradewind.sdk.configuration import conf
from tradewind.sdk.exceptions import AirflowException

log = logging.getLogger(__name__)

_PROBE = """
import importlib.metadata, json, sys
def version(name):
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None
found = {name: version(name) for name in ("tradewind", "pendulum")}
print(json.dumps({**found, "python": list(sys.version_info[:3])}))
"""


@dataclass(frozen=True, slots=True)
class Environment:
    """What the operators must know of an interpreter to exchange values with it."""

    python: tuple[int, int, int]
    tradewind: str | None
    pendulum: str | None

    @property
    def pendulum_major(self) -> int | None:
        """The part of pendulum's version that decides whether its values can be exchanged."""
        return None if self.pendulum is None else int(self.pendulum.split(".")[0])


def inspect_environment(python: str) -> Environment:
    """Ask an interpreter what it has installed."""
    try:
        answer = subprocess.run([python, "-c", _PROBE], capture_output=True, check=True, text=True).stdout
        found = json.loads(answer)
        major, minor, micro = found["python"]
    except (OSError, subprocess.CalledProcessError, ValueError) as failure:
        raise ValueError(f"{python!r} does not work as a Python interpreter: {failure}") from failure
    return Environment((major, minor, micro), found["tradewind"], found["pendulum"])


def prepare_virtualenv(
    venv_directory: str,
    python_bin: str,
    system_site_packages: bool,
    requirements: Sequence[str] | None = None,
    requirements_file_path: str | None = None,
    pip_install_options: Sequence[str] | None = None,
    index_urls: Sequence[str] | None = None,
) -> str:
    """Create an environment in the folder, install into it, and return the path of its interpreter.

    `[standard] venv_install_method` says how: with uv, with venv and pip, or (auto) with uv where it is installed.
    """
    if requirements is not None and requirements_file_path is not None:
        raise ValueError("prepare_virtualenv takes either requirements or requirements_file_path, not both")
    wanted = list(requirements or [])
    if requirements_file_path:
        wanted = ["-r", requirements_file_path]
    python = str(Path(venv_directory) / "bin" / "python")
    uv = _uv_to_use()
    if uv is None:
        create, install = _venv_commands(venv_directory, python_bin)
        _write_pip_conf(Path(venv_directory) / "pip.conf", index_urls)
        extra_env: Mapping[str, str] = {}
    else:
        create, install = _uv_commands(uv, venv_directory, python_bin, index_urls)
        extra_env = _uv_index_variables(index_urls)
    if system_site_packages:
        create.append("--system-site-packages")
    run_logged(create)
    if wanted:
        run_logged([*install, *(pip_install_options or []), *wanted], extra_env)
    return python


def run_logged(command: Sequence[str], extra_env: Mapping[str, str] | None = None) -> None:
    """Run the command, log what it writes, and fail with its last lines if it fails."""
    log.info("Running %s", shlex.join(command))
    env = {**os.environ, **extra_env} if extra_env else None  # noqa: TID251 - an installer needs its own settings
    last_lines: list[str] = []
    try:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env, text=True, errors="backslashreplace"
        )
    except FileNotFoundError as missing:
        raise AirflowException(f"there is no program {command[0]!r} on this machine") from missing
    with process:
        assert process.stdout is not None
        for line in process.stdout:
            log.info("%s", line.rstrip())
            last_lines = [*last_lines[-19:], line.rstrip()]
    if process.returncode != 0:
        output = "\n".join(last_lines)
        raise AirflowException(f"{shlex.join(command)} ended with exit code {process.returncode}:\n{output}")


def _uv_to_use() -> str | None:
    method = conf.get("standard", "venv_install_method", fallback="auto").lower()
    if method not in ("auto", "pip", "uv"):
        raise AirflowException(f"[standard] venv_install_method is {method!r}; use auto, pip or uv")
    if method == "pip":
        return None
    # Beside the interpreter too: the environment that Tradewind is installed in need not be on the PATH.
    beside = Path(sys.executable).with_name("uv")
    uv = shutil.which("uv") or (str(beside) if beside.exists() else None)
    if uv is None and method == "uv":
        raise AirflowException("[standard] venv_install_method is uv, but uv is not installed: pip install uv")
    return uv


def _uv_commands(
    uv: str, folder: str, python_bin: str, index_urls: Sequence[str] | None
) -> tuple[list[str], list[str]]:
    create = [uv, "venv", "--allow-existing", "--python", python_bin, folder]
    install = [uv, "pip", "install", "--python", str(Path(folder) / "bin" / "python")]
    if index_urls is not None and not index_urls:
        install.append("--no-index")
    return create, install


def _uv_index_variables(index_urls: Sequence[str] | None) -> dict[str, str]:
    # Not as arguments: the addresses may hold passwords, and arguments are logged.
    if not index_urls:
        return {}
    first, *others = index_urls
    return {"UV_DEFAULT_INDEX": first, **({"UV_INDEX": " ".join(others)} if others else {})}


def _venv_commands(folder: str, python_bin: str) -> tuple[list[str], list[str]]:
    # The other interpreter's own venv module, since ours can only make environments of our version.
    return [python_bin, "-m", "venv", folder], [str(Path(folder) / "bin" / "pip"), "install"]


def _write_pip_conf(file: Path, index_urls: Sequence[str] | None) -> None:
    if index_urls is None:
        return
    lines = ["[global]"]
    if index_urls:
        first, *others = index_urls
        lines.append(f"index-url = {first}")
        if others:
            lines.append(f"extra-index-url = {' '.join(others)}")
    else:
        lines.append("no-index = true")
    file.write_text("\n".join(lines) + "\n")
