"""A deployment of its own for each test of a command."""

from pathlib import Path

import pytest

from tests.component.cli.deployment import CliDeployment


@pytest.fixture
def deployment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CliDeployment:
    """An empty home with a database."""
    return CliDeployment(tmp_path, monkeypatch, capsys)
