"""What the audit log says about a change: what was asked for, without secrets and without what is too long to read."""

import json
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Final

from tradewind.model.json_value import JsonValue
from tradewind.model.masking import DEFAULT_SENSITIVE_WORDS, REPLACEMENT, MaskingRules

_LONGEST_TEXT: Final = 500
_MOST_ELEMENTS: Final = 50
_LONGEST: Final = 10_000
_DEEPEST: Final = 20
_NAMES_OF_VALUES: Final = frozenset({"key", "xcom_key", "variable_key"})
_VALUE: Final = "value"


def described(
    parameters: Mapping[str, object], secret: Collection[str] = (), words: frozenset[str] = frozenset()
) -> str:
    """As JSON. `secret`: names whose values are hidden, besides those that sound like it; `words`: more that do."""
    text = json.dumps(_shown(parameters, frozenset(secret), _rules(words), _DEEPEST), ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else json.dumps({"cut": text[:_LONGEST]}, ensure_ascii=False)


@lru_cache(maxsize=8)
def _rules(words: frozenset[str]) -> MaskingRules:
    """Whatever the configuration says about showing them: nobody can take back what the log has."""
    return MaskingRules(DEFAULT_SENSITIVE_WORDS | words, min_length=1)


def _shown(value: object, secret: frozenset[str], rules: MaskingRules, depth: int) -> JsonValue:
    if depth == 0:
        return "…"
    match value:
        case None | bool() | int() | float():
            return value
        case Mapping():
            # `{"key": "api_token", "value": ...}` names its secret too.
            names_secret = any(rules.is_secret_name(value.get(name)) for name in _NAMES_OF_VALUES)
            hidden = secret | {_VALUE} if names_secret else secret
            return {
                str(name): _hidden(each)
                if name in hidden or rules.is_secret_name(name)
                else _shown(each, secret, rules, depth - 1)
                for name, each in list(value.items())[:_MOST_ELEMENTS]
            }
        case list() | tuple() | set() | frozenset():
            return [_shown(each, secret, rules, depth - 1) for each in list(value)[:_MOST_ELEMENTS]]
        case _:
            text = str(value)
            return text if len(text) <= _LONGEST_TEXT else text[:_LONGEST_TEXT] + "…"


def _hidden(value: object) -> JsonValue:
    """Of nothing there is nothing to hide."""
    return REPLACEMENT if value not in (None, "") else None
