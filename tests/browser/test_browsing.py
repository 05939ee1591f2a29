"""Lists over all DAGs, ticks that wait for assets, deadlines, and the end of a run (A8, C3, D4)."""

from urllib.parse import quote

from playwright.sync_api import Page, expect

from tests.acceptance.deployment import until
from tests.browser.conftest import PASSWORD, Deployment

MADE_FOR = "What its newest run was made for"


def test_a_tick_that_waits_is_shown_and_settles_live_with_its_asset(page: Page, deployment: Deployment) -> None:
    """C3, D4: what is missing is named; an update of the asset takes the tick off the page without a reload.

    Then its run is found among those of all DAGs, with its task and XCom, and deleted with all of that.
    """
    standalone = deployment.standalone
    assert standalone.log_in(PASSWORD) == 201
    page.goto("/slots")
    row = page.get_by_role("row").filter(has_text="gated")
    expect(row).to_contain_text("waits for supplier_prices")
    page.goto("/dags/gated/asset_events")
    expect(page.get_by_label("Ticks of its schedule")).to_contain_text("waits for supplier_prices")

    _, found = standalone.ask("GET", "/api/v2/assets?name_pattern=supplier_prices", None)
    (asset,) = found["assets"]
    status, _ = standalone.ask("POST", "/api/v2/assets/events", {"asset_id": asset["id"], "extra": {}})
    assert status == 200
    expect(page.get_by_label("Ticks of its schedule")).to_contain_text("got its run")
    path = "/api/v2/dags/gated/dagRuns?state=success"
    until(lambda: standalone.ask("GET", path, None)[1]["total_entries"] == 1, "the run of the tick to end")
    expect(page.get_by_role("region", name=MADE_FOR)).to_contain_text("supplier_prices")
    page.goto(f"/assets/{asset['id']}")
    used_by = page.get_by_role("region", name="Used by")
    expect(used_by).to_contain_text("gated runs at its times, once it was updated")

    page.goto("/dag_runs")
    page.get_by_label("DAG", exact=True).fill("gat")
    expect(page).to_have_url(f"{deployment.url}/dag_runs?dag=gat")
    page.reload()
    expect(page.get_by_role("row")).to_have_count(2)  # with the heads of the columns
    page.goto("/task_instances?dag=gated")
    expect(page.get_by_role("row").nth(1)).to_contain_text("weigh")
    page.goto("/xcoms?dag=gated")
    page.get_by_text("Show", exact=True).click()
    expect(page.get_by_role("row").nth(1)).to_contain_text("weighed")

    page.goto("/dag_runs?dag=gated")
    page.get_by_role("row").nth(1).get_by_role("link").nth(1).click()
    page.get_by_role("button", name="Delete…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("1 task instance with all attempts and 1 XCom")
    dialog.get_by_role("button", name="Delete", exact=True).click()
    expect(page).to_have_url(f"{deployment.url}/dags/gated")
    assert standalone.ask("GET", path, None)[1]["total_entries"] == 0


def test_a_run_that_a_backfill_made_says_which_updates_it_was_made_for(page: Page, deployment: Deployment) -> None:
    """C2: of a DAG that waits for assets alone, from past updates."""
    (tide,) = deployment.ask("GET", "/api/v2/assets?name_pattern=tide")["assets"]
    at = deployment.ask("POST", "/api/v2/assets/events", {"asset_id": tide["id"], "extra": {"metres": 3}})["timestamp"]
    runs = "/api/v2/dags/harbour/dagRuns"
    until(lambda: deployment.ask("GET", f"{runs}?state=failed")["total_entries"] == 1, "the run for the update to end")
    (run,) = deployment.ask("GET", runs)["dag_runs"]
    deployment.ask("DELETE", f"{runs}/{quote(run['dag_run_id'])}")
    page.goto("/dags/harbour/asset_events")
    made_for = page.get_by_role("region", name=MADE_FOR)
    expect(made_for).to_contain_text("No run of this DAG was made for updates of assets.")

    deployment.ask("POST", "/api/v2/backfills", {"dag_id": "harbour", "from_date": at, "to_date": at})
    expect(made_for).to_contain_text("metres")
    expect(made_for).to_contain_text("made harbour backfill__")
    page.goto(f"/assets/{tide['id']}")
    expect(page.get_by_role("region", name="Used by")).to_contain_text("harbour waits for it")


def test_a_missed_deadline_is_shown_with_its_run_and_what_became_of_it(page: Page, deployment: Deployment) -> None:
    """D4: in the list of all, which says what its callback said, in the overview, and with the run."""
    deployment.ask("POST", "/api/v2/dags/late/dagRuns", {"dag_run_id": "to_the_islands", "logical_date": None})
    page.goto("/deadlines?which=missed")
    row = page.get_by_role("table", name="Deadlines").get_by_role("row").filter(has_text="before the ebb")
    expect(row).to_contain_text("missed, its callback was called")
    expect(row.get_by_role("link", name="late", exact=True)).to_be_visible()
    row.get_by_text("What its callback said").click()
    expect(row).to_contain_text("the captain was called")

    row.get_by_role("link", name="to_the_islands").click()
    expect(page).to_have_url(f"{deployment.url}/dags/late/runs/to_the_islands")
    expect(page.get_by_role("region", name="Deadlines")).to_contain_text("before the ebb")
    page.goto("/dags/late/details")
    of_runs = page.get_by_role("region", name="Deadlines of its runs")
    expect(of_runs).to_contain_text("after the run was queued, else late.call_the_captain")

    page.goto("/")
    missed = page.get_by_role("region", name="Missed deadlines")
    expect(missed).to_contain_text("before the ebb")
    missed.get_by_role("link", name="All deadlines").click()
    expect(page.get_by_role("tab", name="Missed")).to_have_attribute("aria-selected", "true")
    page.get_by_role("tab", name="To come").click()
    expect(page.get_by_text("No run that is going on has one.")).to_be_visible()
