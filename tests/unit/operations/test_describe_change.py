"""What the audit log says about a change."""

import json
from typing import Any

import pytest

from tradewind.operations.describe_change import described


def shown(parameters: dict[str, Any], *secret: str, words: frozenset[str] = frozenset()) -> Any:
    return json.loads(described(parameters, secret, words))


def test_what_was_asked_for_is_shown() -> None:
    assert shown({"dag_id": "sales", "conf": {"day": 1}, "ids": ("a", "b")}) == {
        "dag_id": "sales",
        "conf": {"day": 1},
        "ids": ["a", "b"],
    }


@pytest.mark.parametrize(
    "parameters",
    [
        {"password": "hunter22"},
        {"conf": {"deep": [{"api_key": "hunter22"}]}},
        {"conf": {"api_key": {"inside": ["hunter22"]}}},
        {"key": "db_password", "value": "hunter22"},
        {"xcom_key": "access_token", "value": {"a": "hunter22"}},
        {"entities": [{"key": "secret", "value": "hunter22"}]},
        {"more": "hunter22"},
        {"inside": [{"more": ["hunter22"]}]},
        {"my_word": "hunter22"},
    ],
)
def test_secrets_are_hidden_at_any_depth(parameters: dict[str, Any]) -> None:
    text = described(parameters, {"more"}, frozenset({"my_word"}))

    assert "hunter22" not in text
    assert "***" in text


def test_of_nothing_there_is_nothing_to_hide() -> None:
    assert shown({"password": None, "token": ""}) == {"password": None, "token": None}


def test_what_is_long_or_deep_is_cut() -> None:
    deep: Any = "bottom"
    for _ in range(100):
        deep = [deep]

    assert len(described({"text": "x" * 10_000})) < 600
    assert len(described({str(number): "x" * 400 for number in range(100)})) < 11_000
    assert len(shown({"list": list(range(1_000))})["list"]) == 50
    assert "bottom" not in described({"deep": deep})
