"""What clients are given in place of the name of a DAG file."""

import base64
import binascii
from functools import lru_cache
from typing import Final

import msgspec
from fastapi import HTTPException

from tradewind.model.dag_file import FileName

_REMEMBERED: Final = 10_000


@lru_cache(_REMEMBERED)
def file_token(name: FileName) -> str:
    """A token for a file. It is no secret: who may do something to the file is asked when it is used."""
    return base64.urlsafe_b64encode(msgspec.json.encode(name)).decode().rstrip("=")


def named_by(token: str) -> FileName:
    """The file that a token was made for.

    Raises:
        HTTPException: 404; the token is none of ours.
    """
    try:
        data = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
        return msgspec.json.decode(data, type=FileName)
    except (ValueError, binascii.Error, msgspec.DecodeError):
        raise HTTPException(404, "File not found") from None
