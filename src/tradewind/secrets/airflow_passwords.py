"""Passwords as Airflow's FAB auth manager stores them. They are accepted once: who logs in gets a hash of our own."""

import hashlib
import hmac
from collections.abc import Callable
from typing import Final

_DIGESTS: Final = frozenset({"sha1", "sha256", "sha512"})
# A hash comes from another database: one that says that it takes an hour must not be tried.
_MOST_ITERATIONS: Final = 2_000_000
_MOST_MEMORY: Final = 64 * 1024 * 1024
_MOST_PARALLEL: Final = 4

_Derive = Callable[[bytes, bytes], bytes]


def is_airflow_hash(password_hash: str) -> bool:
    """Whether it is one that `is_airflow_password` can check."""
    return _parsed(password_hash) is not None


def is_airflow_password(password: str, password_hash: str) -> bool:
    """Whether it is the one that was hashed. False also for a hash of another kind."""
    parsed = _parsed(password_hash)
    if parsed is None:
        return False
    derive, salt, expected = parsed
    derived = derive(password.encode("utf-8", "surrogatepass"), salt.encode())
    return hmac.compare_digest(derived.hex(), expected)


def _parsed(password_hash: str) -> tuple[_Derive, str, str] | None:
    """`method:numbers$salt$hexadecimal`, as werkzeug writes it."""
    method, _, rest = password_hash.partition("$")
    salt, _, expected = rest.partition("$")
    kind, *numbers = method.split(":")
    try:
        match kind, numbers:
            case "pbkdf2", [digest, iterations]:
                derive = _pbkdf2(digest, iterations)
            case "scrypt", [cost, block_size, parallel]:
                derive = _scrypt(cost, block_size, parallel)
            case _:
                return None
    except ValueError:
        return None
    return (derive, salt, expected) if salt and expected.isascii() and expected else None


def _pbkdf2(digest: str, iterations: str) -> _Derive:
    rounds = _within(iterations, _MOST_ITERATIONS)
    if digest not in _DIGESTS:
        raise ValueError(digest)
    return lambda password, salt: hashlib.pbkdf2_hmac(digest, password, salt, rounds)


def _scrypt(cost: str, block_size: str, parallel: str) -> _Derive:
    n, r, p = _within(cost, 2**20), _within(block_size, 64), _within(parallel, _MOST_PARALLEL)
    if n < 2 or n & (n - 1) or 128 * n * r > _MOST_MEMORY:
        raise ValueError(cost)
    memory = 132 * n * r * p
    return lambda password, salt: hashlib.scrypt(password, salt=salt, n=n, r=r, p=p, maxmem=memory)


def _within(text: str, most: int) -> int:
    number = int(text)
    if not 0 < number <= most:
        raise ValueError(text)
    return number
