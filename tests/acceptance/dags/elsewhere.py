"""Functions that run in other Python environments."""

import os
import sys
from pathlib import Path

from airflow.sdk import DAG, task

FOLDER = Path(os.environ.get("ACCEPTANCE_FOLDER", "/nonexistent"))
BUILT = {
    "requirements": ["tidewater==1.0"],
    "system_site_packages": False,
    "pip_install_options": ["--find-links", str(FOLDER / "wheels")],
    "index_urls": [],
}


def version_and_place() -> list:
    import sys

    import tidewater

    return [tidewater.VERSION, sys.prefix]


with DAG("elsewhere", schedule=None):
    fresh = task.virtualenv(task_id="fresh", **BUILT)(version_and_place)()
    first = task.virtualenv(task_id="cached", venv_cache_path=str(FOLDER / "cache"), **BUILT)(version_and_place)()
    again = task.virtualenv(task_id="cached_again", venv_cache_path=str(FOLDER / "cache"), **BUILT)(version_and_place)()
    first >> again

    @task.external_python(python=sys.executable)
    def other_python(number: int) -> int:
        return number + 1

    @task.branch_virtualenv(venv_cache_path=str(FOLDER / "cache"), **BUILT)
    def chooses() -> str:
        import tidewater

        return f"version_{tidewater.VERSION[0]}"

    @task
    def version_1() -> None:
        pass

    @task
    def version_2() -> None:
        pass

    @task.virtualenv(requirements=["there-is-no-such-package==1"], pip_install_options=["--no-index"], index_urls=[])
    def cannot_be_built() -> None:
        pass

    @task.virtualenv(venv_cache_path=str(FOLDER / "cache"), **BUILT)
    def raises() -> None:
        raise ValueError("as it should")

    @task.virtualenv(venv_cache_path=str(FOLDER / "cache"), skip_on_exit_code=7, **BUILT)
    def skips() -> None:
        raise SystemExit(7)

    other_python(41)
    again >> chooses() >> [version_1(), version_2()]
    cannot_be_built()
    again >> raises()
    again >> skips()
