"""The reference of the REST API says what the routes say."""

from tests.architecture.rest_reference import PAGE, page


def test_the_reference_of_the_rest_api_is_current() -> None:
    """Otherwise: `python -m tests.architecture.rest_reference`."""
    assert PAGE.read_text(encoding="utf-8") == page()
