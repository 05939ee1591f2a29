"""How a deployment wants its pages to look: `[api] theme`, with the words that Airflow has for it.

Only colours, and a few properties that cannot hide, move or load anything, get through: a theme shall not be able to
make a page say what it does not.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from tradewind.model.web_address import is_picture_itself, origin_of

_SHADES: Final = frozenset({"50", "100", "200", "300", "400", "500", "600", "700", "800", "900", "950"})
_SCALES: Final = frozenset({"brand", "gray"})
_SINGLE: Final = frozenset({"black", "white"})
_KNOWN: Final = frozenset({"tokens", "globalCss", "icon", "icon_dark_mode"})
_COLOUR: Final = re.compile(
    r"#[0-9a-fA-F]{3,8}|[a-zA-Z]{3,24}|(?:oklch|oklab|lch|lab|rgba?|hsla?|hwb)\([0-9a-zA-Z.,%/ +-]{1,60}\)"
)
_SELECTOR: Final = re.compile(r"[a-zA-Z0-9 .#:>+~,*_=\[\]()\"-]{1,200}")
_VALUE: Final = re.compile(r"[a-zA-Z0-9 .,#%()\"'/+*_-]{1,200}")
_LOADS: Final = re.compile(r"url|image|src|attr|expression|/\*", re.IGNORECASE)
# fmt: off
_PROPERTIES: Final = frozenset({
    "color", "background-color", "border", "border-color", "border-radius", "border-style", "border-width",
    "border-top", "border-right", "border-bottom", "border-left", "box-shadow", "caret-color", "accent-color",
    "font-family", "font-size", "font-style", "font-weight", "font-variant-numeric", "letter-spacing", "line-height",
    "text-align", "text-decoration", "text-decoration-color", "text-transform", "text-underline-offset",
    "word-spacing", "padding", "padding-top", "padding-right", "padding-bottom", "padding-left", "gap",
})
# fmt: on


@dataclass(frozen=True, slots=True)
class PageTheme:
    """What of it the pages use."""

    css: str = ""
    """A style sheet."""
    icon: str = ""
    """In the place of ours; empty: ours."""
    dark_icon: str = ""
    """In the dark; empty: the same."""

    @property
    def icon_origins(self) -> frozenset[str]:
        """Other servers from which icons come."""
        given = (each for each in (self.icon, self.dark_icon) if each and not is_picture_itself(each))
        return frozenset(origin for each in given if (origin := origin_of(each)) is not None)


def read_theme(text: str) -> PageTheme:
    """The theme that a text describes; an empty one: ours.

    Raises:
        ValueError: it cannot be used; the message says in one line why.
    """
    if not text.strip():
        return PageTheme()
    try:
        said = json.loads(text)
    except ValueError as error:
        raise ValueError(f"it is no JSON: {str(error).splitlines()[0]}") from error
    theme = _object(said, "it")
    unknown = sorted(theme.keys() - _KNOWN)
    if unknown:
        raise ValueError(f"there is no {unknown[0]!r}; there are {', '.join(sorted(_KNOWN))}")
    tokens = _object(theme.get("tokens") or {}, "tokens")
    if tokens.keys() - {"colors"}:
        raise ValueError("of tokens, only colors can be changed")
    colours = [
        f"  --{name}: {value};" for name, value in _colours(_object(tokens.get("colors") or {}, "tokens.colors"))
    ]
    rules = list(_rules(_object(theme.get("globalCss") or {}, "globalCss")))
    sheet = [*([":root {", *colours, "}"] if colours else []), *rules]
    icon, dark = _icon(theme, "icon"), _icon(theme, "icon_dark_mode")
    return PageTheme("".join(f"{line}\n" for line in sheet), icon, dark)


def complaint_about_theme(text: str) -> str | None:
    """Why it cannot be used, in one line; None: it can."""
    try:
        read_theme(text)
    except ValueError as error:
        return str(error)
    return None


def _colours(colours: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for name, given in colours.items():
        place = f"tokens.colors.{name}"
        if name in _SINGLE:
            yield name, _colour(given, place)
        elif name in _SCALES:
            for shade, value in _object(given, place).items():
                if shade not in _SHADES:
                    raise ValueError(f"{place} has no shade {shade!r}; there are 50, 100, 200 to 900, and 950")
                yield f"{name}-{shade}", _colour(value, f"{place}.{shade}")
        else:
            raise ValueError(f"there is no colour {name!r}; there are {', '.join(sorted(_SCALES | _SINGLE))}")


def _colour(given: object, place: str) -> str:
    value = _object(given, place).get("value")
    if not isinstance(value, str) or not _COLOUR.fullmatch(value.strip()):
        raise ValueError(f'{place} is no colour; write {{"value": "oklch(0.6 0.15 250)"}} or {{"value": "#0b5cab"}}')
    return value.strip()


def _rules(css: Mapping[str, object]) -> Iterator[str]:
    for selector, properties in css.items():
        if not _SELECTOR.fullmatch(selector):
            raise ValueError(f"globalCss: {selector!r} is no plain selector")
        yield f"{selector} {{"
        for name, value in _object(properties, f"globalCss {selector!r}").items():
            yield f"  {_property(selector, name)}: {_value(selector, name, value)};"
        yield "}"


def _property(selector: str, name: str) -> str:
    written = re.sub(r"[A-Z]", lambda letter: f"-{letter[0].lower()}", name)
    if written not in _PROPERTIES:
        raise ValueError(
            f"globalCss {selector!r}: {name!r} cannot be changed; only colours, fonts, borders and padding can"
        )
    return written


def _value(selector: str, name: str, value: object) -> str:
    text = str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
    balanced = text.count("(") == text.count(")") and text.count('"') % 2 == 0 and text.count("'") % 2 == 0
    if not _VALUE.fullmatch(text) or not balanced or _LOADS.search(text):
        raise ValueError(f"globalCss {selector!r}: the value of {name!r} cannot be used; nothing may be loaded by it")
    return text


def _icon(theme: Mapping[str, object], key: str) -> str:
    icon = theme.get(key)
    if icon is None:
        return ""
    if not isinstance(icon, str):
        raise ValueError(f"{key} is no address")  # noqa: TRY004 - of what somebody wrote
    try:
        if is_picture_itself(icon) or origin_of(icon) is not None:
            return icon
    except ValueError as error:
        raise ValueError(f"{key}: the address {error}") from error
    return f"/{icon.lstrip('/')}"


def _object(value: object, what: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise ValueError(f"{what} is no JSON object")  # noqa: TRY004 - of what somebody wrote
    return value
