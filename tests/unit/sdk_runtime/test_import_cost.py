"""What DAG files need must not bring what only running tasks need (A5)."""

import subprocess
import sys

# What core modules of the SDK import, and what must not come with it.
CHEAP = ["template", "context", "log", "notifier", "operator_link", "resumable_job", "stats", "module_loading"]
COSTLY = ["jinja2", "pendulum", "yaml", "fsspec", "upath", "asyncio", "importlib.metadata", "tradewind.sdk.runtime"]


def test_modules_that_dag_files_need_load_nothing_costly() -> None:
    imports = ", ".join(f"tradewind.sdk.{module}" for module in CHEAP)
    code = f"import sys, {imports}; print([name for name in {COSTLY!r} if name in sys.modules])"

    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert result.stdout.strip() == "[]"
