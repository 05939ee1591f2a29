"""How a deployment wants its pages to look: `[api] theme` (A8)."""

import json

import pytest

from tradewind.model.page_theme import PageTheme, complaint_about_theme, read_theme

AIRFLOWS = {
    "tokens": {
        "colors": {
            "brand": {"50": {"value": "oklch(0.975 0.007 298)"}, "700": {"value": "#0b5cab"}},
            "gray": {"950": {"value": "rgb(10 12 14 / 90%)"}},
            "black": {"value": "oklch(0.2 0 0)"},
            "white": {"value": "white"},
        }
    },
    "globalCss": {
        "button": {"text-transform": "uppercase"},
        "a:hover, main > h1": {"fontWeight": 600, "color": "#123"},
    },
    "icon": "https://example.org/logo.svg",
    "icon_dark_mode": "logos/dark.svg",
}


def test_airflows_words_become_a_style_sheet() -> None:
    theme = read_theme(json.dumps(AIRFLOWS))

    assert theme.css.splitlines() == [
        ":root {",
        "  --brand-50: oklch(0.975 0.007 298);",
        "  --brand-700: #0b5cab;",
        "  --gray-950: rgb(10 12 14 / 90%);",
        "  --black: oklch(0.2 0 0);",
        "  --white: white;",
        "}",
        "button {",
        "  text-transform: uppercase;",
        "}",
        "a:hover, main > h1 {",
        "  font-weight: 600;",
        "  color: #123;",
        "}",
    ]
    assert (theme.icon, theme.dark_icon) == ("https://example.org/logo.svg", "/logos/dark.svg")
    assert theme.icon_origins == {"https://example.org"}


@pytest.mark.parametrize("text", ["", " \n", "{}", '{"tokens": {}}', '{"globalCss": null, "icon": null}'])
def test_nothing_said_changes_nothing(text: str) -> None:
    assert read_theme(text) == PageTheme()


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("{", "it is no JSON: Expecting property name"),
        ("[]", "it is no JSON object"),
        ('{"colours": {}}', "there is no 'colours'"),
        ('{"tokens": {"fonts": {}}}', "only colors"),
        ('{"tokens": {"colors": {"red": {}}}}', "there is no colour 'red'"),
        ('{"tokens": {"colors": {"brand": {"55": {"value": "red"}}}}}', "no shade '55'"),
        ('{"tokens": {"colors": {"brand": {"50": "red"}}}}', "tokens.colors.brand.50 is no JSON object"),
        ('{"tokens": {"colors": {"white": {"value": "red; } body { display: none"}}}}', "is no colour"),
        ('{"tokens": {"colors": {"white": {"value": "url(//evil)"}}}}', "is no colour"),
        ('{"globalCss": {"a { } b": {"color": "red"}}}', "no plain selector"),
        ('{"globalCss": {"@import x": {"color": "red"}}}', "no plain selector"),
        ('{"globalCss": {"a": {"display": "none"}}}', "'display' cannot be changed"),
        ('{"globalCss": {"a": {"background-image": "x"}}}', "cannot be changed"),
        ('{"globalCss": {"a": {"_hover": {"color": "red"}}}}', "'_hover' cannot be changed"),
        ('{"globalCss": {"a": {"color": "red; position: fixed"}}}', "nothing may be loaded"),
        ('{"globalCss": {"a": {"background-color": "URL(https://evil.org)"}}}', "nothing may be loaded"),
        ('{"globalCss": {"a": {"color": "rgb(1"}}}', "nothing may be loaded"),
        ('{"globalCss": {"a": {"color": true}}}', "nothing may be loaded"),
        ('{"icon": "javascript:alert(1)"}', "icon: the address begins with javascript"),
        ('{"icon": 7}', "icon is no address"),
    ],
)
def test_what_cannot_be_used_says_why_in_one_line(said: str, why: str) -> None:
    complaint = complaint_about_theme(said)

    assert complaint is not None
    assert why in complaint
    assert "\n" not in complaint
