"""Texts that authors make, in a form that every database can store and that people may read."""

from typing import Final

from tradewind.sdk.secrets_masker import redact

_LONGEST: Final = 2_000


def plain_text(text: str) -> str:
    """Without secrets, without what is no character, and not too long."""
    shown = str(redact(text))[:_LONGEST].replace("\0", "\\x00")
    return shown.encode("utf-8", "backslashreplace").decode("utf-8")
