"""Which of several forms of an answer a client prefers."""

from collections.abc import Sequence
from typing import Final

from fastapi import HTTPException

ANYTHING: Final = "*/*"


def preferred(accept: str, offered: Sequence[str]) -> str:
    """Of the offered media types, the one that the header `Accept` likes best; of equals, the one offered first.

    Raises:
        HTTPException: 406; it likes none of them.
    """
    best = max(offered, key=lambda offer: _liking(accept, offer))
    if _liking(accept, best) <= 0:
        raise HTTPException(406, f"Only {' or '.join(offered)} is supported")
    return best


def _liking(accept: str, offer: str) -> float:
    """The weight of the part of the header that names the type most exactly."""
    found = {"": 0.0}
    for part in accept.split(","):
        media, *parameters = (word.strip().lower() for word in part.split(";"))
        if media in (offer, offer.partition("/")[0] + "/*", ANYTHING):
            found[media] = next((_weight(word[2:]) for word in parameters if word.startswith("q=")), 1.0)
    return found[max(found, key=lambda media: (media == offer, media.endswith("/*"), media != ANYTHING, media))]


def _weight(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
