"""Secrets out of sight: known values, and values under names that sound secret, are replaced by `***`."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any, Final

from tradewind.sdk.configuration import conf
from tradewind.sdk.module_loading import import_string

REPLACEMENT: Final = "***"

DEFAULT_SENSITIVE_FIELDS: Final = frozenset(
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
SECRETS_TO_SKIP_MASKING: Final = frozenset({"airflow", "tradewind"})

_NOT_WORD: Final = re.compile(r"\W+")
_MARK: Final = "_tradewind_masked"
_PLAIN_RECORD: Final = frozenset(logging.LogRecord("", 0, "", 0, "", (), None).__dict__) | {_MARK, "message", "asctime"}
_FORMATTER: Final = logging.Formatter()


class SecretsMasker(logging.Filter):
    """Knows secrets and hides them; as a filter, in log records."""

    def __init__(self) -> None:
        super().__init__()
        self.secrets: set[str] = set()
        self.hide_sensitive_var_conn_fields = conf.getboolean("core", "hide_sensitive_var_conn_fields", fallback=True)
        self.min_length_to_mask = conf.getint("logging", "min_length_masked_secret", fallback=5)
        self.sensitive_variables_fields = sorted(DEFAULT_SENSITIVE_FIELDS | _configured_names())
        self._adapter = _configured_adapter()
        self._replacer: re.Pattern[str] | None = None
        self._is_stale = False

    @property
    def replacer(self) -> re.Pattern[str] | None:
        """What finds the known secrets in a text; `None` while there are none."""
        if self._is_stale:
            # Longest first: a secret that starts like another one must not leave its end behind.
            longest_first = sorted(self.secrets, key=lambda secret: (-len(secret), secret))
            self._replacer = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None
            self._is_stale = False
        return self._replacer

    def should_hide_value_for_key(self, name: object) -> bool:
        """Whether a name sounds as if its value were secret."""
        if not isinstance(name, str) or not self.hide_sensitive_var_conn_fields:
            return False
        normalized = _NOT_WORD.sub("_", name.strip().lower())
        return any(word in normalized for word in self.sensitive_variables_fields)

    def add_mask(self, secret: Any, name: str | None = None) -> None:
        """Hide a value from now on. With a name, only if the name sounds secret; in a dict, each key is a name."""
        if isinstance(secret, Mapping):
            for key, value in secret.items():
                self.add_mask(value, key)
        elif isinstance(secret, str):
            if not name or self.should_hide_value_for_key(name):
                self._add_text(secret)
        elif isinstance(secret, Iterable) and not isinstance(secret, bytes | bytearray):
            for value in secret:
                self.add_mask(value, name)

    def _add_text(self, secret: str) -> None:
        for text in (secret, *self._adapted(secret)):
            # A short secret would blot out half of every text, and tell by that what it is.
            is_long_enough = len(text) >= max(self.min_length_to_mask, 1)
            if is_long_enough and text.lower() not in SECRETS_TO_SKIP_MASKING and text not in self.secrets:
                self.secrets.add(text)
                self._is_stale = True

    def _adapted(self, secret: str) -> Iterable[str]:
        if self._adapter is None:
            return ()
        adapted = self._adapter(secret)
        return (adapted,) if isinstance(adapted, str) else tuple(adapted)

    def reset_masker(self) -> None:
        """Forget all secrets: a process that begins another task has none of the last one's."""
        self.secrets.clear()
        self._is_stale = True

    def redact(
        self, item: Any, name: str | None = None, max_depth: int | None = None, replacement: str = REPLACEMENT
    ) -> Any:
        """The same value with secrets replaced, however deep they are; below `max_depth` only by their names."""
        return self._redact(item, name, 0, max_depth, replacement, frozenset())

    def _redact(
        self, item: Any, name: object, depth: int, max_depth: int | None, replacement: str, outer: frozenset[int]
    ) -> Any:
        if self.should_hide_value_for_key(name):
            return _hidden(item, replacement, outer)
        if isinstance(item, str):
            replacer = self.replacer if max_depth is None or depth <= max_depth else None
            return item if replacer is None else replacer.sub(replacement, item)
        if isinstance(item, Enum):
            return self._redact(item.value, name, depth, max_depth, replacement, outer)
        if type(item).__name__ == "V1EnvVar":
            # The environment variable of a pod is a name and a value, as a key and a value of a dict.
            variable = item.to_dict()
            return {**variable, "value": self.redact(variable.get("value"), variable.get("name"))}
        return _rebuilt(
            item,
            lambda part, key, around: self._redact(part, key, depth + 1, max_depth, replacement, around),
            outer,
            replacement,
        )

    def filter(self, record: logging.LogRecord) -> bool:
        """Hide secrets in a record, once."""
        replacer = self.replacer
        if replacer is None or getattr(record, _MARK, False):
            return True
        record.msg, record.args = replacer.sub(REPLACEMENT, record.getMessage()), ()
        if record.exc_info and record.exc_info[0] is not None:
            # The formatter takes this text as it is. The exception itself belongs to whoever raised it.
            record.exc_text = replacer.sub(REPLACEMENT, _FORMATTER.formatException(record.exc_info))
        for key in record.__dict__.keys() - _PLAIN_RECORD:
            record.__dict__[key] = self.redact(record.__dict__[key], key)
        record.__dict__[_MARK] = True
        return True


def _hidden(item: Any, replacement: str, outer: frozenset[int]) -> Any:
    """Under a secret name every text is secret. The shape stays, so that readers see what kind of thing it was."""
    if isinstance(item, str):
        return replacement
    return _rebuilt(item, lambda part, _, around: _hidden(part, replacement, around), outer, replacement)


def _rebuilt(
    item: Any, redact: Callable[[Any, object, frozenset[int]], Any], outer: frozenset[int], replacement: str
) -> Any:
    """A collection made of the redacted parts of another one; anything else as it is."""
    if not isinstance(item, dict | list | tuple | set | frozenset):
        return item
    if id(item) in outer:
        return replacement  # it contains itself
    inner = outer | {id(item)}
    if isinstance(item, dict):
        return {key: redact(value, key, inner) for key, value in item.items()}
    parts = [redact(part, None, inner) for part in item]
    return parts if isinstance(item, list) else tuple(parts) if isinstance(item, tuple) else type(item)(parts)


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


def redact(value: Any, name: str | None = None, max_depth: int | None = None, replacement: str = REPLACEMENT) -> Any:
    """The same value with secrets replaced."""
    return secrets_masker().redact(value, name, max_depth, replacement)


def should_hide_value_for_key(name: object) -> bool:
    """Whether a name sounds as if its value were secret."""
    return secrets_masker().should_hide_value_for_key(name)


def reset_secrets_masker() -> None:
    """Forget all secrets."""
    secrets_masker().reset_masker()
