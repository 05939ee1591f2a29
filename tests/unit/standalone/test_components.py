"""What the processes of a deployment share: each of them loads less, and takes less memory (A8)."""

import subprocess
import sys
from pathlib import Path

SCRIPT = """
import socket, sys
from pathlib import Path
from tradewind.cli.components import components
from tradewind.runtime.clock import SystemClock
from tradewind.settings import DatabaseSettings, Settings

settings = Settings(home=Path(sys.argv[1]), database=DatabaseSettings(sql_alchemy_conn="sqlite:///x.db"))
parts = components(settings, socket.socket(), SystemClock())
print([part.name for part in parts])
services = ("tradewind.telemetry.prometheus", "tradewind.triggerer.service", "tradewind.scheduler.service")
print([name for name in ("sqlite3.dbapi2", *services) if name not in sys.modules])
# Only the web server needs these, and only who makes the schema those.
print([name for name in ("fastapi", "pydantic", "alembic", "prometheus_client") if name in sys.modules])
"""


def test_what_all_of_them_need_is_loaded_before_they_part(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path)], capture_output=True, text=True, check=False, cwd=tmp_path
    )

    assert (done.stdout.splitlines(), done.stderr) == (
        ["['api-server', 'scheduler', 'dag-processor', 'triggerer', 'worker']", "[]", "[]"],
        "",
    )
