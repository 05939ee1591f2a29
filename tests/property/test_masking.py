"""No secret ever shows, in whatever form it is written (D5).

Each test writes a secret in one encoding amid other text, masks that, and tries to read the secret back: with the
decoder of the encoding, not with the forms that the masker looks for.
"""

import base64
import binascii
import codecs
import html
import io
import json
import logging
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, quote_plus, unquote, unquote_plus

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tradewind.model.masking import NEVER_MASKED, MaskingRules, hide
from tradewind.sdk.connection import Connection
from tradewind.sdk.secrets_masker import SecretsMasker

RULES = MaskingRules()

# What escaping trips over, more often than chance would have it.
awkward = st.sampled_from("'\"\\/+%&<>*=?#@: \n\t\x00äß€😀~-_.")
characters = awkward | st.characters(exclude_categories=["Cs"]) | st.sampled_from("abcXYZ0189")
texts = st.text(characters, max_size=20)


def _is_masked(text: str) -> bool:
    return len(text) >= RULES.min_length and text.lower() not in NEVER_MASKED and set(text) != {"*"}


secrets = st.text(characters, min_size=5, max_size=40).filter(_is_masked)


def masked(secret: str, text: str) -> str:
    """The text as a log shows it to somebody who must not know the secret."""
    return hide(text, RULES.forms_of(secret))


def _unescaped(text: str) -> str:
    """What JSON and Python escape, read without complaining: a mask may have taken a part of an escape with it."""
    read = codecs.decode(text.encode("latin-1", "backslashreplace"), "unicode_escape", "replace")
    return read.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _bytes_unescaped(text: str) -> str:
    return _unescaped(text).encode("latin-1", "replace").decode("utf-8", "replace")


ENCODINGS: dict[str, tuple[Callable[[str], str], Callable[[str], str]]] = {
    "plain": (str, str),
    "url": (quote, unquote),
    "url, nothing safe": (lambda text: quote(text, safe=""), unquote),
    "url, lower case": (lambda text: re.sub("%..", lambda found: found.group().lower(), quote(text)), unquote),
    "form": (quote_plus, unquote_plus),
    "json": (json.dumps, _unescaped),
    "json of any letter": (lambda text: json.dumps(text, ensure_ascii=False), _unescaped),
    "json in a url": (lambda text: quote_plus(json.dumps(text)), lambda text: _unescaped(unquote_plus(text))),
    "python": (repr, _unescaped),
    "python, ascii": (ascii, _unescaped),
    "python bytes": (lambda text: repr(text.encode()), _bytes_unescaped),
    "html": (html.escape, html.unescape),
}


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(before=texts, secret=secrets, after=texts)
def test_secret_cannot_be_read_back(encoding: str, before: str, secret: str, after: str) -> None:
    encode, decode = ENCODINGS[encoding]

    shown = masked(secret, encode(before + secret + after))

    assert secret not in shown
    assert secret not in decode(shown)


@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
@given(before=st.binary(max_size=10), secret=secrets, after=st.binary(max_size=10))
def test_secret_cannot_be_read_back_from_base64(
    encode: Callable[[bytes], bytes], before: bytes, secret: str, after: bytes
) -> None:
    """Wherever it stands in what was encoded: `user:password` is one piece."""
    data = secret.encode()
    assume(data not in before + b"|" + after)

    shown = masked(secret, encode(before + data + after).decode())

    for piece in re.split(r"\*+", shown):
        for start in range(4):
            assert data not in _decoded(piece[start:])


def _decoded(piece: str) -> bytes:
    ordinary = re.sub("[^A-Za-z0-9+/]", "", piece.replace("-", "+").replace("_", "/"))
    whole = ordinary[: len(ordinary) // 4 * 4]
    return binascii.a2b_base64(whole)


@given(secret=st.text(st.sampled_from("abcdef0123456789\n"), min_size=60, max_size=200))
def test_long_secret_cannot_be_read_back_from_base64_in_lines(secret: str) -> None:
    shown = masked(secret, base64.encodebytes(secret.encode()).decode())

    # A last line of a few characters is too short to be told from anything else.
    assert len(re.sub(r"[*=\n]", "", shown)) < 6


@given(before=texts, secret=st.lists(st.text(characters, min_size=8), min_size=2, max_size=5), after=texts)
def test_secret_of_many_lines_is_hidden_when_each_line_is_masked_by_itself(
    before: str, secret: list[str], after: str
) -> None:
    lines = [line.strip() for text in secret for line in text.splitlines()]
    hidden = [line for line in lines if len(line) >= 8 and _is_masked(line)]
    forms = RULES.forms_of("\n".join(secret))

    shown = [hide(line, forms) for line in (before + "\n".join(secret) + after).split("\n")]

    assert not [line for line in hidden if any(line in each for each in shown)]


@given(first=secrets, second=secrets, overlap=st.integers(1, 5), text=texts)
def test_secrets_that_overlap_leave_nothing_of_either(first: str, second: str, overlap: int, text: str) -> None:
    second = first[-overlap:] + second
    forms = RULES.forms_of(first) | RULES.forms_of(second)

    shown = hide(f"{text}{first}{second[overlap:]}{text}", forms)

    assert first not in shown
    assert second not in shown


leaves = st.none() | st.integers() | st.floats() | texts | st.binary(max_size=5)


def _around(secret: str) -> st.SearchStrategy[Any]:
    """Values of any shape with the secret somewhere in them, also as a key."""
    leaf = leaves | st.just(secret) | st.just(f"x{secret}y") | st.just(secret.encode())
    names = texts | st.just(secret)
    return st.recursive(
        leaf,
        lambda inner: st.lists(inner, max_size=4) | st.tuples(inner, inner) | st.dictionaries(names, inner, max_size=4),
        max_leaves=20,
    )


@given(data=st.data(), secret=secrets)
def test_secret_is_hidden_in_every_corner_of_a_value(data: st.DataObject, secret: str) -> None:
    value = data.draw(_around(secret))
    masker = SecretsMasker()
    masker.add_mask(secret)

    shown = masker.redact(value)

    assert not [text for text in _texts_in(shown) if secret in text]
    assert type(shown) is type(value)


def _texts_in(value: Any) -> list[str]:
    if isinstance(value, str | bytes):
        return [value if isinstance(value, str) else value.decode("utf-8", "replace")]
    if isinstance(value, dict):
        return [text for pair in value.items() for part in pair for text in _texts_in(part)]
    if isinstance(value, list | tuple):
        return [text for part in value for text in _texts_in(part)]
    return []


@given(secret=secrets, before=texts)
def test_secret_is_hidden_in_all_parts_of_a_log_line(secret: str, before: str) -> None:
    masker = SecretsMasker()
    masker.add_mask(secret)
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.addFilter(masker)
    logger = logging.getLogger("fuzzed")
    logger.propagate = False
    logger.handlers = [handler]

    try:
        try:
            raise KeyError(before + secret)
        except KeyError as error:
            raise ValueError({"deep": [secret]}) from error
    except ValueError:
        logger.exception("%s and %r", before + secret, [secret], stack_info=True, extra={"answer": {"a": secret}})

    shown = stream.getvalue()
    # The source lines of the traceback are no secrets; whatever else is shown must not hold one.
    own_lines = "\n".join(line for line in shown.splitlines() if not line.startswith(("  ", "Traceback", "Stack")))
    assert secret not in own_lines
    assert repr(secret)[1:-1] not in own_lines


@given(password=secrets, login=st.text(st.sampled_from("abc@:/%"), min_size=1, max_size=5), token=secrets)
def test_secrets_of_a_connection_are_hidden_in_its_uri(password: str, login: str, token: str) -> None:
    connection = Connection(
        conn_id="db", conn_type="http", host="h", login=login, password=password, extra=json.dumps({"token": token})
    )
    masker = SecretsMasker()
    masker.add_mask(connection.password)
    masker.add_mask(connection.extra_dejson)

    shown = masker.redact(f"{connection.get_uri()} {connection.as_json()}")

    for text in (shown, unquote(shown), unquote_plus(shown)):
        assert password not in text
        assert token not in text


@given(text=st.text())
def test_text_stays_as_it_is_while_nothing_is_secret(text: str) -> None:
    assert hide(text, ()) is text
    assert SecretsMasker().redact_text(text) is text
