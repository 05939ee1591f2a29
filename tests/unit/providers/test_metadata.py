"""D2: what provider packages bring is read from their metadata."""

import importlib
import json
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

from tradewind.cli.main import main
from tradewind.compat import install
from tradewind.compat.adapters.providers_manager import ProvidersManager
from tradewind.providers import decorators, task_decorators
from tradewind.providers.metadata import installed_providers, provider_from_info
from tradewind.providers.standard import get_provider_info
from tradewind.sdk import task
from tradewind.sdk.module_loading import import_string

INFO = """
def get_provider_info():
    return {
        "package-name": "apache-airflow-providers-acme",
        "name": "Acme",
        "description": "Rockets.",
        "operators": [{"integration-name": "Acme", "python-modules": ["acme_of_a_test.operators"]}],
        "hooks": [{"integration-name": "Acme", "python-modules": ["acme_of_a_test.hooks"]}],
        "triggers": [{"integration-name": "Acme", "python-modules": ["acme_of_a_test.triggers"]}],
        "connection-types": [{"connection-type": "acme", "hook-class-name": "acme_of_a_test.AcmeHook"}],
        "task-decorators": [{"name": "rocket", "class-name": "acme_of_a_test.rocket_task"}],
        "notifications": ["acme_of_a_test.AcmeNotifier"],
    }

def rocket_task(function):
    return ("rocket", function)
"""


@pytest.fixture
def acme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with an installed provider package."""
    (tmp_path / "acme_of_a_test.py").write_text(INFO, encoding="utf-8")
    info = tmp_path / "apache_airflow_providers_acme-1.2.3.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: apache-airflow-providers-acme\nVersion: 1.2.3\n")
    (info / "entry_points.txt").write_text(
        "[apache_airflow_provider]\nprovider_info = acme_of_a_test:get_provider_info\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    decorators.task_decorators.cache_clear()
    yield tmp_path
    decorators.task_decorators.cache_clear()
    sys.modules.pop("acme_of_a_test", None)
    vars(task).pop("rocket", None)


def test_an_installed_package_is_listed_with_what_it_brings(acme: Path) -> None:
    found = {provider.name: provider for provider in installed_providers()}["acme"]

    assert (found.version, found.title, found.operators) == ("1.2.3", "Acme", ("acme_of_a_test.operators",))
    assert [kind.name for kind in found.connection_types] == ["acme"]
    assert found.notifiers == ("acme_of_a_test.AcmeNotifier",)


def test_a_broken_package_does_not_hide_the_others(acme: Path, caplog: pytest.LogCaptureFixture) -> None:
    (acme / "acme_of_a_test.py").write_text("raise RuntimeError('broken')", encoding="utf-8")

    names = [provider.name for provider in installed_providers()]

    assert "standard" in names
    assert "acme" not in names
    assert "apache-airflow-providers-acme" in caplog.text


def test_decorators_of_packages_are_decorators_of_task(acme: Path) -> None:
    install()

    assert "rocket" in task_decorators()
    assert task.rocket("function") == ("rocket", "function")
    with pytest.raises(AttributeError, match="nonsense"):
        _ = task.nonsense


def test_our_own_operators_are_listed_as_the_standard_provider() -> None:
    install()
    standard = provider_from_info(get_provider_info(), version="1.21.0")

    for module in (*standard.operators, *standard.sensors, *standard.hooks, *standard.triggers):
        importlib.import_module(module)
    for path in (*standard.info["extra-links"], *(kind.hook for kind in standard.connection_types)):
        import_string(path)
    for decorator in standard.task_decorators:
        assert import_string(decorator.path) == getattr(task, decorator.name)


def test_the_manager_of_airflow_tells_the_same(acme: Path) -> None:
    manager = ProvidersManager()

    assert manager.providers["apache-airflow-providers-acme"].version == "1.2.3"
    assert manager.hooks["acme"].hook_class_name == "acme_of_a_test.AcmeHook"
    assert manager.taskflow_decorators["rocket"] == "acme_of_a_test.rocket_task"
    assert "acme_of_a_test.AcmeNotifier" in manager.notification


def test_the_list_is_printed_as_json(acme: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["providers", "list", "--output", "json"]) == 0

    listed = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert listed["acme"]["triggers"] == ["acme_of_a_test.triggers"]
    assert listed["acme"]["task_decorators"] == [{"name": "rocket", "path": "acme_of_a_test.rocket_task"}]
    assert {"bash", "sensor", "virtualenv"} <= {row["name"] for row in listed["standard"]["task_decorators"]}


def test_the_list_is_printed_for_people(acme: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["providers", "list"]) == 0
    table = capsys.readouterr().out.splitlines()
    assert main(["providers", "list", "acme"]) == 0
    parts = capsys.readouterr().out

    assert table[0].startswith("provider  version  operators")
    assert any(line.split()[:3] == ["acme", "1.2.3", "1"] for line in table)
    assert "acme_of_a_test.AcmeNotifier" in parts


def test_a_provider_that_is_not_installed_cannot_be_listed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(metadata.PackageNotFoundError):
        metadata.version("apache-airflow-providers-telegram")

    assert main(["providers", "list", "telegram"]) == 1
    assert "`tradewind providers install telegram` installs it" in capsys.readouterr().err
