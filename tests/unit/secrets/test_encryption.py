"""What the database keeps is encrypted (D3)."""

import logging

import pytest

from tradewind.errors import SettingsError, UndecipherableSecret
from tradewind.secrets.encryption import Encryption, new_key

OLD, NEW = new_key(), new_key()


@pytest.mark.parametrize("text", ["hunter2", "", "größer 😀", "a\0b\ud800", "x" * 100_000])
def test_text_comes_back_and_does_not_show(text: str) -> None:
    encryption = Encryption([NEW])

    stored, is_encrypted = encryption.encrypt(text)

    assert is_encrypted
    assert not text or text not in stored
    assert encryption.decrypt(stored, "variable 'a'") == text
    assert encryption.encrypt(text) != (stored, True), "equal secrets must not look equal"


def test_without_a_key_text_stays_as_it_is_and_one_warning_says_so(caplog: pytest.LogCaptureFixture) -> None:
    encryption = Encryption.from_setting("")

    with caplog.at_level(logging.WARNING):
        assert encryption.encrypt("hunter2") == ("hunter2", False)
        encryption.encrypt("hunter3")

    assert not encryption.has_key
    assert [record.getMessage() for record in caplog.records] == [
        "secrets are stored as plain text, because [core] fernet_key has no key"
    ]


def test_older_keys_still_read_and_the_first_one_writes() -> None:
    stored, _ = Encryption([OLD]).encrypt("hunter2")
    both = Encryption.from_setting(f" {NEW}, {OLD} ,")

    assert both.decrypt(stored, "x") == "hunter2"
    rewritten, _ = both.encrypt("hunter2")
    assert Encryption([NEW]).decrypt(rewritten, "x") == "hunter2"


def test_what_another_key_wrote_is_refused_by_its_name_alone() -> None:
    stored, _ = Encryption([OLD]).encrypt("hunter2")

    with pytest.raises(UndecipherableSecret, match="variable 'a' is encrypted, and none of the keys") as caught:
        Encryption([NEW]).decrypt(stored, "variable 'a'")
    assert stored not in str(caught.value)
    with pytest.raises(UndecipherableSecret, match=r"and \[core\] fernet_key has no key"):
        Encryption().decrypt(stored, "variable 'a'")
    with pytest.raises(UndecipherableSecret):
        Encryption([NEW]).decrypt("no token, größer", "variable 'a'")


def test_key_that_is_none_is_named_by_its_place_and_not_shown() -> None:
    with pytest.raises(SettingsError, match=r"key 2 of \[core\] fernet_key is no Fernet key") as caught:
        Encryption.from_setting(f"{NEW},hunter2")

    assert "hunter2" not in str(caught.value)
    assert caught.value.__cause__ is None
