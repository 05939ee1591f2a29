"""Encryption of what the database keeps: Fernet, as in Airflow, so that its rows can be taken over as they are."""

import logging
from collections.abc import Sequence
from typing import Self

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from tradewind.errors import SettingsError, UndecipherableSecret

log = logging.getLogger(__name__)


class Encryption:
    """The first key encrypts, every key decrypts. Without a key, texts are kept as they are."""

    def __init__(self, keys: Sequence[str] = ()) -> None:
        """Raises `SettingsError` for a key that is none."""
        self._fernet = MultiFernet([_fernet(key, place) for place, key in enumerate(keys, 1)]) if keys else None
        self._has_warned = False

    @classmethod
    def from_setting(cls, text: str) -> Self:
        """With the keys of `[core] fernet_key`: several, the new one first, while they are being changed."""
        return cls([key.strip() for key in text.split(",") if key.strip()])

    @property
    def has_key(self) -> bool:
        """Whether anything is encrypted at all."""
        return self._fernet is not None

    def encrypt(self, text: str) -> tuple[str, bool]:
        """The text to store, and whether it is encrypted."""
        if self._fernet is None:
            self._warn()
            return text, False
        return self._fernet.encrypt(text.encode("utf-8", "surrogatepass")).decode("ascii"), True

    def decrypt(self, text: str, what: str) -> str:
        """The reverse. `what` is named to the reader of the error, who must learn nothing else.

        Raises:
            UndecipherableSecret: it was encrypted with another key.
        """
        if self._fernet is None:
            raise UndecipherableSecret(what, has_key=False)
        try:
            return self._fernet.decrypt(text.encode("utf-8", "replace")).decode("utf-8", "surrogatepass")
        except InvalidToken:
            raise UndecipherableSecret(what, has_key=True) from None

    def _warn(self) -> None:
        if not self._has_warned:
            self._has_warned = True
            log.warning("secrets are stored as plain text, because [core] fernet_key has no key")


def new_key() -> str:
    """A key for `[core] fernet_key`."""
    return Fernet.generate_key().decode("ascii")


def _fernet(key: str, place: int) -> Fernet:
    try:
        return Fernet(key)
    except ValueError:
        # The cause may show the key.
        raise SettingsError(
            f"key {place} of [core] fernet_key is no Fernet key; expected 32 bytes in URL-safe base64,"
            " such as `openssl rand -base64 32 | tr '+/' '-_'` writes"
        ) from None
