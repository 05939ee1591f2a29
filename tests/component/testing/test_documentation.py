"""The examples of docs/testing-your-dags.md work as they stand there."""

import re
from pathlib import Path

import pytest

from tests.component.testing.test_author_tools import run_tests

pytest_plugins = ["pytester"]

PAGE = Path(__file__).parents[3] / "docs" / "testing-your-dags.md"
EXAMPLE = re.compile(r"```python\n# (?P<file>\S+)\n(?P<source>.*?)```", re.DOTALL)
TEST = re.compile(r"^def test_", re.MULTILINE)


def test_every_example_runs(pytester: pytest.Pytester) -> None:
    text = PAGE.read_text(encoding="utf-8")
    examples = {found["file"]: found["source"] for found in EXAMPLE.finditer(text)}
    assert len(examples) == text.count("```python") == 4
    for file, source in examples.items():
        path = pytester.path / file
        path.parent.mkdir(exist_ok=True)
        path.write_text(source, encoding="utf-8")

    outcome = run_tests(pytester)

    outcome.assert_outcomes(passed=sum(len(TEST.findall(source)) for source in examples.values()))
