"""Several DAGs are changed at once from their list (A8, D4)."""

import re
from typing import Any

from playwright.sync_api import Page, expect

from tests.acceptance.deployment import until
from tests.browser.conftest import Deployment


def _choose(page: Page, *dag_ids: str) -> None:
    for dag_id in dag_ids:
        page.get_by_role("checkbox", name=f"Choose {dag_id}", exact=True).check()
    words = "1 DAG chosen" if len(dag_ids) == 1 else f"{len(dag_ids)} DAGs chosen"
    expect(page.get_by_role("toolbar", name="Chosen DAGs").get_by_role("status")).to_have_text(words)


def _ask(page: Page, deed: str) -> Any:
    page.get_by_role("toolbar", name="Chosen DAGs").get_by_role("button", name=f"{deed}…", exact=True).click()
    return page.get_by_role("dialog").get_by_role("list", name="Affected DAGs").get_by_role("listitem")


def _do(page: Page, deed: str | re.Pattern[str]) -> None:
    page.get_by_role("dialog").get_by_role("button", name=deed).click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("toolbar", name="Chosen DAGs")).to_have_count(0)


def _states(deployment: Deployment, dag_id: str) -> list[str]:
    runs = deployment.ask("GET", f"/api/v2/dags/{dag_id}/dagRuns")["dag_runs"]
    return [run["state"] for run in runs]


def test_those_that_are_not_so_already_are_paused_and_unpaused(page: Page) -> None:
    _choose(page, "brew", "drink")
    affected = _ask(page, "Pause")
    expect(affected).to_have_text(["brew", "drink"])
    _do(page, "Pause 2 DAGs")
    expect(page.get_by_role("switch", name="Unpause brew")).to_be_visible()
    expect(page.get_by_role("switch", name="Unpause drink")).to_be_visible()

    _choose(page, "brew", "drink", "fragile")
    affected = _ask(page, "Unpause")
    expect(affected).to_have_text(["brew", "drink"])
    page.get_by_text("1 DAG stays as it is").click()
    expect(page.get_by_text("fragile: It is not paused.")).to_be_visible()
    _do(page, "Unpause 2 DAGs")
    expect(page.get_by_role("switch", name="Pause drink")).to_be_visible()


def test_they_are_triggered_and_their_failures_cleared(page: Page, deployment: Deployment) -> None:
    _choose(page, "fragile", "brew")
    _ask(page, "Trigger")
    _do(page, "Trigger 2 DAGs")
    until(lambda: _states(deployment, "fragile") == ["failed"], "the run to fail")
    assert _states(deployment, "brew")

    page.get_by_role("checkbox", name="Choose all DAGs that fit").click()
    affected = _ask(page, "Clear failed")
    expect(affected).to_have_count(1)
    expect(affected).to_contain_text("1 run: fail_once, follow")
    deployment.gate.with_name("mended").touch()
    _do(page, "Clear 2 tasks of 1 run")
    until(lambda: _states(deployment, "fragile") == ["success"], "the run to end well")

    _choose(page, "fragile")
    expect(_ask(page, "Clear failed")).to_have_count(0)
    expect(page.get_by_text("None of them has a failed run.")).to_be_visible()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="None", exact=True).click()
    expect(page.get_by_role("checkbox", name="Choose all DAGs that fit")).to_be_visible()


def test_they_are_deleted_after_it_is_said_what_goes_with_them(page: Page, deployment: Deployment) -> None:
    """Nothing that goes on is deleted: first its run has to be over."""
    deployment.ask("POST", "/api/v2/dags/said/dagRuns", {"logical_date": None, "dag_run_id": "last"})
    until(lambda: _states(deployment, "said") == ["success"], "the run to end")
    _choose(page, "said")
    affected = _ask(page, "Delete")
    expect(affected).to_contain_text("1 run")
    _do(page, "Delete 1 DAG with 1 run")

    status, _ = deployment.standalone.ask("GET", "/api/v2/dags/said/dagRuns/last")
    assert status == 404
