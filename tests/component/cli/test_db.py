"""`tradewind db` on a database of its own (D7)."""

from pathlib import Path

import pytest

from tradewind.cli.main import main


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRADEWIND_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_the_schema_is_made_checked_and_removed(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["db", "migrate"]) == 0
    assert "schema: none → " in capsys.readouterr().out
    assert (home / "tradewind.db").exists()

    assert main(["db", "check"]) == 0
    assert "as it should be" in capsys.readouterr().out

    assert main(["db", "downgrade", "--to-revision", "base", "--yes"]) == 0
    assert "→ none" in capsys.readouterr().out


def test_a_missing_schema_is_an_error_that_names_the_command(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home.mkdir()

    assert main(["db", "check"]) == 1
    assert "run: tradewind db migrate" in capsys.readouterr().err


def test_an_unknown_revision_is_refused_by_name(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["db", "migrate", "--to-revision", "nonsense"]) == 1
    assert "nonsense" in capsys.readouterr().err


def test_downgrading_needs_to_know_how_far(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["db", "downgrade"]) == 2
    assert "--to-revision" in capsys.readouterr().err
