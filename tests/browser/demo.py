"""A deployment that looks as if people worked with it: for screenshots, and for whatever looks at every page."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from tests.acceptance.deployment import until
from tests.acceptance.standalone import Standalone, free_port, standing
from tests.browser.history import write_history
from tests.browser.plugin_files import serve_pages, write_plugins
from tests.web_server import web_server
from tradewind.bootstrap import wire
from tradewind.settings import load_settings

PASSWORD: Final = "a password of the tests"
EVIL: Final = '<img src="x" onerror="window.hacked=1">'
"""As in evil_dags/evil.py."""
_FOLDER: Final = Path(__file__).parent
_ASKED: Final[Sequence[tuple[str, str, dict[str, int]]]] = (
    ("train_model", "retrain_after_easter", {"epochs": 3}),
    ("release_shop", "release_4.12", {}),
    ("nightly_backup", "backup_before_move", {}),
    ("refresh_prices", "prices_of_the_day", {}),
    ("sales_report", "again_for_the_auditors", {}),
    ("ingest_events", "replayed", {}),
    ("daily_margins", "without_the_ledger", {}),
)
_POOLS: Final = (("warehouse", 12, "No more queries at once than the warehouse likes."), ("gpu", 2, "Training."))
_VARIABLES: Final = (
    ("currency", "EUR", "All reports are in it."),
    ("api_key", "hidden", "Of the exchange rates."),
    ("regions", '["eu", "us", "jp"]', "Where we sell."),
)
_CONNECTIONS: Final = (
    ("warehouse", "postgres", "db.shop.example", 5432, "Orders and customers."),
    ("exchange_rates", "http", "rates.example", 443, "Asked every morning."),
    ("backup", "ssh", "backup.example", 22, "Where dumps go."),
)
_ALERT: Final = "The warehouse moves on **Saturday**: pause what writes to it until then."
_USERS: Final = (("vera", "Vera", "Viewer"), ("olaf", "Olaf", "Op"))


@dataclass(frozen=True, slots=True)
class Demo:
    """Where it is, and what is in it."""

    standalone: Standalone
    gate: Path
    asset_id: int
    old_runs: Sequence[str]
    """Two of `sales_report` that are over."""
    has_evil: bool
    elsewhere: str
    """The server whose pages plugins show."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.standalone.port}"


def _write_alerts(folder: Path, texts: Sequence[str]) -> None:
    folder.mkdir(parents=True)
    alerts = ", ".join(f"UIAlert({text!r}, category='warning')" for text in texts)
    lines = ("from airflow.api_fastapi.common.types import UIAlert", f"DASHBOARD_UIALERTS = [{alerts}]")
    (folder / "airflow_local_settings.py").write_text("\n".join(lines))


@contextmanager
def demo(folder: Path, *, has_evil: bool) -> Iterator[Demo]:
    """One for as long as the block runs. `has_evil`: also with names that a careless page would run."""
    dags = folder / "dags"
    shutil.copytree(_FOLDER / "demo_dags", dags)
    if has_evil:
        shutil.copytree(_FOLDER / "evil_dags", dags, dirs_exist_ok=True)
    gate = folder / "gate"
    _write_alerts(folder / "home" / "config", [_ALERT, EVIL] if has_evil else [_ALERT])
    variables = {
        "TRADEWIND_ADMIN_PASSWORD": PASSWORD,
        "TRADEWIND__API__EXPOSE_CONFIG": "True",
        "DEMO_GATE": str(gate),
    }
    with (
        web_server() as web,
        standing(folder / "home", free_port(), dags_folder=dags, variables=variables) as standalone,
    ):
        elsewhere = serve_pages(web)
        write_plugins(folder / "home" / "plugins", elsewhere, has_evil=has_evil)
        assert standalone.log_in(PASSWORD) == 201
        asking = _Asking(standalone)
        asking.until_listed("/api/v2/dags", 10 if has_evil else 9)
        wiring = wire(load_settings(dict(standalone.environ)))
        try:
            write_history(wiring)
        finally:
            wiring.close()
        asking.fill(has_evil=has_evil)
        assets = asking.get("/api/v2/assets")["assets"]
        (asset_id,) = [each["id"] for each in assets if each["name"] == ("prices" if not has_evil else f"evil {EVIL}")]
        runs = asking.get("/api/v2/dags/sales_report/dagRuns?state=success&limit=2")["dag_runs"]
        yield Demo(standalone, gate, asset_id, [run["dag_run_id"] for run in runs], has_evil, elsewhere)


@dataclass(frozen=True, slots=True)
class _Asking:
    """What people would have done."""

    standalone: Standalone

    def get(self, path: str) -> Any:
        return self.ask("GET", path)

    def ask(self, method: str, path: str, body: object = None) -> Any:
        status, answer = self.standalone.ask(method, path, body)
        assert 200 <= status < 300, f"{method} {path}: {status} {answer}"
        return answer

    def until_listed(self, path: str, number: int) -> None:
        until(lambda: self.get(path)["total_entries"] >= number, f"{number} at {path}")

    def fill(self, *, has_evil: bool) -> None:
        self._administer(EVIL if has_evil else "")
        asked = [*_ASKED, *([("evil", "evil_1", {})] if has_evil else [])]
        for dag_id in {"publish_catalogue"} | {dag_id for dag_id, _, _ in asked}:
            self.ask("PATCH", f"/api/v2/dags/{dag_id}", {"is_paused": False})
        for dag_id, run_id, conf in asked:
            note = EVIL if dag_id == "evil" else "Asked for by hand: see the ticket." if conf else None
            body = {"dag_run_id": run_id, "conf": conf, "logical_date": None, "note": note}
            self.ask("POST", f"/api/v2/dags/{dag_id}/dagRuns", body)
        for dag_id in ("sales_report", "ingest_events"):
            self.ask("POST", f"/api/v2/dags/{dag_id}/favorite")
        self.until_listed("/api/v2/dags/~/dagRuns/~/hitlDetails", 2 if has_evil else 1)
        if has_evil:
            self._tell_evil()
        self._until_state("train_model", "retrain_after_easter", "train", "running")
        self._until_state("nightly_backup", "backup_before_move", "upload", "failed")
        self.until_listed("/api/v2/importErrors", 1)
        self._keep(EVIL if has_evil else "part 17 of 41")
        self.until_listed("/api/v2/dags/daily_margins/slots?state=waiting", 1)
        self.until_listed("/ui/dags/~/dagRuns/~/deadlines?missed=true", 1)

    def _tell_evil(self) -> None:
        """What people write about things that are there: notes of tasks, extras of events."""
        task = "/api/v2/dags/evil/dagRuns/evil_1/taskInstances/bash"
        self._until_state("evil", "evil_1", "bash", "success")
        self.ask("PATCH", task, {"note": f"Noted {EVIL}"})
        assets = self.get("/api/v2/assets?limit=100")["assets"]
        (asset_id,) = [each["id"] for each in assets if each["name"] == f"evil {EVIL}"]
        self.ask("POST", "/api/v2/assets/events", {"asset_id": asset_id, "extra": {"told": EVIL, EVIL: "told"}})

    def _keep(self, value: str) -> None:
        """What a task and an asset remember."""
        task = "/api/v2/dags/nightly_backup/dagRuns/backup_before_move/taskInstances/upload"
        self.ask("PUT", f"{task}/state-store/uploaded", {"value": {"last": value}})
        for asset in self.get("/api/v2/assets?limit=100")["assets"]:
            self.ask(
                "PUT", f"/api/v2/assets/{asset['id']}/state-store/rows", {"value": {"note": value, "seen": 12_480}}
            )

    def _administer(self, more: str) -> None:
        """`more` is put to every name that people choose."""
        for name, slots, what in _POOLS:
            self.ask("POST", "/api/v2/pools", {"name": name + more, "slots": slots, "description": what + more})
        for key, value, what in _VARIABLES:
            self.ask("POST", "/api/v2/variables", {"key": key + more, "value": value, "description": what + more})
        for name, kind, host, port, what in _CONNECTIONS:
            body = {"connection_id": name, "conn_type": kind, "host": host + more, "port": port, "login": "shop" + more}
            self.ask("POST", "/api/v2/connections", {**body, "description": what + more, "password": "hidden"})
        for name, first, role in _USERS:
            body = {
                "username": name,
                "first_name": first + more,
                "last_name": "Example",
                "email": f"{name}@example.com",
            }
            self.ask("POST", "/auth/users", {**body, "roles": [role], "password": PASSWORD})

    def _until_state(self, dag_id: str, run_id: str, task_id: str, state: str) -> None:
        path = f"/api/v2/dags/{dag_id}/dagRuns/{quote(run_id)}/taskInstances/{quote(task_id)}"
        until(lambda: self.get(path)["state"] == state, f"{task_id} to be {state}")
