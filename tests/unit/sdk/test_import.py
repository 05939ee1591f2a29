"""What importing the SDK costs."""

import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

import tradewind.sdk

LOADED = dedent(
    """
    import sys
    before = set(sys.modules)
    {code}
    loaded = {{name.partition(".")[0] for name in set(sys.modules) - before}}
    others = loaded - set(sys.stdlib_module_names) - {{"tradewind"}}
    print(*sorted(name for name in others if not name.startswith("_sysconfigdata")))
    """
)


def third_party_modules(code: str) -> list[str]:
    program = [sys.executable, "-c", LOADED.format(code=code)]
    return subprocess.run(program, check=True, capture_output=True, text=True).stdout.split()


@pytest.mark.parametrize(
    "code",
    [
        "from tradewind.sdk import dag, task",
        "from tradewind.sdk import DAG, BaseOperator, TaskGroup, chain, Label, Asset, TriggerRule, get_current_context",
        "from tradewind.sdk import DAG, task\nwith DAG('d', schedule='@daily', params={'a': 1}): task(print)()",
    ],
)
def test_reading_a_plain_dag_file_loads_nothing_but_the_standard_library(code: str) -> None:
    """D6: no third-party web, database or server module; in fact none at all."""
    assert third_party_modules(code) == []


def test_every_name_of_airflow_sdk_is_there() -> None:
    """D2: all 98 names of `airflow.sdk.__all__`, and one of Airflow 3.4."""
    assert len(tradewind.sdk.__all__) == 99
    missing = [name for name in tradewind.sdk.__all__ if not hasattr(tradewind.sdk, name)]
    assert missing == []


def test_editors_see_what_python_finds() -> None:
    source = Path(tradewind.sdk.__file__).read_text(encoding="utf-8")
    pairs = set(re.findall(r"^    from tradewind\.sdk\.([\w.]+) import (\w+) as \2$", source, re.MULTILINE))

    assert pairs == {(module, name) for name, module in tradewind.sdk._HOME.items()}


def test_unknown_name_is_named() -> None:
    with pytest.raises(AttributeError, match=r"tradewind\.sdk has no 'Dagg'"):
        tradewind.sdk.Dagg  # noqa: B018 - the attribute is the test
