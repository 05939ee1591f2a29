"""Typing into an editor of JSON."""

from playwright.sync_api import Page


def type_json(page: Page, label: str, text: str) -> None:
    """In the place of what is there, as a person does: what Playwright fills in is styled, which the pages forbid."""
    page.get_by_label(label).click()
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    page.keyboard.insert_text(text)
