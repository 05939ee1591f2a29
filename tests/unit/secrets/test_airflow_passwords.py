"""Passwords that Airflow has hashed are accepted, and those that nobody could check are not tried (B6)."""

import hashlib

import pytest

from tradewind.secrets.airflow_passwords import is_airflow_hash, is_airflow_password
from tradewind.secrets.passwords import hash_password, is_known_hash, is_password, needs_new_hash

PASSWORD = "ein Gehörn"
SALT = "mQ3hQj9LNbbGJ7nA"
PBKDF2 = f"pbkdf2:sha256:1000${SALT}${hashlib.pbkdf2_hmac('sha256', PASSWORD.encode(), SALT.encode(), 1000).hex()}"
SCRYPT = f"scrypt:1024:8:1${SALT}${hashlib.scrypt(PASSWORD.encode(), salt=SALT.encode(), n=1024, r=8, p=1).hex()}"


@pytest.mark.parametrize("stored", [PBKDF2, SCRYPT])
def test_the_right_password_is_accepted_and_hashed_anew(stored: str) -> None:
    assert is_known_hash(stored)
    assert is_password(PASSWORD, stored)
    assert not is_password("another", stored)
    assert not is_password("", stored)
    assert needs_new_hash(stored)


@pytest.mark.parametrize(
    "stored",
    [
        "",
        "pbkdf2",
        "sha256$salt$aa",
        "pbkdf2:md5:1000$salt$aa",
        "pbkdf2:sha256$salt$aa",
        "pbkdf2:sha256:0$salt$aa",
        "pbkdf2:sha256:many$salt$aa",
        "pbkdf2:sha256:99999999999$salt$aa",
        "pbkdf2:sha256:1000$$aa",
        "pbkdf2:sha256:1000$salt$",
        "pbkdf2:sha256:1000$salt$ää",
        "scrypt:1000:8:1$salt$aa",
        "scrypt:1048576:8:1$salt$aa",
        "scrypt:1024:8:900$salt$aa",
        "scrypt:1024:8$salt$aa",
    ],
)
def test_what_is_no_hash_or_would_take_for_ever_is_none(stored: str) -> None:
    assert not is_airflow_hash(stored)
    assert not is_airflow_password(PASSWORD, stored)
    assert not is_known_hash(stored)


def test_our_own_hashes_stay_what_they_are() -> None:
    own = hash_password(PASSWORD)

    assert is_known_hash(own)
    assert not is_airflow_hash(own)
    assert not needs_new_hash(own)
