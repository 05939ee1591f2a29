"""The reference of the command line says what the command line says."""

from tests.architecture.cli_reference import PAGE, page


def test_the_reference_of_the_command_line_is_current() -> None:
    """Otherwise: `python -m tests.architecture.cli_reference`."""
    assert PAGE.read_text(encoding="utf-8") == page()
