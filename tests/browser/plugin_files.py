"""Plugins for the pages: their files, and the pages of another server that they show."""

from pathlib import Path
from typing import Final

from tests.web_server import WebServer

_HTML: Final = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Elsewhere</title><style>
body { font: 15px system-ui; margin: 2rem; color: #18212c; background: #fff } td { padding: .25rem 1.5rem .25rem 0 }
</style></head><body><h1>Stock levels</h1><p id="where"></p><table><tr><td>Teapots</td><td>412</td></tr>
<tr><td>Cups</td><td>1,980</td></tr><tr><td>Kettles</td><td>37</td></tr></table>
<script>const page = location.pathname.split("/")[1];
if (page !== "stock") document.querySelector("h1").textContent = page[0].toUpperCase() + page.slice(1);
document.getElementById("where").textContent = decodeURIComponent(location.pathname + location.search)</script>
</body></html>"""
_ICON: Final = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#0b7f5c"/>'
    '<path d="M4 11V8m4 3V5m4 6V7" stroke="#fff" stroke-width="2"/></svg>'
)
_SHOP: Final = """
from airflow.plugins_manager import AirflowPlugin

HOST = "{url}"
ICON = "/shop/icon.svg"


class ShopTools(AirflowPlugin):
    name = "shop_tools"
    external_views = [
        {{"name": "Stock levels", "href": f"{{HOST}}/stock", "url_route": "stock", "category": "Shop", "icon": ICON}},
        {{"name": "Handbook", "href": "https://handbook.example.org/", "category": "docs"}},
        {{"name": "Lineage", "href": HOST + "/lineage/{{DAG_ID}}", "url_route": "lineage", "destination": "dag"}},
        {{"name": "Costs", "href": HOST + "/costs/{{DAG_ID}}/{{RUN_ID}}", "url_route": "costs",
         "destination": "dag_run"}},
        {{"name": "Quality", "href": HOST + "/quality/{{DAG_ID}}/{{TASK_ID}}", "url_route": "quality",
         "destination": "task"}},
        {{"name": "Traces", "href": HOST + "/traces/{{DAG_ID}}/{{RUN_ID}}/{{TASK_ID}}/{{MAP_INDEX}}", "icon": ICON,
         "url_route": "traces", "destination": "task_instance"}},
    ]
    appbuilder_menu_items = [{{"name": "Old wiki", "href": "https://wiki.example.org"}}]
"""
_EVIL: Final = """
from airflow.plugins_manager import AirflowPlugin

EVIL = '<img src="x" onerror="window.hacked=1">'


class Evil(AirflowPlugin):
    name = "evil " + EVIL
    external_views = [
        {"name": "Script " + EVIL, "href": "javascript:window.hacked=1", "destination": "dag"},
        {"name": "Broken " + EVIL, "href": "java\\tscript:window.hacked=1"},
        {"name": "Link " + EVIL, "href": "https://example.org/" + "x" * 80, "category": "cat " + EVIL},
        {"name": "Link " + EVIL, "href": "https://example.org/{DAG_ID}", "destination": "dag"},
        {"name": "Link " + EVIL, "href": "https://example.org/{TASK_ID}", "destination": "task_instance"},
    ]
"""


def serve_pages(web: WebServer) -> str:
    """What is shown in frames; where. By another name than ours: for cookies, another port is the same server."""
    web.answer = _HTML
    web.answer_headers["Content-Type"] = "text/html; charset=utf-8"
    return f"http://localhost:{web.port}"


def write_plugins(folder: Path, url: str, *, has_evil: bool) -> None:
    """Into the plugins folder; `url`: the other server."""
    (folder / "static" / "shop").mkdir(parents=True)
    (folder / "shop_tools.py").write_text(_SHOP.format(url=url), encoding="utf-8")
    (folder / "static" / "shop" / "icon.svg").write_text(_ICON, encoding="utf-8")
    if has_evil:
        (folder / "evil.py").write_text(_EVIL, encoding="utf-8")
