"""Installing provider packages with all they need, and without Airflow.

Packages require `apache-airflow`, which would bring its whole server. With uv the requirement is overridden. pip
cannot do that, so it resolves with empty stand-ins for Airflow's packages, says what it would install, and installs
all of that but the stand-ins.
"""

import importlib.util
import json
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tradewind.errors import TradewindError
from tradewind.providers.names import PREFIX, UnknownProvider, requirement_for, short_name

AIRFLOW_ITSELF: Final = {
    "apache-airflow": "3.3.2",
    "apache-airflow-core": "3.3.2",
    "apache-airflow-task-sdk": "1.3.2",
}

# Found by reading the imports of about a hundred provider packages: what they use without requiring it, because
# Airflow does.
TAKEN_FROM_AIRFLOW: Final = (
    "asgiref",
    "attrs",
    "deprecated",
    "lazy-object-proxy",
    "methodtools",
    "pydantic>=2.11",
    "python-slugify",
    "requests",
    "structlog",
    "tabulate",
    "tenacity",
    "uuid6",
)

Run = Callable[[Sequence[str]], "subprocess.CompletedProcess[str]"]


class Installed(NamedTuple):
    """A package that was installed or changed."""

    name: str
    version: str


class InstallFailed(TradewindError):
    """The installer gave up; its own words follow."""


def install_providers(names: Iterable[str], *, run: Run | None = None) -> list[Installed]:
    """Install providers by their short names. Returns what was installed or changed; nothing if all was there."""
    wanted = [requirement_for(name) for name in names]
    before = _versions()
    with TemporaryDirectory(prefix="tradewind-providers-") as folder:
        _install(wanted, Path(folder), run or _run)
    after = _versions()
    return [Installed(name, version) for name, version in sorted(after.items()) if before.get(name) != version]


def _install(wanted: Sequence[Requirement], folder: Path, run: Run) -> None:
    constraints = folder / "constraints.txt"
    constraints.write_text("\n".join(_own_requirements()), encoding="utf-8")
    requirements = [*map(str, wanted), *TAKEN_FROM_AIRFLOW]
    uv = _uv()
    if uv is not None:
        _with_uv(uv, requirements, constraints, folder, run)
    elif importlib.util.find_spec("pip") is not None:
        _with_pip(requirements, constraints, folder, run)
    else:
        raise InstallFailed("neither uv nor pip is here: install one of them into this environment")


def _with_uv(uv: Sequence[str], requirements: Sequence[str], constraints: Path, folder: Path, run: Run) -> None:
    overrides = folder / "overrides.txt"
    # A requirement whose condition never holds is no requirement.
    overrides.write_text("\n".join(f'{name} ; python_version < "3"' for name in AIRFLOW_ITSELF), encoding="utf-8")
    command = [*uv, "pip", "install", "--python", sys.executable, "--override", str(overrides)]
    _check(run([*command, "--constraint", str(constraints), *requirements]), requirements)


def _with_pip(requirements: Sequence[str], constraints: Path, folder: Path, run: Run) -> None:
    for name, version in AIRFLOW_ITSELF.items():
        _write_empty_wheel(folder, name, version)
    with constraints.open("a", encoding="utf-8") as file:
        file.writelines(f"\n{name}=={version}+tradewind" for name, version in AIRFLOW_ITSELF.items())
    report = folder / "report.json"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    resolve = ["--dry-run", "--report", str(report), "--find-links", str(folder), "--constraint", str(constraints)]
    _check(run([*pip, *resolve, *requirements]), requirements)
    chosen = _chosen(json.loads(report.read_text(encoding="utf-8")))
    if chosen:
        _check(run([*pip, "--no-deps", *chosen]), requirements)


def _chosen(report: dict[str, Any]) -> list[str]:
    found = [row["metadata"] for row in report["install"]]
    return [f"{row['name']}=={row['version']}" for row in found if canonicalize_name(row["name"]) not in AIRFLOW_ITSELF]


def _write_empty_wheel(folder: Path, name: str, version: str) -> None:
    """A package without content: it satisfies pip's resolver and is never installed."""
    stem = f"{name.replace('-', '_')}-{version}+tradewind"
    info = f"{stem}.dist-info"
    files = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}+tradewind\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tradewind\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": f"{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n",
    }
    with zipfile.ZipFile(folder / f"{stem}-py3-none-any.whl", "w") as wheel:
        for path, content in files.items():
            wheel.writestr(path, content)


def _own_requirements() -> list[str]:
    """What Tradewind itself requires, so that no provider takes it away."""
    try:
        texts = metadata.requires("tradewind") or []
    except metadata.PackageNotFoundError:
        return []
    requirements = [Requirement(text) for text in texts]
    return [str(requirement) for requirement in requirements if "extra" not in str(requirement.marker or "")]


def _uv() -> list[str] | None:
    if importlib.util.find_spec("uv") is not None:
        # The module may be in reach and its program not, where one environment sees the packages of another.
        with suppress(FileNotFoundError):
            return [importlib.import_module("uv").find_uv_bin()]
    found = shutil.which("uv")
    return None if found is None else [found]


def _run(command: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _check(done: "subprocess.CompletedProcess[str]", requirements: Sequence[str]) -> None:
    if done.returncode == 0:
        return
    said = f"{done.stdout}\n{done.stderr}".strip()
    for text in requirements:
        name = Requirement(text).name
        if name.startswith(PREFIX) and _is_unknown(name, said):
            raise UnknownProvider(short_name(name))
    raise InstallFailed(f"the providers could not be installed:\n{said}")


def _is_unknown(name: str, said: str) -> bool:
    """Whether the installer says that the index has no such package: uv's words, then pip's.

    pip says the same where it could not reach the index, but then it tells of its attempts before.
    """
    words = " ".join(said.split())
    if f"{name} was not found in the package registry" in words:
        return True
    found_none = re.search(rf"requirement {re.escape(name)}\S* \(from versions: none\)", words)
    return found_none is not None and "Retrying (" not in words


def _versions() -> dict[str, str]:
    return {canonicalize_name(found.name): found.version for found in metadata.distributions() if found.name}
