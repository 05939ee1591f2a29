"""The tutorial works when it is followed word by word (A1)."""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.acceptance.deployment import PATIENCE_S, until
from tests.acceptance.standalone import free_port, standing

TUTORIAL = (Path(__file__).parents[3] / "docs" / "first-dag.md").read_text(encoding="utf-8")


def test_the_first_dag_is_tried_checked_and_run(tmp_path: Path) -> None:
    _install, try_it, check_it, start, use = re.findall(r"```sh\n(.*?)```", TUTORIAL, re.DOTALL)
    assert start == "tradewind standalone --dags-folder dags\n"
    (dag,) = re.findall(r"```python\n(.*?)```", TUTORIAL, re.DOTALL)
    (tmp_path / "dags").mkdir()
    (tmp_path / "dags" / "weather.py").write_text(dag, encoding="utf-8")

    assert typed(try_it, tmp_path) == "success\n"
    assert typed(check_it, tmp_path) == ""
    with standing(tmp_path / "home", free_port(), dags_folder=tmp_path / "dags") as started:
        until(lambda: "weather" in started.command("dags", "list"), "the DAG to be read")
        _export, *commands = use.splitlines()
        shown = [started.command(*command.split()[1:]) for command in commands]

    assert "mean temperature: 11.0" in shown[3]
    assert shown[4].count("success") == 3


def typed(lines: str, folder: Path) -> str:
    """What these lines print at a terminal in this folder."""
    programs = Path(sys.executable).parent
    environ = {
        **os.environ,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "TRADEWIND_HOME": str(folder / "home"),
    }
    done = subprocess.run(
        ["bash", "-ec", lines], cwd=folder, env=environ, capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
