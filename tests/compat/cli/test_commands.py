"""Each command of Airflow's command line works with its options, or is refused in one sentence (A8, B1)."""

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from tradewind.cli.command_tree import all_commands
from tradewind.cli.main import NOT_UNDERSTOOD, main
from tradewind.cli.refused import COMMANDS, OPTIONS, why_no_command

FACTS: Final[dict[str, Any]] = json.loads((Path(__file__).parent / "commands.json").read_text(encoding="utf-8"))


@cache
def ours() -> dict[str, Any]:
    return {" ".join(known.words): known.command for known in all_commands()}


def names_of(command: Any) -> set[str]:
    """All options of a command, long and short."""
    return {name for each in command.params for name in (*each.opts, *each.secondary_opts) if name.startswith("-")}


def test_what_is_refused_is_not_there() -> None:
    assert {name for name in COMMANDS if name in ours()} == set()
    assert {name for name in ours() if why_no_command(name.split()) is not None} == set()


@pytest.mark.parametrize("name", sorted(FACTS))
def test_a_command_works_or_is_refused(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    if name not in ours():
        why = why_no_command(name.split())
        assert why is not None
        assert main(name.split()) == NOT_UNDERSTOOD
        assert capsys.readouterr().err == f"tradewind: {why}\n"


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("db init", "db migrate"),
        ("db upgrade", "db migrate"),
        ("dags backfill", "backfill create"),
        ("tasks run", "tasks test"),
        ("webserver", "api-server"),
        ("internal-api", "--execution-api-url"),
    ],
)
def test_who_types_a_command_of_airflow_2_is_told_what_to_type(
    name: str, instead: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Above all not `db downgrade`, of which `db upgrade` would be taken for a misspelling."""
    assert main([*name.split(), "etl", "--yes"]) == NOT_UNDERSTOOD

    said = capsys.readouterr().err
    assert said.startswith(f"tradewind: there is no {name}: ")
    assert instead in said


@pytest.mark.parametrize("name", sorted(name for name in FACTS if name in ours()))
def test_what_follows_a_command_is_taken_or_refused(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    command, facts = ours()[name], FACTS[name]
    arguments = [each for each in command.params if not each.opts[0].startswith("-")]

    assert len(arguments) >= len(facts["arguments"]) or any(each.nargs == -1 for each in arguments)
    for names in facts["options"]:
        missing = [each for each in names if each not in names_of(command)]
        if not missing:
            continue
        longest = max(missing, key=len)
        assert main([*name.split(), longest]) == NOT_UNDERSTOOD
        assert capsys.readouterr().err == f"tradewind: there is no {longest} here: {OPTIONS[longest]}\n"
