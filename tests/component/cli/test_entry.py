"""The entry of the command line: exit codes, help that comes at once, errors in one line."""

import io
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tradewind import __version__
from tradewind.cli.command_tree import all_commands
from tradewind.cli.main import ENTRIES, SERVICES, main

HEAVY = (
    "alembic",
    "msgspec",
    "pydantic",
    "rich",
    "sqlalchemy",
    "tradewind.bootstrap",
    "tradewind.storage",
    "watchfiles",
)


def test_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"tradewind {__version__}\n"


def test_help_names_every_entry(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0

    shown = " ".join(capsys.readouterr().out.split())
    assert [name for name, entry in ENTRIES.items() if f" {name} {entry.help}" not in shown] == []


@pytest.mark.parametrize(
    "words",
    [
        *(["--help"], ["dags", "--help"], ["dags", "list", "--help"], ["scheduler", "--help"]),
        *(["connections", "add", "--help"], ["version"]),
    ],
)
def test_help_loads_nothing_that_it_does_not_need(words: list[str]) -> None:
    """`--help` in 150 ms is a matter of what is imported; the clock of a busy machine would prove nothing."""
    script = (
        f"import sys; from tradewind.cli.main import main; main({words!r});"
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
    error = capsys.readouterr().err
    assert "nonsense" in error
    assert error.count("\n") == 1


def test_a_refusal_is_one_line_and_exit_code_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TRADEWIND_HOME", str(tmp_path))

    assert main(["db", "check"]) == 1

    error = capsys.readouterr().err
    assert error.startswith("tradewind: the database has no Tradewind schema")
    assert error.count("\n") == 1


def test_a_wrong_setting_is_one_line_and_exit_code_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TRADEWIND_HOME", str(tmp_path))
    monkeypatch.setenv("TRADEWIND__CORE__PARALLELISM", "many")

    assert main(["db", "check"]) == 2

    error = capsys.readouterr().err
    assert error.startswith("tradewind: [core] parallelism is 'many'")
    assert error.count("\n") == 1


def test_a_mistake_of_ours_is_one_line_unless_more_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr("tradewind.cli.deployment.load_settings", fail)
    monkeypatch.setattr("tradewind.cli.jobs.load_settings", fail)

    assert main(["jobs", "check"]) == 1
    assert capsys.readouterr().err == "tradewind: unexpected RuntimeError: boom (--verbose shows where)\n"
    with pytest.raises(RuntimeError, match="boom"):
        main(["jobs", "check", "--verbose"])


HOSTILE = [
    "",
    "\x00",
    "a\x00b",
    "\udcff",
    "é" * 3000,
    "-1",
    "9" * 30,
    "9999-12-31T23:59:59-14:00",
    "1e400",
    "nan",
    "{}",
]
HOSTILE += ["[1]", '{"a":' * 5000, "(((", "../../etc/passwd", "%s%n", "' OR 1=1 --", "/nonexistent/x.json", "/"]
NOT_TRIED = {
    ("db", "shell"),
    ("db", "reset"),
    ("db", "downgrade"),
    ("db", "check-migrations"),
    ("providers", "install"),
}
SLOW = {("dags", "reserialize"), ("dags", "report"), ("dags", "lint"), ("dags", "test"), ("tasks", "test")}


@pytest.mark.parametrize("seed", range(3))
def test_hostile_words_are_refused_without_a_traceback(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """D7: whatever is typed, one line says what is wrong with it."""
    monkeypatch.setenv("TRADEWIND_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    monkeypatch.chdir(tmp_path)
    assert main(["db", "migrate"]) == 0
    chance = random.Random(seed)

    for known in all_commands():
        if known.words[0] in SERVICES or known.words in NOT_TRIED | SLOW:
            continue
        words = [*known.words, *_hostile(known.command, chance)]
        capsys.readouterr()

        code = main(words)

        said = capsys.readouterr().err
        assert code in (0, 1, 2), words
        assert "Traceback" not in said, words
        assert "unexpected" not in said, words


def _hostile(command: Any, chance: random.Random) -> Iterator[str]:
    for parameter in command.params:
        name = chance.choice(parameter.opts)
        if not name.startswith("-"):
            yield chance.choice(HOSTILE)
        elif name != "--help" and not {"-v", "--verbose"}.intersection(parameter.opts) and chance.random() < 0.3:
            yield name
            if not parameter.is_flag:
                yield chance.choice(HOSTILE)
