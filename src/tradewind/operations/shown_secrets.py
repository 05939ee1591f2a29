"""What people are shown of variables and connections, and what they mean who send that back."""

import json
from collections.abc import Callable
from typing import Final

from tradewind.errors import UndecipherableSecret
from tradewind.model.connection_text import decoded_extra
from tradewind.model.json_value import JsonValue
from tradewind.model.masking import REPLACEMENT, MaskingRules, hide, restored
from tradewind.model.task_answers import ConnectionResult

_INDENT: Final = 2
"""As Airflow stores variables that are JSON."""


def shown_variable(key: str, text: str, rules: MaskingRules) -> str:
    """The value of a variable: in JSON, what has a name that sounds secret is hidden; by its key, all of it may be."""
    try:
        parts = _parts(text)
        if parts is not None:
            return json.dumps(rules.redacted(parts, key))
    except RecursionError:
        return REPLACEMENT
    return REPLACEMENT if text and rules.is_secret_name(key) else text


def meant_variable(key: str, given: str, stored: Callable[[], str], rules: MaskingRules) -> str:
    """The value to store. `stored` is asked only if something may stand for a secret."""
    before = _before(given, stored)
    if before is None:
        return given
    if given == shown_variable(key, before, rules):
        return before
    meant = _meant(given, before, key, rules)
    return given if meant is None else json.dumps(meant, indent=_INDENT)


def shown_extra(extra: str | None, rules: MaskingRules) -> str | None:
    """The extra of a connection without what has a name that sounds secret; without names, nothing of it."""
    if not extra:
        return extra
    try:
        parts = _parts(extra)
        return json.dumps(rules.redacted(parts)) if isinstance(parts, dict) else REPLACEMENT
    except RecursionError:
        return REPLACEMENT


def meant_extra(given: str | None, stored: Callable[[], str | None], rules: MaskingRules) -> str | None:
    """The extra to store. `stored` is asked only if something may stand for a secret."""
    before = _before(given, stored)
    if before is None:
        return given
    if given == shown_extra(before, rules):
        return before
    meant = _meant(given or "", before, None, rules)
    return json.dumps(meant) if isinstance(meant, dict) else given


def _before(given: str | None, stored: Callable[[], str | None]) -> str | None:
    """What is stored; None if nothing of it can be meant."""
    if not given or REPLACEMENT not in given:
        return None
    try:
        return stored()
    except UndecipherableSecret:
        return None  # nobody was shown anything of it


def _meant(given: str, before: str, name: str | None, rules: MaskingRules) -> JsonValue:
    """With secrets in their places; None if either is no JSON object or list."""
    try:
        parts, parts_before = _parts(given), _parts(before)
        if parts is None or parts_before is None:
            return None
        return restored(parts, parts_before, rules.redacted(parts_before, name))
    except RecursionError:
        return None


def _parts(text: str) -> JsonValue:
    """What is in a JSON object or list; None if the text is neither."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        found: JsonValue = json.loads(text)
    except ValueError:
        return None
    return found


def without_secrets(message: str, connection: ConnectionResult, rules: MaskingRules) -> str:
    """What a hook says of a connection: they like to repeat what they were given."""
    secrets = [connection.password or "", *rules.texts_of(decoded_extra(connection.extra))]
    return hide(message, {form for secret in secrets for form in rules.forms_of(secret)})
