"""The page about metrics names all of them, and no others."""

from tests.architecture.metrics_reference import PAGE, page


def test_the_tables_of_metrics_are_current() -> None:
    """Otherwise: `python -m tests.architecture.metrics_reference`."""
    assert PAGE.read_text(encoding="utf-8") == page()
