"""Addresses that plugins and themes name (A8): what is not known to be harmless is refused."""

import pytest

from tradewind.model.web_address import is_picture_itself, origin_of


@pytest.mark.parametrize(
    ("address", "origin"),
    [
        ("https://example.org", "https://example.org"),
        ("https://example.org/{DAG_ID}?a=b#c", "https://example.org"),
        ("HTTPS://Example.org:443/x", "https://example.org"),
        ("http://127.0.0.1:3000/d/1", "http://127.0.0.1:3000"),
        ("http://[::1]:3000/", "http://[::1]:3000"),
        ("http://host:80", "http://host"),
        ("/docs", None),
        ("docs/a:b", None),
        ("?a=b", None),
    ],
)
def test_an_address_has_the_origin_that_a_policy_names(address: str, origin: str | None) -> None:
    assert origin_of(address) == origin


@pytest.mark.parametrize(
    "address",
    [
        *("javascript:alert(1)", "JavaScript:alert(1)", "java\tscript:alert(1)", " javascript:alert(1)"),
        *("data:text/html,<script>", "vbscript:x", "file:///etc/passwd", "blob:x", "mailto:a@example.org", "x:y"),
        *("//example.org", "/\\example.org", "https:\\\\example.org", "https:///path", "https:example.org", "https://"),
        *(
            "https://user@example.org",
            "https://u:p@example.org",
            "https://example.org:port",
            "https://example.org:99999",
        ),
        *(
            "https://a.org;script-src",
            "https://a.org,b.org",
            "https://*",
            "https://*.example.org",
            "https://{DAG_ID}.org",
        ),
        *("https://a.org/ b", "https://a.org/\n", "https://a.org/'", 'https://a.org/"', "https://a.org/<", ""),
    ],
)
def test_what_could_be_something_else_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        origin_of(address)


@pytest.mark.parametrize(
    ("address", "is_picture"),
    [
        ("data:image/svg+xml;base64,PHN2Zz4=", True),
        ("data:image/png;base64,iVBOR", True),
        ("data:text/html;base64,PHN2Zz4=", False),
        ("data:image/svg+xml;<script>", False),
        ("https://example.org/data:image/png;", False),
    ],
)
def test_a_picture_may_be_written_out(address: str, is_picture: bool) -> None:
    assert is_picture_itself(address) is is_picture
