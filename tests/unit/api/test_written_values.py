"""What a plugin says of itself, read without running it (A5)."""

import ast

import pytest

from tradewind.api.written_values import AsWritten, assigned, value_of

FILE = """
HOST = "https://tools.example.org"
PORT: int = 3000
view = {"name": "Lineage", "href": f"{HOST}:{PORT}/{{DAG_ID}}"}
more = [view, {**view, "name": "Again"}]
made = make_views()
first = second
second = first
"""


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("'a' 'b' + 'c'", "abc"),
        ("[1, True, None, 2.5]", [1, True, None, 2.5]),
        ("view | {'icon': HOST + '/icon.svg'}", None),
        ("more + [*more][:0]", None),
        ("(view,)", [{"name": "Lineage", "href": "https://tools.example.org:3000/{DAG_ID}"}]),
        ("[more[0], *more]", None),
    ],
)
def test_what_is_put_together_is_known(expression: str, value: object) -> None:
    names = assigned(ast.parse(FILE).body)

    found = value_of(ast.parse(expression, mode="eval").body, names)

    if value is not None:
        assert found == value
    elif expression.startswith("view"):
        assert isinstance(found, dict)
        assert found["icon"] == "https://tools.example.org/icon.svg"
    elif expression.startswith("["):
        assert isinstance(found, list)
        assert [type(each).__name__ for each in found] == ["AsWritten", "dict", "dict"]
        assert found[2]["name"] == "Again"
    else:
        assert isinstance(found, AsWritten)


@pytest.mark.parametrize(
    "expression",
    ["conf.get('a', 'b')", "made", "first", "f'{made}'", "'a' + made", "f'{PORT:>9}'", "{**made}", "HOST % 1"],
)
def test_what_would_have_to_be_run_stands_as_it_is_written(expression: str) -> None:
    names = assigned(ast.parse(FILE).body)

    found = value_of(ast.parse(expression, mode="eval").body, names)

    assert isinstance(found, AsWritten)


def test_what_a_property_answers_is_not_known() -> None:
    names = assigned(ast.parse("@property\ndef external_views(self): return []").body)

    assert value_of(names["external_views"], names) == "external_views()"
