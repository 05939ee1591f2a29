"""Secrets out of sight: known values, and values under names that sound secret, are replaced by `***`.

`model.masking` says in which forms a secret is looked for: also quoted, escaped, and in base64.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any, Final

from tradewind.model.masking import DEFAULT_SENSITIVE_WORDS, REPLACEMENT, MaskingRules, hide
from tradewind.sdk.configuration import conf
from tradewind.sdk.module_loading import import_string

DEFAULT_SENSITIVE_FIELDS: Final = DEFAULT_SENSITIVE_WORDS

_MARK: Final = "_tradewind_masked"
_PLAIN_RECORD: Final = frozenset(logging.LogRecord("", 0, "", 0, "", (), None).__dict__) | {
    _MARK,
    "message",
    "asctime",
    "taskName",
}
_FORMATTER: Final = logging.Formatter()
# Whoever nests deeper gets no answer but a mask: Python itself gives up soon after.
_DEEPEST: Final = 150

_RedactPart = Callable[[Any, object, frozenset[int]], Any]
"""The part, the name it has, and what is around it."""


class SecretsMasker(logging.Filter):
    """Knows secrets and hides them; as a filter, in log records."""

    def __init__(self) -> None:
        super().__init__()
        self.secrets: set[str] = set()
        self.rules = MaskingRules(
            words=DEFAULT_SENSITIVE_WORDS | _configured_names(),
            hides_by_name=conf.getboolean("core", "hide_sensitive_var_conn_fields", fallback=True),
            min_length=conf.getint("logging", "min_length_masked_secret", fallback=5),
        )
        self._adapter = _configured_adapter()
        self._forms: tuple[str, ...] = ()

    def should_hide_value_for_key(self, name: object) -> bool:
        """Whether a name sounds as if its value were secret."""
        return self.rules.is_secret_name(name)

    def add_mask(self, secret: Any, name: str | None = None) -> None:
        """Hide a value from now on. With a name, only if the name sounds secret; in a dict, each key is a name."""
        new = {text for text in self.rules.texts_of(secret, name) if text not in self.secrets}
        if not new:
            return
        self.secrets |= new
        adapted = {text for secret in new for text in self._adapted(secret)}
        forms = {form for text in new | adapted for form in self.rules.forms_of(text)}
        # A new tuple, not a longer list: another thread may be looking through the old one.
        self._forms = tuple({*self._forms, *forms})

    def _adapted(self, secret: str) -> Iterable[str]:
        if self._adapter is None:
            return ()
        adapted = self._adapter(secret)
        return (adapted,) if isinstance(adapted, str) else tuple(adapted)

    def reset_masker(self) -> None:
        """Forget all secrets: a process that begins another task has none of the last one's."""
        self.secrets.clear()
        self._forms = ()

    @property
    def forms(self) -> tuple[str, ...]:
        """All texts that are looked for: the secrets in every form in which they may show."""
        return self._forms

    def redact_text(self, text: str, replacement: str = REPLACEMENT) -> str:
        """A text without the known secrets. Costs nothing while there are none."""
        return hide(text, self._forms, replacement) if self._forms else text

    def redact(
        self, item: Any, name: str | None = None, max_depth: int | None = None, replacement: str = REPLACEMENT
    ) -> Any:
        """The same value with secrets replaced, however deep they are; below `max_depth` only by their names."""
        return self._redact(item, name, 0, max_depth, replacement, frozenset())

    def _redact(
        self, item: Any, name: object, depth: int, max_depth: int | None, replacement: str, outer: frozenset[int]
    ) -> Any:
        if self.should_hide_value_for_key(name):
            return self._hide(item, replacement, outer)
        if isinstance(item, Enum):
            return self._redact(item.value, name, depth, max_depth, replacement, outer)
        if isinstance(item, str | bytes):
            is_too_deep = max_depth is not None and depth > max_depth
            return item if is_too_deep else self._redact_leaf(item, replacement)
        if type(item).__name__ == "V1EnvVar":
            # The environment variable of a pod is a name and a value, as a key and a value of a dict.
            variable = item.to_dict()
            return {**variable, "value": self.redact(variable.get("value"), variable.get("name"))}
        return self._rebuilt(
            item,
            lambda part, key, around: self._redact(part, key, depth + 1, max_depth, replacement, around),
            outer,
            replacement,
        )

    def _hide(self, item: Any, replacement: str, outer: frozenset[int]) -> Any:
        """Under a secret name every text is secret. The shape stays, so that readers see what kind of thing it was."""
        if isinstance(item, Enum):
            return self._hide(item.value, replacement, outer)
        if isinstance(item, str | bytes):
            return replacement if isinstance(item, str) else replacement.encode()
        return self._rebuilt(item, lambda part, _, around: self._hide(part, replacement, around), outer, replacement)

    def _rebuilt(self, item: Any, redact: _RedactPart, outer: frozenset[int], replacement: str) -> Any:
        """A collection made of the redacted parts of another one; anything else as it is."""
        if not isinstance(item, Mapping | list | tuple | set | frozenset | deque):
            return item
        if id(item) in outer or len(outer) >= _DEEPEST:
            return replacement  # it contains itself, or hides what it contains
        inner = outer | {id(item)}
        if isinstance(item, Mapping):
            return {_hashable(self.redact(key)): redact(value, key, inner) for key, value in item.items()}
        parts = [redact(part, None, inner) for part in item]
        if isinstance(item, set | frozenset):
            kind = frozenset if isinstance(item, frozenset) else set
            return kind(map(_hashable, parts))
        return tuple(parts) if isinstance(item, tuple) else parts

    def _redact_leaf(self, item: str | bytes, replacement: str) -> str | bytes:
        if isinstance(item, str):
            return self.redact_text(item, replacement)
        if not self._forms:
            return item
        text = item.decode("utf-8", "surrogateescape")
        return self.redact_text(text, replacement).encode("utf-8", "surrogateescape")

    def filter(self, record: logging.LogRecord) -> bool:
        """Hide secrets in a record, once."""
        if getattr(record, _MARK, False):
            return True
        if self._forms:
            record.msg, record.args = self.redact_text(record.getMessage()), ()
            if record.exc_info and record.exc_info[0] is not None:
                # The formatter takes this text as it is. The exception itself belongs to whoever raised it.
                record.exc_text = self.redact_text(_FORMATTER.formatException(record.exc_info))
            if record.stack_info:
                record.stack_info = self.redact_text(record.stack_info)
        for key in record.__dict__.keys() - _PLAIN_RECORD:
            record.__dict__[key] = self.redact(record.__dict__[key], key)
        record.__dict__[_MARK] = True
        return True


def _hashable(part: Any) -> Any:
    """A part that a set or the keys of a dict can have: the value of a member of an enum need not be one."""
    try:
        hash(part)
    except TypeError:
        return repr(part)
    return part


def _configured_names() -> frozenset[str]:
    text = conf.get("core", "sensitive_var_conn_names", fallback="") or ""
    return frozenset(word.strip().lower() for word in text.split(",") if word.strip())


def _configured_adapter() -> Callable[[str], str | Iterable[str]] | None:
    path = conf.get("logging", "secret_mask_adapter", fallback="") or ""
    if not path:
        return None
    adapter: Callable[[str], str | Iterable[str]] = import_string(path)
    return adapter


class _Holder:
    """The masker of the process, made when the first secret or the first text to redact appears."""

    masker: SecretsMasker | None = None


def secrets_masker() -> SecretsMasker:
    """The masker of the process."""
    if _Holder.masker is None:
        _Holder.masker = SecretsMasker()
    return _Holder.masker


def redact_known(text: str) -> str:
    """A text without the known secrets. Where nobody has named one there is no masker, and none is made."""
    return text if _Holder.masker is None else _Holder.masker.redact_text(text)


def redact(value: Any, name: str | None = None, max_depth: int | None = None, replacement: str = REPLACEMENT) -> Any:
    """The same value with secrets replaced."""
    return secrets_masker().redact(value, name, max_depth, replacement)


def should_hide_value_for_key(name: object) -> bool:
    """Whether a name sounds as if its value were secret."""
    return secrets_masker().should_hide_value_for_key(name)


def reset_secrets_masker() -> None:
    """Forget all secrets."""
    secrets_masker().reset_masker()
