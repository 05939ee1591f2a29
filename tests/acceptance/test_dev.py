"""`tradewind dev`: a folder of DAG files, running while they are being written (A8, B6)."""

import stat
from pathlib import Path
from typing import Final

from tests.acceptance.deployment import until
from tests.acceptance.standalone import free_port, started_by

FILE: Final = """
from tradewind.sdk import dag, task

@dag(schedule=None)
def draft():
    @task
    def write():
        print("{text}")

    write()

draft()
"""


def make_browser(folder: Path) -> Path:
    """A program that writes down what it is to show."""
    program = folder / "browser"
    program.write_text(f'#!/bin/sh\necho "$1" > {folder}/shown\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


def test_dags_run_while_they_are_written(tmp_path: Path) -> None:
    """Without a login or a pause; the browser opens; what is saved is read; tasks speak here; nothing is kept."""
    folder, kept, port = tmp_path / "dags", tmp_path / "kept", free_port()
    for each in (folder, kept):
        each.mkdir()
    (folder / "draft.py").write_text(FILE.format(text="first words"))
    variables = {"BROWSER": f"{make_browser(tmp_path)} %s", "DISPLAY": ":0", "TMPDIR": str(kept)}

    with started_by(("dev", str(folder), "--port", str(port)), tmp_path / "home", port, variables) as made:
        until((tmp_path / "shown").exists, "the browser to be opened")
        assert (tmp_path / "shown").read_text() == f"http://127.0.0.1:{port}\n"
        made.token = made.ask("GET", "/auth/token")[1]["access_token"]
        made.until("read: draft")
        (folder / "draft.py").write_text(FILE.format(text="better words"))
        until(lambda: made.said.count("read: draft") == 2, "the file to be read again")
        made.ask("POST", "/api/v2/dags/draft/dagRuns", {"logical_date": None})

        made.until("draft.write INFO: better words")
        assert [each.name for each in kept.iterdir() if each.name.startswith("tradewind-dev-")] != []

    assert [each.name for each in kept.iterdir() if each.name.startswith("tradewind-dev-")] == []
