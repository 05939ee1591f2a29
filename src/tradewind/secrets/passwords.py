"""Passwords, stored so that they cannot be had back."""

import secrets
import string
import threading
from functools import cache
from typing import Final

from argon2 import PasswordHasher, extract_parameters
from argon2.exceptions import InvalidHashError, VerificationError

from tradewind.errors import Busy, InvalidRequest
from tradewind.secrets.airflow_passwords import is_airflow_hash, is_airflow_password

LONGEST: Final = 1024
_RANDOM_LENGTH: Final = 16
_LETTERS: Final = string.ascii_letters + string.digits
# More than OWASP asks for, less than the default of the library: a server has to bear several of them at once.
_hasher: Final = PasswordHasher(time_cost=3, memory_cost=32 * 1024, parallelism=1)
# Each takes memory and a core for a while. Whoever sends a thousand of them must not take all there is of either.
_AT_ONCE: Final = 4
_PATIENCE_S: Final = 2.0
_turns: Final = threading.BoundedSemaphore(_AT_ONCE)


def hash_password(password: str) -> str:
    """What is stored of it.

    Raises:
        InvalidRequest: there is none, or it is too long.
    """
    if not password or len(password) > LONGEST:
        raise InvalidRequest(f"a password has 1 to {LONGEST} characters")
    return _hasher.hash(password)


def is_password(password: str, password_hash: str | None) -> bool:
    """Whether it is the one that was hashed. Takes as long if there is none: nobody can tell names that exist by it.

    Raises:
        Busy: too many are being checked.
    """
    if not _turns.acquire(timeout=_PATIENCE_S):
        raise Busy("too many logins at once")
    given = password if len(password) <= LONGEST else ""
    try:
        if password_hash is not None and is_airflow_hash(password_hash):
            return is_airflow_password(given, password_hash)
        _hasher.verify(password_hash or _hash_of_nothing(), given)
    except (VerificationError, InvalidHashError):
        return False
    finally:
        _turns.release()
    return password_hash is not None


def needs_new_hash(password_hash: str) -> bool:
    """Whether it was made with less effort than we make today, or by Airflow."""
    return is_airflow_hash(password_hash) or _hasher.check_needs_rehash(password_hash)


def is_known_hash(text: str) -> bool:
    """Whether a login can be checked by it."""
    try:
        extract_parameters(text)
    except InvalidHashError:
        return is_airflow_hash(text)
    return True


def random_password() -> str:
    """One that nobody can guess."""
    return "".join(secrets.choice(_LETTERS) for _ in range(_RANDOM_LENGTH))


@cache
def _hash_of_nothing() -> str:
    return _hasher.hash(secrets.token_hex())
