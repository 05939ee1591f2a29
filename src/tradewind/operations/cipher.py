"""How secrets are kept in the database, and what they are when they come out of it."""

from dataclasses import replace
from typing import Protocol

from tradewind.errors import UndecipherableSecret
from tradewind.model.task_answers import ConnectionResult
from tradewind.model.trigger import ClaimedTrigger
from tradewind.model.watcher import ClaimedWatcher
from tradewind.storage.interface.shared_stores import ConnectionRecord, VariableRecord
from tradewind.storage.interface.trigger_store import SealedKwargs
from tradewind.storage.interface.watcher_store import SealedWatcher


class Cipher(Protocol):
    """`secrets.encryption.Encryption` is one."""

    def encrypt(self, text: str) -> tuple[str, bool]:
        """The text to store, and whether it is encrypted."""

    def decrypt(self, text: str, what: str) -> str:
        """The reverse of an encryption. `what` is named where it fails.

        Raises:
            UndecipherableSecret: none of the keys opens it.
        """


class NoCipher:
    """For who has no key, and nothing that was encrypted. Implements `Cipher`."""

    def encrypt(self, text: str) -> tuple[str, bool]:
        """As it is."""
        return text, False

    def decrypt(self, text: str, what: str) -> str:
        """Impossible."""
        raise UndecipherableSecret(what, has_key=False)


def sealed_variable(key: str, value: str, description: str | None, cipher: Cipher) -> VariableRecord:
    """A variable to store."""
    stored, is_encrypted = cipher.encrypt(value)
    return VariableRecord(key, stored, is_encrypted, description)


def opened_variable(record: VariableRecord, cipher: Cipher) -> str:
    """The text of a stored variable. Raises `UndecipherableSecret`."""
    return cipher.decrypt(record.value, f"variable {record.key!r}") if record.is_encrypted else record.value


def opened_kwargs(trigger: SealedKwargs | ClaimedTrigger | SealedWatcher | ClaimedWatcher, cipher: Cipher) -> str:
    """The arguments of a trigger or watcher, as JSON. Raises `UndecipherableSecret`."""
    kind = "watcher" if isinstance(trigger, SealedWatcher | ClaimedWatcher) else "trigger"
    what = f"the arguments of {kind} {trigger.key}"
    return cipher.decrypt(trigger.kwargs, what) if trigger.is_encrypted else trigger.kwargs


def sealed_connection(connection: ConnectionResult, cipher: Cipher) -> ConnectionRecord:
    """A connection to store."""
    password, is_encrypted = sealed_text(connection.password, cipher)
    extra, is_extra_encrypted = sealed_text(connection.extra, cipher)
    return ConnectionRecord(replace(connection, password=password, extra=extra), is_encrypted, is_extra_encrypted)


def opened_connection(record: ConnectionRecord, cipher: Cipher) -> ConnectionResult:
    """A stored connection. Raises `UndecipherableSecret`."""
    fields = record.fields
    password = _opened(fields.password, record.is_encrypted, cipher, f"the password of connection {fields.conn_id!r}")
    return replace(fields, password=password, extra=opened_extra(record, cipher))


def opened_extra(record: ConnectionRecord, cipher: Cipher) -> str | None:
    """The extra of a stored connection. Raises `UndecipherableSecret`."""
    fields = record.fields
    return _opened(fields.extra, record.is_extra_encrypted, cipher, f"the extra of connection {fields.conn_id!r}")


def _opened(text: str | None, is_encrypted: bool, cipher: Cipher, what: str) -> str | None:
    return cipher.decrypt(text, what) if text and is_encrypted else text


def sealed_text(text: str | None, cipher: Cipher) -> tuple[str | None, bool]:
    """The text to store, and whether it is encrypted: nothing is not."""
    return cipher.encrypt(text) if text else (text, False)
