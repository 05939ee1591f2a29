"""What is done to a DAG less often, and one that is in no file any more, against a running deployment (A8, D4)."""

import re

from playwright.sync_api import Browser, Page, expect

from tests.acceptance.deployment import until
from tests.browser.axe import violations
from tests.browser.conftest import PATIENCE_MS, Deployment, log_in

_FILE = """
from airflow.sdk import dag, task

@dag(schedule=None)
def passing():
    @task
    def say():
        print("said")

    say()

passing()
"""
_DAG = "/api/v2/dags/passing"


def test_a_dag_is_made_a_favorite_read_again_and_deleted_where_it_is_shown(page: Page, deployment: Deployment) -> None:
    file = deployment.dags / "passing.py"
    file.write_text(_FILE)
    until(lambda: deployment.ask("GET", "/api/v2/dags?dag_id_pattern=passing")["total_entries"] == 1, "the DAG")
    page.goto("/dags/passing")
    page.get_by_role("button", name="More", exact=True).click()
    menu = page.get_by_role("dialog", name="More of passing")

    menu.get_by_role("button", name="Make it a favorite").click()
    expect(menu.get_by_role("button", name="No favorite any more")).to_be_visible()
    assert deployment.ask("GET", "/api/v2/dags?is_favorite=true")["dags"][0]["dag_id"] == "passing"
    read_at = deployment.ask("GET", _DAG)["last_parsed_time"]
    menu.get_by_role("button", name="Read its file again").click()
    expect(menu.get_by_role("status")).to_have_text("It will be read in a moment.")
    until(lambda: deployment.ask("GET", _DAG)["last_parsed_time"] != read_at, "the file to be read again")
    assert violations(page) == []

    file.unlink()
    expect(page.get_by_text("This DAG is in no file any more.")).to_be_visible()
    menu.get_by_role("button", name="Delete…").click()
    page.get_by_role("dialog", name=re.compile("^Delete")).get_by_role(
        "button", name=re.compile("^Delete 1 DAG")
    ).click()
    expect(page).to_have_url(re.compile("/dags$"))
    assert deployment.ask("GET", "/api/v2/dags?dag_id_pattern=passing")["total_entries"] == 0


def test_a_viewer_may_only_have_favorites(browser: Browser, deployment: Deployment) -> None:
    context = browser.new_context(base_url=deployment.url)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    log_in(page, "vera")
    page.goto("/dags/brew")
    page.get_by_role("button", name="More", exact=True).click()
    menu = page.get_by_role("dialog", name="More of brew")

    expect(menu.get_by_role("button", name="Make it a favorite")).to_be_enabled()
    expect(menu.get_by_role("button", name="Read its file again")).to_be_disabled()
    expect(menu.get_by_role("button", name="Delete…")).to_be_disabled()
    context.close()
