"""The secret that signs tokens: from the configuration, or else a random one in a file that only its owner can read."""

import os
import secrets
import stat
from pathlib import Path
from typing import Final

from tradewind.errors import SettingsError

FILE_NAME: Final = "jwt_secret"
_FOR_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


def signing_secret(configured: str, home: Path) -> str:
    """The configured one, or that of the home folder, which is made if there is none.

    Raises:
        SettingsError: others can read the file, or it cannot be made.
    """
    if configured:
        return configured
    path = home / FILE_NAME
    try:
        if not path.exists():
            _make(path)
        if path.stat().st_mode & _FOR_OTHERS:
            raise SettingsError(f"others can read {path}, and sign tokens with it: delete it, or chmod 600 it")
        return path.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise SettingsError(f"the secret that signs tokens cannot be kept in {path}: {error.strerror}") from error


def _make(path: Path) -> None:
    """Several servers may start at once; all must end up with the same secret, and none may read half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    own = path.with_name(f".{FILE_NAME}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(own, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(secrets.token_hex(64))
        try:
            path.hardlink_to(own)
        except FileExistsError:
            return
    finally:
        own.unlink()
