"""Every page of the web application, with an address at which there is something to see."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from playwright.sync_api import Page

ROUTES: Final = "() => Object.keys(window.__TSR_ROUTER__.routesByPath)"
"""What the router of the application has."""


@dataclass(frozen=True, slots=True)
class Look:
    """One look at a page. Names in braces are those of `places`."""

    name: str
    """That of its picture."""
    address: str
    then: Callable[[Page], None] | None = None
    """What to do there first: open a dialog, say."""

    def at(self, places: Mapping[str, str]) -> str:
        """The address, filled in."""
        return self.address.format_map(places)


def _click(name: str) -> Callable[[Page], None]:
    return lambda page: page.get_by_role("main").get_by_role("button", name=name).first.click()


def _press(keys: str) -> Callable[[Page], None]:
    return lambda page: page.keyboard.press(keys)


def _choose_all_and(deed: str) -> Callable[[Page], None]:
    def do(page: Page) -> None:
        page.get_by_role("checkbox", name="Choose all DAGs that fit").click()
        _click(deed)(page)

    return do


_DAG: Final = "/dags/{dag}"
_RUN: Final = "/dags/{failed_dag}/runs/{failed_run}"
_TASK: Final = f"{_RUN}/tasks/{{failed_task}}"

LOOKS: Final[Mapping[str, Sequence[Look]]] = {
    "/": [Look("overview", "/"), Look("palette", "/", _press("Control+k")), Look("shortcuts", "/", _press("?"))],
    "/dags": [
        Look("dags", "/dags"),
        Look("dags-cards", "/dags?view=cards"),
        Look("delete-dags", "/dags", _choose_all_and("Delete…")),
    ],
    "/dags/$dagId": [
        Look("grid", f"{_DAG}?num=100"),
        Look("grid-filtered", f"{_DAG}?state=failed&num=100"),
        Look("grid-task", "/dags/{failed_dag}?run={failed_run}&task={failed_task}"),
        Look("group-in-run", "/dags/{group_dag}?run={run}&task_group={group}"),
        Look("trigger", "/dags/{params_dag}", _click("Trigger")),
    ],
    "/dags/$dagId/overview": [
        Look("dag-overview", f"{_DAG}/overview"),
        Look("dag-overview-waiting", "/dags/daily_margins/overview"),
    ],
    "/dags/$dagId/graph": [
        Look("graph", f"{_DAG}/graph?run={{run}}"),
        Look("graph-filtered", f"{_DAG}/graph?run={{run}}&operator=%40task&direction=down"),
        Look("graph-around", "/dags/{asset_dag}/graph?outside=true"),
    ],
    "/dags/$dagId/gantt": [Look("gantt", f"{_DAG}/gantt?run={{old_run}}")],
    "/dags/$dagId/calendar": [Look("calendar", f"{_DAG}/calendar")],
    "/dags/$dagId/runs": [Look("runs", f"{_DAG}/runs")],
    "/dags/$dagId/tasks": [Look("tasks", f"{_DAG}/tasks")],
    "/dags/$dagId/tasks/$taskId": [
        Look("task-in-all-runs", "/dags/{failed_dag}/tasks/{failed_task}"),
        Look("task-plugin", "/dags/{failed_dag}/tasks/{failed_task}?tab=plugin/quality"),
    ],
    "/dags/$dagId/tasks/group/$groupId": [Look("group-in-all-runs", "/dags/{group_dag}/tasks/group/{group}")],
    "/dags/$dagId/backfills": [Look("backfills", f"{_DAG}/backfills")],
    "/dags/$dagId/asset_events": [
        Look("dag-asset-events", "/dags/{asset_dag}/asset_events"),
        Look("dag-ticks", "/dags/daily_margins/asset_events"),
    ],
    "/dags/$dagId/events": [Look("dag-audit-log", f"{_DAG}/events")],
    "/dags/$dagId/code": [Look("code", f"{_DAG}/code")],
    "/dags/$dagId/details": [
        Look("details", f"{_DAG}/details"),
        Look("details-deadlines", "/dags/daily_margins/details"),
    ],
    "/dags/$dagId/compare": [Look("compare", f"{_DAG}/compare?left={{older_run}}&right={{old_run}}")],
    "/dags/$dagId/runs/$runId": [
        Look("run", "/dags/{dag}/runs/{run}"),
        Look("run-deadlines", "/dags/daily_margins/runs/without_the_ledger"),
        Look("delete-run", "/dags/{dag}/runs/{run}", _click("Delete…")),
        Look("run-plugin", "/dags/{dag}/runs/{run}?tab=plugin/costs"),
    ],
    "/dags/$dagId/runs/$runId/tasks/$taskId": [
        Look("task", _TASK),
        Look("clear", _TASK, _click("Clear")),
        Look("task-instance-plugin", f"{_TASK}?tab=plugin/traces"),
        Look("task-state-store", "/dags/nightly_backup/runs/backup_before_move/tasks/upload?tab=state_store"),
        Look("mapped", "/dags/{mapped_dag}/runs/{mapped_run}/tasks/{mapped_task}"),
        *(
            Look(
                f"task-{tab.replace('_', '-')}",
                f"/dags/{{mapped_dag}}/runs/{{mapped_run}}/tasks/{{mapped_task}}?map_index=0&tab={tab}",
            )
            for tab in ("rendered_templates", "xcom", "details", "attempts")
        ),
    ],
    "/dags/$dagId/plugin/$route": [Look("dag-plugin", f"{_DAG}/plugin/lineage")],
    "/dags/$dagId/tasks/$taskId/plugin/$route": [],
    "/dags/$dagId/runs/$runId/plugin/$route": [],
    "/dags/$dagId/runs/$runId/tasks/$taskId/plugin/$route": [],
    "/dags/$dagId/runs/$runId/tasks/$taskId/mapped/$mapIndex/plugin/$route": [],
    "/dags/$dagId/runs/$runId/$tab": [],
    "/dags/$dagId/runs/$runId/tasks/$taskId/$tab": [],
    "/dags/$dagId/runs/$runId/tasks/$taskId/mapped/$mapIndex": [],
    "/dags/$dagId/runs/$runId/tasks/$taskId/mapped/$mapIndex/$tab": [],
    "/required_actions": [Look("required-actions", "/required_actions")],
    "/assets": [Look("assets", "/assets")],
    "/assets/$assetId": [Look("asset", "/assets/{asset}")],
    "/dag_runs": [Look("all-runs", "/dag_runs")],
    "/task_instances": [Look("task-instances", "/task_instances")],
    "/xcoms": [Look("xcoms", "/xcoms")],
    "/slots": [Look("waiting-for-assets", "/slots")],
    "/deadlines": [Look("deadlines", "/deadlines"), Look("deadlines-missed", "/deadlines?which=missed")],
    "/triggers": [Look("triggers", "/triggers")],
    "/events": [Look("audit-log", "/events")],
    "/import_errors": [Look("import-errors", "/import_errors")],
    "/warnings": [Look("warnings", "/warnings")],
    "/pools": [Look("pools", "/pools")],
    "/variables": [Look("variables", "/variables")],
    "/connections": [
        Look("connections", "/connections"),
        Look("connection", "/connections", _click("Add a connection")),
    ],
    "/jobs": [Look("processes", "/jobs")],
    "/providers": [Look("providers", "/providers")],
    "/plugins": [Look("plugins", "/plugins")],
    "/configs": [Look("configuration", "/configs")],
    "/users": [Look("users", "/users")],
    "/roles": [Look("roles", "/roles")],
    "/account": [Look("account", "/account")],
    "/plugin/$route": [Look("plugin", "/plugin/stock")],
    "/security/$page": [],
}
"""By the path of the router. Without a look: leads to another page."""


def looks() -> list[Look]:
    """All of them."""
    return [look for each in LOOKS.values() for look in each]


def places(*, asset_id: int, old_runs: Sequence[str], has_evil: bool) -> dict[str, str]:
    """What the addresses are about."""
    if has_evil:
        names = "dag=evil run=evil_1 old_run=evil_1 older_run=evil_1 failed_dag=evil failed_run=evil_1"
        names += (
            " failed_task=bash params_dag=evil asset_dag=evil mapped_dag=evil mapped_run=evil_1 mapped_task=within.say"
            " group_dag=evil group=within"
        )
    else:
        names = "dag=sales_report run=again_for_the_auditors failed_dag=nightly_backup failed_run=backup_before_move"
        names += " failed_task=upload params_dag=train_model asset_dag=refresh_prices"
        names += " mapped_dag=ingest_events mapped_run=replayed mapped_task=load group_dag=sales_report group=transform"
    older, old = map(quote, old_runs)
    found = {"asset": str(asset_id), "old_run": old, "older_run": older}
    return found | dict(each.split("=") for each in names.split())
