"""What is shown of secrets, and what is meant by what is sent back (D6)."""

import json

import pytest

from tradewind.errors import UndecipherableSecret
from tradewind.model.json_value import JsonValue
from tradewind.model.masking import MaskingRules, restored
from tradewind.operations.shown_secrets import meant_extra, meant_variable, shown_extra, shown_variable

RULES = MaskingRules()


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ({"password": "x", "a": "x"}, {"password": "***", "a": "x"}),
        ({"password": {"a": ["x", 1, True]}}, {"password": {"a": ["***", "***", "***"]}}),
        ([{"Api-Key": "x"}, "x"], [{"Api-Key": "***"}, "x"]),
        ({"token": None, "secret": ""}, {"token": None, "secret": ""}),
        ("x", "x"),
    ],
)
def test_what_has_a_secret_name_is_hidden_with_all_that_is_in_it(value: JsonValue, shown: JsonValue) -> None:
    assert RULES.redacted(value) == shown
    assert restored(shown, value, shown) == value


def test_nothing_is_hidden_where_names_do_not_count() -> None:
    assert MaskingRules(hides_by_name=False).redacted({"password": "x"}) == {"password": "x"}
    assert MaskingRules.configured("Colour, ", hides_by_name=True, min_length=5).redacted({"my_colour": 1}) == {
        "my_colour": "***"
    }


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ('{"a": 1, "password": "***"}', {"a": 1, "password": "x"}),
        ('{"password": "new"}', {"password": "new"}),
        ('{"a": "***"}', {"a": "***"}),
        ('["***"]', ["***"]),
    ],
)
def test_what_hides_a_secret_stands_for_it(given: str, meant: JsonValue) -> None:
    stored = '{"a": 0, "password": "x"}'
    assert json.loads(meant_variable("settings", given, lambda: stored, RULES)) == meant
    assert json.loads(meant_extra(given, lambda: stored, RULES) or "") == meant


def test_what_cannot_be_read_is_replaced() -> None:
    def unreadable() -> str:
        raise UndecipherableSecret("it", has_key=True)

    assert meant_variable("password", "***", unreadable, RULES) == "***"
    assert meant_extra('{"a": "***"}', unreadable, RULES) == '{"a": "***"}'


def test_texts_are_shown_as_they_are_unless_the_key_sounds_secret() -> None:
    assert shown_variable("a", "x", RULES) == "x"
    assert shown_variable("a", "{x", RULES) == "{x"
    assert shown_variable("password", "x", RULES) == "***"
    assert shown_variable("password", "", RULES) == ""
    deep = "[" * 100_000
    assert shown_variable("a", deep, RULES) in (deep, "***")
    assert (shown_extra(None, RULES), shown_extra("", RULES), shown_extra("no JSON", RULES)) == (None, "", "***")
