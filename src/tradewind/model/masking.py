"""What is secret, in which forms it may show, and how a text looks without it. Values only: others remember secrets.

A secret rarely shows as it is: URLs quote it, JSON and `repr` escape it, HTTP headers carry it in base64, amid other
words. `forms_of` writes all of these down, so that hiding is a search for fixed texts.
"""

import binascii
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Self
from urllib.parse import quote, quote_plus

from tradewind.model.json_value import JsonValue

REPLACEMENT: Final = "***"

DEFAULT_SENSITIVE_WORDS: Final = frozenset(
    {
        "access_key",
        "access_token",
        "api_key",
        "apikey",
        "auth_header",
        "authorization",
        "bearer",
        "connection_string",
        "dsn",
        "keyfile_dict",
        "passphrase",
        "passwd",
        "password",
        "private_key",
        "proxies",
        "proxy",
        "proxy_password",
        "secret",
        "service_account",
        "service_key",
        "token",
        "webhook_url",
    }
)
"""A name that contains one of these words names a secret."""

# Words that are in every log and are the password of every demonstration.
NEVER_MASKED: Final = frozenset({"airflow", "tradewind"})

_NOT_WORD: Final = re.compile(r"\W+")
_PERCENT: Final = re.compile(r"%[0-9A-F]{2}")
_MASKS_ONLY: Final = re.compile(r"\**")
# Shorter pieces would hit base64 that has nothing to do with the secret.
_SHORTEST_BASE64: Final = 6
# What `base64` and MIME write in one line.
_LINE_OF_BASE64: Final = 57
_SHORTEST_LINE: Final = 8
# One is nearly always enough; texts that need more than these were made to need them.
_MOST_ROUNDS: Final = 20
_LONGEST_REMEMBERED: Final = 100


@lru_cache(maxsize=1_000)
def _sounds_secret(name: str, words: frozenset[str]) -> bool:
    """Remembered: the same few names are in every request and in every task."""
    normalized = _NOT_WORD.sub("_", name.strip().lower())
    return any(word in normalized for word in words)


@dataclass(frozen=True, slots=True)
class MaskingRules:
    """What counts as secret."""

    words: frozenset[str] = DEFAULT_SENSITIVE_WORDS
    hides_by_name: bool = True
    min_length: int = 5
    """A shorter secret would blot out half of every text, and tell by that what it is."""

    @classmethod
    def configured(cls, names: str, *, hides_by_name: bool, min_length: int) -> Self:
        """As options of the configuration say: `names` are more words, with commas between them."""
        more = {name.strip().lower() for name in names.split(",") if name.strip()}
        return cls(DEFAULT_SENSITIVE_WORDS | more, hides_by_name, min_length)

    def is_secret_name(self, name: object) -> bool:
        """Whether a name sounds as if its value were secret."""
        if not isinstance(name, str) or not self.hides_by_name:
            return False
        look = _sounds_secret if len(name) <= _LONGEST_REMEMBERED else _sounds_secret.__wrapped__
        return look(name, self.words)

    def texts_of(self, secret: object, name: object = None) -> Iterator[str]:
        """The texts to hide in a value. With a name, only if that sounds secret; in a mapping, each key is a name."""
        if isinstance(secret, Mapping):
            for key, value in secret.items():
                yield from self.texts_of(value, key)
        elif isinstance(secret, str):
            if not name or self.is_secret_name(name):
                yield secret
        elif isinstance(secret, bytes | bytearray):
            yield from self.texts_of(secret.decode("utf-8", "replace"), name)
        elif isinstance(secret, Iterable):
            for value in secret:
                yield from self.texts_of(value, name)

    def redacted(self, value: JsonValue, name: object = None) -> JsonValue:
        """The value as it may be shown: what has a name that sounds secret is hidden, with all that is in it."""
        return self._redacted(value, is_secret=self.is_secret_name(name))

    def _redacted(self, value: JsonValue, *, is_secret: bool) -> JsonValue:
        if isinstance(value, dict):
            return {
                key: self._redacted(each, is_secret=is_secret or self.is_secret_name(key))
                for key, each in value.items()
            }
        if isinstance(value, list):
            return [self._redacted(each, is_secret=is_secret) for each in value]
        # Of nothing there is nothing to hide.
        return REPLACEMENT if is_secret and value not in (None, "") else value

    def forms_of(self, secret: str) -> frozenset[str]:
        """What to look for in texts; empty for what is too short or too common to be hidden."""
        if not self._is_hidden(secret):
            return frozenset()
        parts = {secret, secret.strip(), *_lines_of(secret)}
        written = {form for part in parts if self._is_hidden(part) for form in _written(part)}
        forms = {form for text in written for form in (*_quoted(text), *_in_base64(text))}
        return frozenset(form for form in forms if self._is_hidden(form))

    def _is_hidden(self, text: str) -> bool:
        is_long_enough = len(text) >= max(self.min_length, 1)
        # A secret of nothing but asterisks would be found in what hides it.
        return is_long_enough and text.lower() not in NEVER_MASKED and not _MASKS_ONLY.fullmatch(text)


def restored(given: JsonValue, stored: JsonValue, shown: JsonValue) -> JsonValue:
    """What somebody means who sees `stored` as `shown` and answers `given`: what hides a secret stands for it."""
    if given == REPLACEMENT and shown == REPLACEMENT:
        return stored
    if isinstance(given, dict) and isinstance(stored, dict) and isinstance(shown, dict):
        return {key: restored(each, stored.get(key), shown.get(key)) for key, each in given.items()}
    if isinstance(given, list) and isinstance(stored, list) and isinstance(shown, list) and len(given) == len(stored):
        return [restored(*each) for each in zip(given, stored, shown, strict=True)]
    return given


def hide(text: str, forms: Collection[str], replacement: str = REPLACEMENT) -> str:
    """The text without any of these. What hides one may complete another, so it is looked at until none is left."""
    for _ in range(_MOST_ROUNDS):
        found = [form for form in forms if form in text]
        if not found:
            return text
        text = _without(text, found, replacement)
    return replacement


def _without(text: str, found: Iterable[str], replacement: str) -> str:
    """Every place of every one is cut out, and places that overlap as one: no end of a secret is left behind."""
    pieces: list[str] = []
    kept_until = 0
    for start, end in _merged(sorted(_places(text, found))):
        pieces += (text[kept_until:start], replacement)
        kept_until = end
    return "".join((*pieces, text[kept_until:]))


def _places(text: str, found: Iterable[str]) -> Iterator[tuple[int, int]]:
    for form in found:
        start = text.find(form)
        while start >= 0:
            yield start, start + len(form)
            start = text.find(form, start + 1)


def _merged(places: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    current: tuple[int, int] | None = None
    for start, end in places:
        if current is not None and start < current[1]:
            current = (current[0], max(end, current[1]))
            continue
        if current is not None:
            yield current
        current = (start, end)
    if current is not None:
        yield current


def _lines_of(secret: str) -> list[str]:
    """Output is masked line by line, so a key of many lines must be known by each of them."""
    lines = [line.strip() for line in secret.splitlines()]
    return [line for line in lines if len(line) >= _SHORTEST_LINE] if len(lines) > 1 else []


def _written(text: str) -> set[str]:
    """As it is, and as code, JSON and HTML write it."""
    forms = {text, _as_html(text)}
    for as_json in (json.dumps(text), json.dumps(text, ensure_ascii=False)):
        forms.add(as_json[1:-1])
    # The quotation mark before it is what makes Python escape the other kind of them, as it may in a longer text.
    data = _bytes(text)
    for as_code in (repr(text), ascii(text), repr('"' + text)[1:], ascii('"' + text)[1:]):
        forms.add(as_code[1:-1])
    for as_code in (repr(data), repr(b'"' + data)[1:]):
        forms.add(as_code[2:-1])
    return forms


def _as_html(text: str) -> str:
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#x27;")):
        text = text.replace(character, entity)
    return text


def _quoted(text: str) -> set[str]:
    """As it is, and as URLs write it; some write the digits of escapes in lower case."""
    data = _bytes(text)
    forms = {text, quote(data), quote(data, safe=""), quote_plus(data)}
    return forms | {_PERCENT.sub(lambda escape: escape.group().lower(), form) for form in forms}


def _in_base64(text: str) -> set[str]:
    """The characters that are the same whatever comes before and after: a header has `user:password` in one piece."""
    data = _bytes(text)
    forms = set()
    for shift in range(3):
        encoded = _base64(b"\0" * shift + data)
        first = -(-shift * 8 // 6)  # the first character that none of the bytes before has a part in
        last = (shift + len(data)) * 8 // 6  # behind the last that none of the bytes after has a part in
        forms.add(encoded[first:last])
    if len(data) > _LINE_OF_BASE64:
        forms.update(
            _base64(data[start : start + _LINE_OF_BASE64]).rstrip("=") for start in range(0, len(data), _LINE_OF_BASE64)
        )
    forms |= {form.replace("+", "-").replace("/", "_") for form in forms}
    return {form for form in forms if len(form) >= _SHORTEST_BASE64}


def _base64(data: bytes) -> str:
    return binascii.b2a_base64(data, newline=False).decode()


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
