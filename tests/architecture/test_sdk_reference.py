"""The reference of the SDK says what the SDK is."""

from tests.architecture.sdk_reference import PAGE, page


def test_reference_is_current() -> None:
    """Otherwise: `python -m tests.architecture.sdk_reference`."""
    assert PAGE.read_text(encoding="utf-8") == page()
