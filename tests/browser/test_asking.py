"""What the pages ask people for: params of runs, and answers to tasks (A8)."""

import re

from playwright.sync_api import Page, expect

from tests.acceptance.deployment import until
from tests.browser.axe import violations
from tests.browser.conftest import Deployment
from tests.browser.typing_json import type_json

HACKED = re.compile("hacked")


def test_a_form_is_made_of_the_params_of_a_dag(page: Page, deployment: Deployment) -> None:
    """Each type has its field; what is wrong is said beside it; the JSON shows the same values."""
    page.goto("/dags/form")
    page.get_by_role("button", name="Trigger").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator("label").first).to_have_text("plain")
    dialog.get_by_label("age").fill("200")
    dialog.get_by_role("button", name="Trigger", exact=True).click()
    expect(dialog.get_by_text("This is required")).to_be_visible()
    expect(dialog.get_by_text("This must be 128 or less")).to_be_visible()
    expect(dialog.get_by_text("2 fields need other values")).to_be_visible()

    dialog.get_by_label("age").fill("43")
    dialog.get_by_label("Your name").fill("Ann")
    dialog.get_by_label("fine").uncheck()
    dialog.get_by_label("day").fill("2026-02-03")
    dialog.get_by_label("one", exact=True).select_option("Alpha")
    dialog.get_by_label("z", exact=True).check()
    dialog.get_by_label("numbers").fill("3\n4")
    dialog.get_by_label("either").fill("all")
    dialog.get_by_role("tab", name="JSON").click()
    editor = dialog.get_by_label("Configuration (JSON)")
    expect(editor).to_contain_text('"name": "Ann"')
    text = editor.inner_text()
    assert violations(page) == []
    assert page.locator('img[src="x"]').count() == 0
    expect(page).not_to_have_title(HACKED)

    type_json(page, "Configuration (JSON)", text.replace('"Ann"', '"Anna"'))
    dialog.get_by_role("tab", name="Form").click()
    expect(dialog.get_by_label("Your name")).to_have_value("Anna")
    dialog.get_by_text("The run", exact=True).click()
    dialog.get_by_label("Run id").fill("by_form")
    dialog.get_by_label("Logical date").fill("2026-01-31T12:00:00")
    dialog.get_by_label("Data interval from").fill("2026-01-30T12:00:00")
    dialog.get_by_role("button", name="Trigger", exact=True).click()
    expect(dialog.get_by_role("alert")).to_have_text("The data interval needs a beginning and an end")
    dialog.get_by_label("to", exact=True).fill("2026-01-31T06:00:00")
    dialog.get_by_role("button", name="Trigger", exact=True).click()
    expect(page).to_have_url(re.compile("run=by"))

    run = deployment.ask("GET", "/api/v2/dags/form/dagRuns/by_form")
    assert run["logical_date"] is not None
    assert (run["data_interval_start"], run["data_interval_end"]) == ("2026-01-30T12:00:00Z", "2026-01-31T06:00:00Z")
    wanted = {"name": "Anna", "age": 43, "fine": False, "day": "2026-02-03", "one": "a", "some": ["x", "z"]}
    assert (
        run["conf"].items() >= {**wanted, "numbers": [3, 4], "either": "all", "fixed": "always", "clock": None}.items()
    )


def test_a_paused_dag_is_unpaused_with_its_run(page: Page, deployment: Deployment) -> None:
    """Why a run waits is said, with the way out of it."""
    deployment.ask("PATCH", "/api/v2/dags/fragile", {"is_paused": True})
    deployment.ask("POST", "/api/v2/dags/fragile/dagRuns", {"logical_date": None, "dag_run_id": "held"})
    page.goto("/dags/fragile/runs/held")
    why = page.get_by_role("region", name="Why?")
    expect(why).to_contain_text("The DAG is paused")
    why.get_by_role("button", name="Unpause it").click()
    expect(why).to_have_count(0)

    deployment.ask("PATCH", "/api/v2/dags/fragile", {"is_paused": True})
    page.goto("/dags/fragile")
    page.get_by_role("button", name="Trigger").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Unpause fragile")).to_be_checked()
    dialog.get_by_role("button", name="Trigger", exact=True).click()
    expect(page.get_by_role("switch", name="Pause fragile")).to_be_visible()


def test_people_answer_what_tasks_ask(page: Page, deployment: Deployment) -> None:
    """The page lists it, the navigation counts it, the task's page has the form, and a link fills it in."""
    deployment.ask("POST", "/api/v2/dags/asking/dagRuns", {"logical_date": None, "dag_run_id": "asked"})
    page.goto("/required_actions")
    answer = page.get_by_role("button", name="Answer Which ones?")
    expect(answer).to_be_visible()
    expect(page.get_by_text("Ship it? <img")).to_be_visible()
    expect(page.get_by_role("navigation").get_by_title("2 required actions")).to_be_visible()
    answer.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("red").check()
    dialog.get_by_label("green").check()
    dialog.get_by_role("button", name="Answer").click()
    expect(dialog).to_have_count(0)
    expect(answer).to_have_count(0)

    page.goto(
        "/dags/asking/runs/asked/tasks/approve/required_actions?map_index=-1&_options=%5B%27Approve%27%5D&reason=x"
    )
    expect(page.get_by_text("Much", exact=True)).to_be_visible()
    assert page.locator('img[src="x"]').count() + page.locator('a[href^="javascript"]').count() == 0
    expect(page.get_by_label("Reason")).to_have_value("x")
    assert violations(page) == []
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_text("At least 2 characters, not 1")).to_be_visible()
    page.get_by_label("Reason").fill("fine")
    page.get_by_role("button", name="Approve").click()

    run = "/api/v2/dags/asking/dagRuns/asked"
    until(lambda: deployment.ask("GET", run)["state"] == "success", "both tasks to go on")
    details = deployment.ask("GET", f"{run}/taskInstances/approve/-1/hitlDetails")
    assert (details["chosen_options"], details["params_input"]) == (["Approve"], {"reason": "fine"})
    expect(page.get_by_text("Approve", exact=True)).to_be_visible()
    expect(page).not_to_have_title(HACKED)
    page.goto("/required_actions?show=answered")
    expect(page.get_by_text("red, green (admin)")).to_be_visible()
