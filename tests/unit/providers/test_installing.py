"""D2: which commands install provider packages. What they do with a registry is in tests/compat."""

import json
import subprocess
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from tradewind.providers import installing
from tradewind.providers.installing import AIRFLOW_ITSELF, InstallFailed, install_providers
from tradewind.providers.names import UnknownProvider


class Commands:
    """Takes commands in place of the machine, and looks at the files that they name while those exist."""

    def __init__(self, code: int = 0, said: str = "", chosen: Sequence[str] = ()) -> None:
        self.code, self.said, self.chosen = code, said, chosen
        self.ran: list[list[str]] = []
        self.files: dict[str, str] = {}
        self.wheels: list[list[str]] = []

    def __call__(self, command: Sequence[str]) -> "subprocess.CompletedProcess[str]":
        self.ran.append(list(command))
        for option in ("--override", "--constraint"):
            if option in command:
                path = Path(command[list(command).index(option) + 1])
                self.files[option] = path.read_text(encoding="utf-8")
        if "--find-links" in command:
            folder = Path(command[list(command).index("--find-links") + 1])
            self.wheels = [zipfile.ZipFile(wheel).namelist() for wheel in sorted(folder.glob("*.whl"))]
        if "--report" in command:
            rows = [{"metadata": dict(zip(("name", "version"), row.split("=="), strict=True))} for row in self.chosen]
            Path(command[list(command).index("--report") + 1]).write_text(json.dumps({"install": rows}))
        return subprocess.CompletedProcess(command, self.code, "", self.said)


@pytest.fixture
def with_uv(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with uv."""
    monkeypatch.setattr(installing, "_uv", lambda: ["uv"])


@pytest.fixture
def without_uv(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with pip only."""
    monkeypatch.setattr(installing, "_uv", lambda: None)


@pytest.mark.usefixtures("with_uv")
def test_uv_is_told_to_leave_airflow_out() -> None:
    commands = Commands()

    assert install_providers(["http", "common.sql==2.4.0"], run=commands) == []

    (command,) = commands.ran
    assert command[:3] == ["uv", "pip", "install"]
    assert {"apache-airflow-providers-http", "apache-airflow-providers-common-sql==2.4.0", "tenacity"} <= set(command)
    assert [line.split(" ;")[0] for line in commands.files["--override"].splitlines()] == list(AIRFLOW_ITSELF)


@pytest.mark.usefixtures("with_uv")
def test_what_tradewind_requires_stays_as_it_is() -> None:
    commands = Commands()

    install_providers(["http"], run=commands)

    assert "sqlalchemy>=2.0.36" in commands.files["--constraint"].lower()


@pytest.mark.usefixtures("without_uv")
def test_pip_resolves_with_empty_airflow_packages_and_installs_the_rest() -> None:
    commands = Commands(
        chosen=["apache-airflow==3.3.2+tradewind", "apache-airflow-providers-http==6.3.0", "aiohttp==3.9"]
    )

    install_providers(["http"], run=commands)

    resolve, install = commands.ran
    assert "--dry-run" in resolve
    assert "apache-airflow-core==3.3.2+tradewind" in commands.files["--constraint"]
    assert len(commands.wheels) == len(AIRFLOW_ITSELF)
    assert all(name.split("/")[0].endswith(".dist-info") for wheel in commands.wheels for name in wheel)
    assert install[-3:] == ["--no-deps", "apache-airflow-providers-http==6.3.0", "aiohttp==3.9"]


@pytest.mark.usefixtures("without_uv")
def test_pip_is_not_asked_to_install_nothing() -> None:
    commands = Commands(chosen=["apache-airflow==3.3.2+tradewind"])

    install_providers(["http"], run=commands)

    assert len(commands.ran) == 1


@pytest.mark.usefixtures("with_uv")
@pytest.mark.parametrize(
    "said",
    [
        "Because apache-airflow-providers-htpp was not found in the package\n registry and you require it",
        "ERROR: Could not find a version for the requirement apache-airflow-providers-htpp==3 (from versions: none)",
    ],
)
def test_an_unknown_provider_is_refused_by_name(said: str) -> None:
    with pytest.raises(UnknownProvider, match="apache-airflow-providers-htpp; did you mean http"):
        install_providers(["htpp"], run=Commands(code=1, said=said))


@pytest.mark.usefixtures("without_uv")
def test_an_index_that_cannot_be_reached_is_no_unknown_provider() -> None:
    said = (
        "WARNING: Retrying (Retry(total=0)) after connection broken\n"
        "ERROR: Could not find a version for the requirement apache-airflow-providers-http (from versions: none)"
    )

    with pytest.raises(InstallFailed, match="Retrying"):
        install_providers(["http"], run=Commands(code=1, said=said))


@pytest.mark.usefixtures("with_uv")
def test_other_failures_are_told_in_the_words_of_the_installer() -> None:
    with pytest.raises(InstallFailed, match="no route to host"):
        install_providers(["http"], run=Commands(code=1, said="no route to host"))


@pytest.mark.usefixtures("without_uv")
def test_without_any_installer_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)

    with pytest.raises(InstallFailed, match="neither uv nor pip"):
        install_providers(["http"], run=Commands())
