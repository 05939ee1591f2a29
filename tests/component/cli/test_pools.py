"""`tradewind pools` (A5)."""

import json

import pytest

from tests.component.cli.deployment import CliDeployment


def test_a_pool_is_set_changed_shown_and_deleted(deployment: CliDeployment) -> None:
    deployment.run("pools", "set", "narrow", "2", "for the old database")

    (row,) = deployment.rows("pools", "set", "narrow", "3", "for the new one", "--include-deferred")
    assert row == {"pool": "narrow", "slots": 3, "description": "for the new one", "include_deferred": True}
    assert deployment.rows("pools", "get", "narrow") == [row]
    assert [pool["pool"] for pool in deployment.rows("pools", "list")] == ["default_pool", "narrow"]

    assert deployment.rows("pools", "delete", "narrow") == [row]
    assert [pool["pool"] for pool in deployment.rows("pools", "list")] == ["default_pool"]


@pytest.mark.parametrize("words", [["wide", "-1", "no limit"], ["--", "wide", "-1", "no limit"]])
def test_a_pool_may_be_without_limit(deployment: CliDeployment, words: list[str]) -> None:
    """A8: as with `airflow`, the number is no option."""
    deployment.run("pools", "set", *words)

    assert deployment.rows("pools", "get", "wide")[0]["slots"] == -1


@pytest.mark.parametrize(
    ("words", "code", "expected"),
    [
        (["pools", "get", "none"], 1, "there is no pool 'none'"),
        (["pools", "delete", "none"], 1, "there is no pool 'none'"),
        (["pools", "delete", "default_pool"], 2, "cannot be deleted"),
        (["pools", "set", "--", "bad", "-2", ""], 2, "slots must be 0 or more, or -1"),
        (["pools", "set", "bad", "-2", ""], 2, "slots must be 0 or more, or -1"),
        (["pools", "set", "bad", "-1", "", "--nope"], 2, "--nope"),
    ],
)
def test_what_makes_no_sense_is_refused(deployment: CliDeployment, words: list[str], code: int, expected: str) -> None:
    assert expected in deployment.run(*words, code=code)


def test_pools_are_written_to_a_file_and_read_from_it(deployment: CliDeployment) -> None:
    file = deployment.home / "pools.json"
    deployment.run("pools", "set", "narrow", "2", "two")
    deployment.run("pools", "export", str(file))
    content = json.loads(file.read_text())
    assert content["narrow"] == {"slots": 2, "description": "two", "include_deferred": False}

    content["narrow"]["slots"] = 5
    content["fresh"] = {"slots": 1, "description": ""}
    file.write_text(json.dumps(content))
    deployment.run("pools", "import", str(file))

    slots = {row["pool"]: row["slots"] for row in deployment.rows("pools", "list")}
    assert (slots["narrow"], slots["fresh"]) == (5, 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[", "is not what `tradewind pools export` writes"),
        ("[1]", "is not what"),
        ('{"a": {"slots": "x", "description": ""}}', "is not what"),
        ('{"a": {"slots": 1}}', "a pool has no 'description'"),
    ],
)
def test_a_file_that_is_something_else_changes_nothing(deployment: CliDeployment, text: str, expected: str) -> None:
    file = deployment.home / "pools.json"
    file.write_text(text)

    assert expected in deployment.run("pools", "import", str(file), code=2)
    assert len(deployment.rows("pools", "list")) == 1
