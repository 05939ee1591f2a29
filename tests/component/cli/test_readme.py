"""What README.md promises under "Start" is true, word by word (A1)."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.deployment import until
from tests.acceptance.standalone import COMMAND, Standalone, free_port, standing

ROOT = Path(__file__).parents[3]
PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)
SHELL = re.compile(r"```sh\n(.*?)```", re.DOTALL)
START = (ROOT / "README.md").read_text(encoding="utf-8").partition("## The parts")[0]


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standalone]:
    """As `make run` starts it, at another port and in another home."""
    folder = tmp_path_factory.mktemp("readme")
    with standing(folder / "home", free_port(), dags_folder=ROOT / "examples") as made:
        yield made


def test_make_run_starts_standalone_with_the_examples() -> None:
    said = subprocess.run(
        ["make", "--no-print-directory", "--dry-run", "--old-file=.venv/.installed", "run"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )

    assert said.stdout.split("\n")[-2] == ".venv/bin/tradewind standalone --home .tradewind --dags-folder examples"


def test_the_quick_start_does_what_it_says(started: Standalone) -> None:
    _make, use, *_ = SHELL.findall(START)
    _export, *lines = use.splitlines()
    until(lambda: "hello" in started.command("dags", "list"), "the DAG to be read")

    shown = [started.command(*line.split()[1:]) for line in lines]

    assert "first" in shown[1]
    assert "hello world" in shown[-1]
    until(lambda: started.command("dags", "state", "hello", "first") == "success\n", "the run to succeed")


def test_the_dag_of_the_readme_runs_in_memory(tmp_path: Path) -> None:
    file = tmp_path / "hello.py"
    file.write_text(PYTHON.findall(START)[0].rstrip() + ".test()\n", encoding="utf-8")

    subprocess.run([COMMAND[0], str(file)], check=True, capture_output=True, timeout=60)


def test_the_examples_give_nothing_to_warn_of() -> None:
    said = subprocess.run(
        [*COMMAND, "dags", "lint", "--strict", str(ROOT / "examples")], capture_output=True, text=True, check=False
    )

    assert (said.returncode, said.stdout) == (0, "")
