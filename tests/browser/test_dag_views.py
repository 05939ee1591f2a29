"""The views of a DAG in a browser, against a running deployment (A8, D4, D5)."""

import json
import re

import pytest
from playwright.sync_api import Page, expect

from tests.acceptance.deployment import until
from tests.browser.conftest import Deployment

DAG = "/dags/winding"


@pytest.fixture(scope="module")
def triggered(deployment: Deployment) -> tuple[str, str]:
    """Two, one of them with a configuration of its own."""
    for name, conf in (("first", {}), ("second", {"size": 4})):
        trigger(deployment, name, conf)
    deployment.ask("PATCH", "/api/v2/dags/winding", {"is_paused": False})
    return "first", "second"


def trigger(deployment: Deployment, name: str, conf: dict[str, int]) -> None:
    """A run of that name."""
    body = {"dag_run_id": name, "conf": conf, "logical_date": None}
    deployment.ask("POST", "/api/v2/dags/winding/dagRuns", body)


@pytest.fixture
def runs(page: Page, triggered: tuple[str, str]) -> tuple[str, str]:
    """They are over."""
    page.goto(DAG)
    for run in triggered:
        until_over(page, run)
    return triggered


def until_over(page: Page, run: str) -> None:
    """With the grid in sight."""
    page.get_by_role("button", name=re.compile(f"^{run}: success")).wait_for()


def test_the_grid_is_walked_by_keys_and_its_groups_fold(page: Page, runs: tuple[str, str]) -> None:
    page.goto(f"{DAG}?num=10")
    until_over(page, runs[1])

    page.get_by_role("button", name=re.compile("^second: success")).focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("button", name="stumble in second: success")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("button", name="aside in second: success")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")

    expect(page).to_have_url(re.compile("run=first"))
    expect(page).to_have_url(re.compile("task=aside"))
    expect(page).to_have_url(re.compile("num=10"))
    turn = page.get_by_role("button", name="around.turn in second: success")
    expect(turn).to_be_visible()
    page.get_by_role("button", name="▾ around").click()
    expect(turn).to_have_count(0)


def test_a_group_of_a_run_is_cleared_and_marked_as_a_whole(
    page: Page, deployment: Deployment, runs: tuple[str, str]
) -> None:
    """D4."""
    trigger(deployment, "of_groups", {})
    page.goto(DAG)
    until_over(page, "of_groups")
    page.get_by_role("button", name="around in of_groups: success").click()
    group = page.get_by_role("region", name="Group around")
    expect(group.get_by_role("table", name="Tasks")).to_contain_text("turn")

    group.get_by_role("button", name="Mark failed").click()
    marking = page.get_by_role("dialog", name="Mark group around as failed")
    expect(marking.get_by_role("list", name="Affected tasks")).to_contain_text("around.turn[0]")
    marking.get_by_role("button", name="Mark failed").click()
    expect(page.get_by_role("button", name="around in of_groups: failed")).to_be_visible()

    group.get_by_role("button", name="Clear").click()
    clearing = page.get_by_role("dialog", name="Clear group around")
    clearing.get_by_role("button", name=re.compile(r"^Clear \d+ tasks$")).click()
    expect(page.get_by_role("button", name="around in of_groups: success")).to_be_visible()
    until_over(page, "of_groups")


def test_tasks_of_many_runs_are_marked_at_once(page: Page, deployment: Deployment, runs: tuple[str, str]) -> None:
    """D4."""
    for name in ("one_of_many", "another_of_many"):
        trigger(deployment, name, {})
    page.goto(DAG)
    for name in ("one_of_many", "another_of_many"):
        until_over(page, name)
    page.goto("/task_instances?dag=winding&task=aside")

    for name in ("one_of_many", "another_of_many"):
        page.get_by_role("checkbox", name=f"Choose aside in {name} of winding").check()
    page.get_by_role("button", name="Mark skipped").click()
    marking = page.get_by_role("dialog", name="Mark 2 tasks of 2 runs as skipped")
    expect(marking.get_by_role("list", name="Affected tasks").get_by_role("listitem")).to_have_count(2)
    marking.get_by_role("button", name="Mark skipped").click()

    for name in ("one_of_many", "another_of_many"):
        expect(page.get_by_role("row").filter(has_text=name)).to_contain_text("skipped")


def test_the_graph_has_labels_and_copies_and_shows_what_is_around_a_task(page: Page, runs: tuple[str, str]) -> None:
    page.goto(f"{DAG}/graph?run={runs[1]}")
    graph = page.get_by_role("region", name="Graph")

    expect(graph.get_by_text("at last")).to_be_visible()
    expect(graph.get_by_text("turn [4]")).to_be_visible()
    page.get_by_label("Find a task").fill("arriv")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("task=arrive"))
    page.get_by_role("button", name="Filters").click()
    page.get_by_label("Show").select_option("upstream")
    expect(graph.get_by_title(re.compile("^aside: "))).to_have_count(0)
    expect(graph.get_by_title(re.compile("^stumble: success"))).to_be_visible()
    page.get_by_label("Show").select_option("downstream")
    expect(graph.get_by_title(re.compile("^stumble: "))).to_have_count(0)


def test_the_gantt_tells_of_every_try_also_by_keys(page: Page, runs: tuple[str, str]) -> None:
    page.goto(f"{DAG}/gantt?run={runs[0]}")
    page.get_by_role("button", name=re.compile("^stumble, try 1: .*up for retry")).focus()

    tip = page.get_by_role("status").filter(has_text="stumble try 1, failed")
    expect(tip).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("status").filter(has_text="try 2, success")).to_be_visible()
    page.get_by_role("button", name="Look closer").click()
    page.keyboard.press("Tab")
    page.get_by_role("button", name=re.compile("^arrive, try 1")).click()
    expect(page).to_have_url(re.compile("task=arrive"))


def test_runs_are_on_the_calendar_which_leads_to_them(page: Page, runs: tuple[str, str]) -> None:
    page.goto(f"{DAG}/calendar")
    page.get_by_role("link", name=re.compile("[2-9] success")).first.click()

    expect(page.get_by_role("link", name=runs[0], exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile(r"from=\d{4}-\d\d-\d\d"))
    page.get_by_label("State").select_option("failed")
    expect(page.get_by_text("No runs")).to_be_visible()


def test_runs_are_compared_noted_cleared_and_deleted(page: Page, deployment: Deployment, runs: tuple[str, str]) -> None:
    trigger(deployment, "third", {})
    page.goto(DAG)
    until_over(page, "third")
    page.goto(f"{DAG}/runs")
    for run in runs:
        page.get_by_label(f"Choose {run}", exact=True).check()
    page.get_by_role("link", name="Compare the two").click()

    expect(page.get_by_role("row", name=re.compile("conf: size"))).to_contain_text("4")
    expect(page.get_by_role("region", name="Tasks of both runs")).to_contain_text("success ×4")  # noqa: RUF001

    page.goto(f"{DAG}/runs")
    page.get_by_label("Choose third").check()
    page.get_by_role("button", name="Note…").click()
    page.get_by_role("textbox", name="Note").fill("<b>keep</b>")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_text("<b>keep</b>")).to_be_visible()

    page.get_by_label("Choose third").check()
    page.get_by_role("button", name="Clear…").click()
    expect(page.get_by_role("dialog").get_by_text("arrive in third")).to_be_visible()
    page.get_by_label("Only what failed").check()
    expect(page.get_by_role("button", name="Clear 0 tasks")).to_be_disabled()
    page.get_by_role("button", name="Cancel").click()

    page.get_by_role("button", name="Delete…").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_label("Choose third")).to_have_count(0)


def test_the_overview_tells_how_runs_did_and_what_comes_next(page: Page, runs: tuple[str, str]) -> None:
    page.goto(f"{DAG}/overview")
    durations = page.get_by_role("figure", name="Duration of the newest runs")
    expect(durations.get_by_role("img", name=re.compile("^first: success, took"))).to_be_visible()
    days = page.get_by_role("figure", name="Runs by day and state")
    expect(days.get_by_role("listitem")).to_have_count(30)
    expect(days.get_by_role("listitem").last.get_by_role("img")).to_have_attribute(
        "aria-label", re.compile(r"\d success")
    )
    expect(page.get_by_role("region", name="Next run")).to_contain_text("Why?")
    expect(page.get_by_role("region", name="Failures by task")).to_contain_text("No task has failed.")

    durations.get_by_role("link", name=re.compile("^second: ")).click()
    expect(page).to_have_url(re.compile(f"{DAG}/runs/second"))


def test_a_task_and_a_group_are_shown_in_all_runs(page: Page, runs: tuple[str, str]) -> None:
    """States, durations, tries, and the way to each log (A8, D5)."""
    page.goto(f"{DAG}/tasks")
    page.get_by_role("link", name="stumble").click()
    expect(page).to_have_url(re.compile(f"{DAG}/tasks/stumble$"))
    expect(page.get_by_role("tab", name="Tasks")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_text(re.compile(r"^in [1-9]\d* of \d+ runs$"))).to_be_visible()  # some needed a second try
    row = page.get_by_role("table", name="In the newest runs").get_by_role("row").filter(has_text="first")
    expect(row.get_by_role("cell").nth(1)).to_contain_text("success")
    expect(row.get_by_role("cell").nth(3)).to_have_text("2")
    row.get_by_role("link", name="Log in first").click()
    expect(page).to_have_url(re.compile(f"{DAG}/runs/first/tasks/stumble.*tab=logs"))
    page.get_by_role("tablist", name="About the task").get_by_role("tab", name="Details").click()
    page.get_by_title(re.compile(r"^Code of version \d+$")).click()
    expect(page).to_have_url(re.compile(rf"{DAG}/code.*version=\d+"))
    page.go_back()
    page.get_by_role("link", name="In all runs").click()
    expect(page).to_have_url(re.compile(f"{DAG}/tasks/stumble$"))

    page.goto(f"{DAG}/tasks/around.turn")
    page.get_by_role("link", name="In group around").click()
    member = page.get_by_role("table", name="Tasks of the group").get_by_role("row").filter(has_text="around.turn")
    expect(member.get_by_role("img")).to_have_attribute("aria-label", re.compile("success, success"))
    expect(page.get_by_role("figure").get_by_role("img", name=re.compile("^second: 4 success"))).to_be_visible()


def test_tasks_and_details_are_told_and_nothing_of_them_runs(page: Page, runs: tuple[str, str]) -> None:
    page.goto(f"{DAG}/tasks")
    expect(page.get_by_role("listitem").filter(has_text="around.turn")).to_contain_text("all success")
    page.get_by_label("Search tasks").fill("stum")
    expect(page.get_by_role("listitem").filter(has_text="arrive")).to_have_count(0)

    page.get_by_role("tab", name="Details").click()
    expect(page.get_by_role("heading", name="Winding", exact=True)).to_be_visible()
    expect(page.get_by_text("<img src=x onerror=")).to_be_visible()
    expect(page.get_by_role("link", name="here")).to_have_count(0)
    expect(page.get_by_role("row", name=re.compile("^size"))).to_contain_text("3")
    expect(page).to_have_title("winding · Tradewind")
    for name in ("Asset events", "Audit log"):
        page.get_by_role("tab", name=name).click()
        expect(page.get_by_role("tab", name=name)).to_have_attribute("aria-selected", "true")
        expect(page.get_by_role("alert")).to_have_count(0)


def test_a_backfill_is_tried_first_and_then_called_off(page: Page) -> None:
    page.goto(f"{DAG}/backfills")
    page.get_by_role("button", name="Run a backfill…").click()
    page.get_by_label("From").fill("2026-01-03T00:00")
    page.get_by_label("To (").fill("2026-03-03T00:00")
    page.get_by_label("Runs at once").fill("1")
    page.get_by_label("The newest first").check()

    expect(page.get_by_role("list", name="Dry run").get_by_role("listitem").first).to_contain_text("2026-03-03")
    with page.expect_request(lambda request: request.url.endswith("/api/v2/backfills")) as started:
        page.get_by_role("button", name="Start 60 runs").click()
    # What nobody chose is left to the DAG, and to the runs that are there.
    assert not {"dag_run_conf", "run_on_latest_version"} & json.loads(started.value.post_data or "").keys()
    backfills = page.get_by_role("list", name="Backfills")
    expect(backfills).to_contain_text("of 60")
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Go on").wait_for()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Really cancel").click()
    expect(backfills).to_contain_text("Ended.")


def test_a_backfill_is_asked_for_with_the_version_and_the_configuration_that_somebody_chose(page: Page) -> None:
    page.goto(f"{DAG}/backfills")
    page.get_by_role("button", name="Run a backfill…").click()
    page.get_by_label("From").fill("2026-01-03T00:00")
    page.get_by_label("To (").fill("2026-01-04T00:00")
    page.get_by_label("Configuration (JSON)").fill('{"size": 2}')
    with page.expect_request(lambda request: "run_on_latest_version" in (request.post_data or "")) as tried:
        page.get_by_label("Version of the DAG").select_option("Newest version")

    asked = json.loads(tried.value.post_data or "")
    assert (asked["run_on_latest_version"], asked["dag_run_conf"]) == (True, {"size": 2})
    expect(page.get_by_role("alert")).to_have_count(0)


def test_two_versions_of_the_code_are_shown_beside_each_other(page: Page, deployment: Deployment) -> None:
    file = deployment.dags / "dag_views.py"
    first = file.read_text()
    file.write_text(first.replace("    @task\n    def aside", "    @task(priority_weight=7)\n    def aside"))
    newest = f"/api/v2{DAG}/dagVersions?order_by=-version_number&limit=1"
    until(lambda: deployment.ask("GET", newest)["dag_versions"][0]["version_number"] > 1, "the second version")
    page.goto(f"{DAG}/code")
    page.get_by_label("Show").select_option("2")
    page.get_by_label("beside").select_option("1")

    expect(page.get_by_label("Code of version 2")).to_contain_text("@task(priority_weight=7)")
    expect(page.get_by_label("Code of version 1")).to_contain_text("def aside")
    expect(page.get_by_label("Code of version 1")).not_to_contain_text("priority_weight")
    expect(page).to_have_url(re.compile("version=2"))
