"""The entry of the command line: exit codes, help that comes at once, errors in one line."""

import subprocess
import sys
from pathlib import Path

import pytest

from tradewind import __version__
from tradewind.cli.main import ENTRIES, main

HEAVY = ("alembic", "msgspec", "rich", "sqlalchemy", "tradewind.bootstrap", "tradewind.settings", "watchfiles")


def test_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"tradewind {__version__}\n"


def test_help_names_every_entry(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0

    shown = capsys.readouterr().out
    assert all(f"  {name} " in shown and entry.help in shown for name, entry in ENTRIES.items())


def test_help_loads_nothing_that_it_does_not_need() -> None:
    """`--help` in 150 ms is a matter of what is imported; the clock of a busy machine would prove nothing."""
    script = (
        "import sys; from tradewind.cli.main import main; main(['--help']);"
        f"sys.exit(', '.join(name for name in {HEAVY!r} if name in sys.modules) or 0)"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", sorted(ENTRIES))
def test_every_entry_can_be_loaded_and_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--help"]) == 0
    assert f"Usage: tradewind {name}" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["nonsense"], ["db", "nonsense"], ["db", "migrate", "--nonsense"]])
def test_what_is_not_understood_is_named(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert "nonsense" in capsys.readouterr().err


def test_a_refusal_is_one_line_and_exit_code_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TRADEWIND_HOME", str(tmp_path))
    monkeypatch.setenv("TRADEWIND__CORE__PARALLELISM", "many")

    assert main(["db", "check"]) == 1

    error = capsys.readouterr().err
    assert error.startswith("tradewind: [core] parallelism is 'many'")
    assert error.count("\n") == 1
