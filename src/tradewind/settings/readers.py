"""How the text of an option becomes its value."""

import json
import math
import re
import zoneinfo
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

from tradewind.model.page_theme import complaint_about_theme

READER: Final = "reader"
SECRET: Final = "secret"
_TRUE: Final = frozenset({"1", "on", "t", "true", "yes"})
_FALSE: Final = frozenset({"0", "f", "false", "no", "off"})
_LAST_PORT: Final = 65_535
_DATABASE_KINDS: Final = r"(sqlite|postgresql|postgres|mysql|mariadb)(\+\w+)?://"
"""Those that `storage/database.py` has a driver for, whichever driver is named."""

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Reader(Generic[Value]):
    """Turns the text of an option into its value, or raises ValueError; `expected` completes the message."""

    read: Callable[[str], Value]
    expected: str
    complaint: Callable[[str], str | None] = lambda _: None
    """What is wrong with a text that is read all the same: nothing ends because of it, and it is not used."""

    def option(self, default: Value) -> Value:
        """A field of a section that this reader reads."""
        return field(default=default, metadata={READER: self})

    def secret(self, default: Value) -> Value:
        """The same for a secret: it is never shown."""
        return field(default=default, repr=False, metadata={READER: self, SECRET: True})


def whole_number(minimum: int) -> Reader[int]:
    def read(text: str) -> int:
        number = int(text)
        if number < minimum:
            raise ValueError(text)
        return number

    return Reader(read, f"a whole number of at least {minimum}")


def port_number(minimum: int = 1) -> Reader[int]:
    """`minimum`: 0 where the system may choose one."""

    def read(text: str) -> int:
        number = int(text)
        if not minimum <= number <= _LAST_PORT:
            raise ValueError(text)
        return number

    return Reader(read, f"the number of a port: {minimum} to {_LAST_PORT}")


def seconds(*, zero: bool = False) -> Reader[float]:
    def read(text: str) -> float:
        number = float(text)
        if not math.isfinite(number) or number < 0 or (number == 0 and not zero):
            raise ValueError(text)
        return number

    return Reader(read, "a number of seconds, " + ("0 or more" if zero else "more than 0"))


def _read_boolean(text: str) -> bool:
    word = text.lower()
    if word not in _TRUE | _FALSE:
        raise ValueError(text)
    return word in _TRUE


def _read_pattern(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(text) from error
    return text


def _read_patterns(text: str) -> str:
    for each in text.split(","):
        _read_pattern(each.strip())
    return text


def _read_time_zone(text: str) -> str:
    if text.lower() == "utc":
        return "UTC"
    try:
        return zoneinfo.ZoneInfo(text).key
    except (zoneinfo.ZoneInfoNotFoundError, OSError) as error:
        raise ValueError(text) from error


def _read_database_url(text: str) -> str:
    if not re.match(_DATABASE_KINDS, text):
        raise ValueError(text)
    return text


@dataclass(frozen=True, slots=True)
class BundleSettings:
    """One entry of `dag_bundle_config_list`: where DAG files come from."""

    name: str
    classpath: str
    kwargs: Mapping[str, object] = field(default_factory=dict)
    team_name: str | None = None


def _read_bundles(text: str) -> tuple[BundleSettings, ...]:
    entries = json.loads(text)
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ValueError(text)
    try:
        bundles = tuple(BundleSettings(**entry) for entry in entries)
    except TypeError as error:
        raise ValueError(text) from error
    texts: list[object] = [word for bundle in bundles for word in (bundle.name, bundle.classpath)]
    are_texts = all(isinstance(word, str) and word for word in texts)
    if not are_texts or len({bundle.name for bundle in bundles}) < len(bundles):
        raise ValueError(text)
    kwargs: list[object] = [bundle.kwargs for bundle in bundles]
    if not all(isinstance(each, dict) for each in kwargs):
        raise ValueError(text)
    return bundles


def _read_json_object(text: str) -> str:
    if text and not isinstance(json.loads(text), dict):
        raise ValueError(text)
    return text


def _read_role_mapping(text: str) -> str:
    mapping = json.loads(_read_json_object(text) or "{}")
    names = [name for roles in mapping.values() for name in (roles if isinstance(roles, list) else [roles])]
    if not all(isinstance(name, str) and name for name in names):
        raise ValueError(text)
    return text


def _listed(text: str, shape: str) -> tuple[str, ...]:
    names = tuple(name for each in text.split(",") if (name := each.strip()))
    if not all(re.fullmatch(shape, name) for name in names):
        raise ValueError(text)
    return names


def word(*words: str) -> Reader[str]:
    def read(text: str) -> str:
        if text.lower() not in words:
            raise ValueError(text)
        return text.lower()

    return Reader(read, "one of " + ", ".join(words))


TEXT: Final = Reader(str, "a text")
THEME: Final = Reader(str, "a JSON object that describes how pages look", complaint_about_theme)
BUNDLES: Final = Reader(
    _read_bundles, 'a JSON list of {"name": ..., "classpath": ..., "kwargs": {...}}, each with a name of its own'
)
JSON_OBJECT: Final = Reader(_read_json_object, "a JSON object, or nothing")
ROLE_MAPPING: Final = Reader(_read_role_mapping, 'a JSON object such as {"staff": "Viewer", "ops": ["Op", "night"]}')
BOOLEAN: Final = Reader(_read_boolean, "True or False")
PATTERN: Final = Reader(_read_pattern, "a regular expression")
PATTERNS: Final = Reader(_read_patterns, "regular expressions with commas between them")
TIME_ZONE: Final = Reader(_read_time_zone, "utc or an IANA time zone such as Europe/Amsterdam")
# No `*`: as in Airflow, whoever lets pages of others in says which.
ORIGINS: Final = Reader(
    lambda text: _listed(text, r"https?://[\w.-]+(:\d+)?|https?://\[[\da-fA-F:.]+\](:\d+)?"),
    "origins such as https://dash.example.org, with commas between them",
)
HTTP_NAMES: Final = Reader(
    lambda text: _listed(text, r"\*|[\w!#$%&'+.^`|~-]+"), "names as HTTP has them, with commas between them, or *"
)
DATABASE_URL: Final = Reader(
    _read_database_url, "a URL of sqlite, postgresql or mysql, such as postgresql+psycopg://user@host/database"
)
