"""Which form of an answer a client prefers."""

import pytest
from fastapi import HTTPException

from tradewind.api.accept import preferred

OFFERED = ("application/json", "text/plain")


@pytest.mark.parametrize(
    ("accept", "chosen"),
    [
        ("*/*", "application/json"),
        ("text/plain", "text/plain"),
        ("TEXT/*", "text/plain"),
        ("text/plain;q=0.5, application/json;q=0.9", "application/json"),
        ("application/json;q=0, */*", "text/plain"),
        ("text/html, application/xml;q=0.9, */*;q=0.8", "application/json"),
        ("text/plain;q=odd, application/json;q=0.1", "application/json"),
    ],
)
def test_the_best_liked_is_chosen(accept: str, chosen: str) -> None:
    assert preferred(accept, OFFERED) == chosen


@pytest.mark.parametrize("accept", ["application/xml", "", "text/plain;q=0", "/"])
def test_what_cannot_be_had_is_refused(accept: str) -> None:
    with pytest.raises(HTTPException) as refused:
        preferred(accept, OFFERED)
    assert refused.value.status_code == 406
