"""What of a DAG's grid and graph is shown, and what keys do there, against a running deployment (A8, D4, D5)."""

import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.acceptance.deployment import until
from tests.browser.axe import violations
from tests.browser.conftest import Deployment

DAG = "/dags/harbour"
RUNS = ("first", "second", "third")
_TEXTS = 6 + 1 + 2
"""In a picture: tasks, their group, and what the first and the last are for."""
_PLACES = """(ids) => ids.map((id) => {
    const box = document.querySelector(`.react-flow__node[data-id="${id}"]`)?.getBoundingClientRect();
    return [box?.x ?? 0, box?.y ?? 0];
})"""
_LEFT_OUT = "(line) => line.scrollWidth - line.clientWidth - line.scrollLeft"
_WITHIN = """(tab) => {
    const [own, line] = [tab.getBoundingClientRect(), tab.parentElement.getBoundingClientRect()];
    return own.left >= line.left - 1 && own.right <= line.right + 1;
}"""


@pytest.fixture(scope="module")
def harbour(deployment: Deployment) -> Deployment:
    """With three runs that failed, asked for by hand."""
    until(lambda: deployment.ask("GET", "/api/v2/dags?dag_id_pattern=harbour")["total_entries"] == 1, "the DAG")
    for run in RUNS:
        deployment.ask("POST", "/api/v2/dags/harbour/dagRuns", {"dag_run_id": run, "logical_date": None})
    for run in RUNS:
        path = f"/api/v2/dags/harbour/dagRuns/{run}"
        until(lambda path=path: deployment.ask("GET", path)["state"] == "failed", f"{run} to end")  # type: ignore[misc]
    return deployment


def _boxes(page: Page) -> Locator:
    return page.get_by_role("region", name="Graph").locator(".react-flow__node")


def _box(page: Page, title: str) -> Locator:
    return page.get_by_role("region", name="Graph").get_by_title(re.compile(f"^{title}"))


def _asked(page: Page) -> dict[str, list[str]]:
    """By the address."""
    return parse_qs(urlsplit(page.url).query)


@pytest.mark.parametrize(
    ("direction", "along", "sign"), [("right", 0, 1), ("left", 0, -1), ("down", 1, 1), ("up", 1, -1)]
)
def test_the_graph_leads_where_one_wants_and_that_is_kept(
    direction: str, along: int, sign: int, page: Page, harbour: Deployment
) -> None:
    page.goto(f"{DAG}/graph")
    page.get_by_role("button", name="View", exact=True).click()
    page.get_by_label("Direction").select_option(direction)
    expect(page).to_have_url(re.compile(f"direction={direction}"))

    def leads() -> bool:
        before, after = page.evaluate(_PLACES, ["moor", "weigh"])
        return bool((after[along] - before[along]) * sign > 0)

    until(leads, "the graph to be laid out anew")
    page.goto(f"{DAG}/graph")
    until(leads, "the same without being told")


def test_the_graph_shows_the_tasks_that_are_looked_for(page: Page, harbour: Deployment) -> None:
    """By state, operator, group, duration and name, and what is so many steps around one; the address has it all."""
    page.goto(f"{DAG}/graph?run=third")
    _box(page, "moor: success, setup").wait_for()
    page.keyboard.press("Control+Shift+F")
    filters = page.get_by_role("search", name="Graph filters")
    expect(filters.get_by_label("Task id")).to_be_focused()
    expect(filters.get_by_role("status")).to_have_text("6 of 6 tasks")

    filters.get_by_label("State").select_option("failed")
    expect(_boxes(page)).to_have_count(1)
    expect(_box(page, "weigh: failed")).to_be_visible()
    filters.get_by_label("State").select_option("")
    filters.get_by_label("Group").select_option("unload")
    expect(_boxes(page)).to_have_count(3)
    filters.get_by_label("Operator").select_option("TriggerDagRunOperator")
    expect(page.get_by_text("No task fits the filters")).to_be_visible()
    filters.get_by_label("Group").select_option("")
    expect(_box(page, "tell: upstream failed")).to_be_visible()
    assert _asked(page)["operator"] == ["TriggerDagRunOperator"]
    filters.get_by_role("button", name="Show all").click()
    expect(filters.get_by_label("Copy")).to_be_disabled()
    filters.get_by_label("Took").select_option("3600")
    expect(page.get_by_text("No task fits the filters")).to_be_visible()
    assert _asked(page)["took"] == ["3600"]
    filters.get_by_label("Took").select_option("")
    filters.get_by_label("Task id").fill("we")
    expect(filters.get_by_role("status")).to_have_text("1 of 6 tasks")

    _box(page, "weigh: failed").click()
    filters.get_by_label("Task id").fill("")
    filters.get_by_label("Show").select_option("upstream")
    expect(filters.get_by_role("status")).to_have_text("4 of 6 tasks")
    filters.get_by_label("Steps").select_option("1")
    expect(filters.get_by_role("status")).to_have_text("2 of 6 tasks")
    page.reload()
    expect(page.get_by_role("button", name="Filters (1)")).to_have_attribute("aria-expanded", "true")
    expect(_box(page, "lift: success")).to_be_visible()
    assert violations(page) == []


def test_the_graph_shows_assets_and_dags_around_it(page: Page, harbour: Deployment) -> None:
    page.goto(f"{DAG}/graph?run=third")
    page.get_by_role("button", name="View", exact=True).click()
    page.get_by_label("Dependencies").select_option("all")

    for title in ("asset: tide", "asset: cargo", "DAG: ledger", "schedule"):
        expect(_box(page, title)).to_be_visible()
    assert violations(page) == []
    page.emulate_media(color_scheme="dark")
    assert violations(page, only_colours=True) == []
    page.emulate_media(color_scheme="light")
    _box(page, "DAG: ledger").click()
    expect(page).to_have_url(re.compile("/dags/ledger/graph"))
    page.go_back()
    expect(page).to_have_url(re.compile("outside=true"))
    _box(page, "asset: cargo").click()
    expect(page.get_by_role("heading", name="cargo")).to_be_visible()


def test_the_graph_is_downloaded_as_a_picture(page: Page, harbour: Deployment, tmp_path: Path) -> None:
    """All of it, however much is in sight."""
    page.goto(f"{DAG}/graph?run=third")
    _box(page, "weigh: failed").wait_for()
    page.get_by_role("button", name="View", exact=True).click()
    for kind, begins in (("SVG", b"<svg "), ("PNG", b"\x89PNG")):
        with page.expect_download() as waiting:
            page.get_by_role("button", name=f"Download as {kind}").click()
        file = tmp_path / waiting.value.suggested_filename
        waiting.value.save_as(file)

        assert file.name == f"harbour.{kind.lower()}"
        content = file.read_bytes()
        assert content.startswith(begins)
        if kind == "SVG":
            assert content.count(b"<text ") == _TEXTS
            assert b">teardown</text>" in content


def test_the_graph_of_an_older_version_is_shown(page: Page, harbour: Deployment) -> None:
    file = harbour.dags / "harbour.py"
    file.write_text(file.read_text().replace("def book(", "def enter(").replace("book()", "enter()"))
    newest = "/api/v2/dags/ledger/dagVersions?order_by=-version_number&limit=1"
    until(lambda: harbour.ask("GET", newest)["dag_versions"][0]["version_number"] > 1, "the second version")
    page.goto("/dags/ledger/graph")
    _box(page, "enter: ").wait_for()
    page.get_by_role("button", name="View", exact=True).click()
    page.get_by_label("Version").select_option("1")

    expect(_box(page, "book: ")).to_be_visible()
    expect(_box(page, "enter: ")).to_have_count(0)
    expect(page).to_have_url(re.compile("version=1"))


def test_the_grid_shows_the_runs_and_tasks_that_are_looked_for(page: Page, harbour: Deployment) -> None:
    page.goto(DAG)
    head = page.get_by_role("button", name=re.compile("^(first|second|third): failed"))
    expect(head).to_have_count(3)
    page.get_by_role("button", name="Filters").click()
    filters = page.get_by_role("search", name="Runs of the grid")
    filters.get_by_label("State").select_option("success")
    expect(page.get_by_text("No run fits the filters")).to_be_visible()
    filters.get_by_label("State").select_option("failed")
    filters.get_by_label("Type").select_option("manual")
    filters.get_by_label("Triggered by").fill("ADM")
    expect(head).to_have_count(3)
    filters.get_by_label("To").fill("2026-01-01")
    expect(head).to_have_count(0)
    filters.get_by_label("To").fill("")
    expect(head).to_have_count(3)
    assert {name: _asked(page)[name] for name in ("state", "type", "user")} == {
        "state": ["failed"],
        "type": ["manual"],
        "user": ["ADM"],
    }

    page.get_by_label("Find tasks").fill("lift")
    expect(page.get_by_role("button", name="unload.lift in third: success")).to_be_visible()
    expect(page.get_by_role("rowheader", name="moor")).to_have_count(0)
    page.reload()
    expect(page.get_by_role("button", name="Filters (3)")).to_have_attribute("aria-expanded", "true")
    expect(page.get_by_role("rowheader", name="moor")).to_have_count(0)
    assert violations(page) == []


def test_older_runs_are_a_page_away(page: Page, harbour: Deployment) -> None:
    page.goto(f"{DAG}?num=2")
    heads = {name: page.get_by_role("button", name=re.compile(f"^{name}: failed")) for name in RUNS}
    older, newer = (page.get_by_role("button", name=f"{which} runs") for which in ("Older", "Newer"))
    expect(heads["third"]).to_be_visible()
    expect(newer).to_be_disabled()
    older.click()

    expect(heads["first"]).to_be_visible()
    expect(heads["second"]).to_have_count(0)
    expect(older).to_be_disabled()
    page.reload()
    expect(heads["first"]).to_be_visible()
    newer.click()
    expect(heads["second"]).to_be_visible()
    expect(heads["first"]).to_have_count(0)
    assert "before" not in _asked(page)


def test_keys_lead_through_grid_and_graph(page: Page, harbour: Deployment) -> None:
    """As in Airflow: g, Shift with arrows, Space, Shift with C, S and F; the sheet lists them."""
    page.goto(f"{DAG}?run=third&task=unload.lift")
    page.get_by_role("button", name="unload.lift in third: success").wait_for()
    page.locator("main").focus()
    page.keyboard.press("Shift+ArrowLeft")
    expect(page).to_have_url(re.compile("run=second"))
    page.keyboard.press("Shift+ArrowUp")
    expect(page).to_have_url(re.compile("task=unload.open_hold"))
    page.keyboard.press("Shift+ArrowUp")
    expect(page.get_by_role("button", name="unload in second: success")).to_be_focused()
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="unload.lift in third: success")).to_have_count(0)
    page.locator("main").focus()
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="unload.lift in third: success")).to_be_visible()

    page.get_by_role("region", name="Group unload").wait_for()
    for keys, title in (("C", "Clear"), ("S", "Mark success"), ("F", "Mark failed")):
        page.keyboard.press(f"Shift+{keys}")
        expect(page.get_by_role("dialog")).to_contain_text(re.compile(title, re.IGNORECASE))
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)

    page.keyboard.press("?")
    sheet = page.get_by_role("dialog", name="Keyboard shortcuts")
    for title in ("Show the graph", "Choose the older run", "Fold or unfold the group", "Mark failed"):
        expect(sheet).to_contain_text(title)
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    expect(page).to_have_url(re.compile("/dags/harbour/graph.*task_group=unload"))
    _box(page, "open_hold: success").wait_for()
    page.keyboard.press("g")
    expect(page).to_have_url(re.compile(r"/dags/harbour\?.*task_group=unload"))
    page.keyboard.press("g")
    page.keyboard.press("d")
    expect(page).to_have_url(re.compile("/dags$"))


def test_the_column_and_the_row_of_a_cell_stand_out(page: Page, harbour: Deployment) -> None:
    page.goto(DAG)
    cell = page.get_by_role("button", name="moor in second: success")
    cell.hover()

    line = page.locator("[class*=crosshair]")
    expect(line).to_be_visible()
    own, over = cell.bounding_box(), line.bounding_box()
    assert own
    assert over
    assert over["x"] <= own["x"]
    assert over["x"] + over["width"] >= own["x"] + own["width"]


@pytest.mark.parametrize("width", [1280, 700, 360])
def test_every_tab_can_be_reached_at_every_width(width: int, page: Page, harbour: Deployment) -> None:
    """Beside the grid there is little room: a button leads to the tabs out of sight, and the chosen one is in sight."""
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{DAG}?run=third&task=weigh")
    tabs = page.get_by_role("tablist", name="About the task").get_by_role("tab")
    tabs.first.wait_for()

    more = page.get_by_role("complementary").get_by_title("More tabs")
    line = tabs.first.locator("..")
    while line.evaluate(_LEFT_OUT) > 1:
        left_out = line.evaluate(_LEFT_OUT)
        more.click()
        until(lambda before=left_out: line.evaluate(_LEFT_OUT) < before, "the tabs to move")  # type: ignore[misc]
    expect(more).to_have_count(0)
    assert tabs.last.evaluate(_WITHIN)
    tabs.last.click()
    expect(page).to_have_url(re.compile("tab=details"))
    page.reload()
    expect(tabs.last).to_have_attribute("aria-selected", "true")
    assert tabs.last.evaluate(_WITHIN)
    assert violations(page) == []
