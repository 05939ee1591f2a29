"""What is wrong with a configuration is named, option by option (D6)."""

import ast
import re
from pathlib import Path

import pytest

import tradewind
from tradewind.settings import option_sources
from tradewind.settings.lint import Finding, Kind, lint
from tradewind.settings.shown import own_options
from tradewind.settings.used_elsewhere import USED_ELSEWHERE


def linted(tmp_path: Path, file: str = "", **environ: str) -> list[Finding]:
    (tmp_path / "tradewind.cfg").write_text(file, encoding="utf-8")
    return lint(option_sources({"TRADEWIND_HOME": str(tmp_path), **environ}))


@pytest.mark.parametrize(
    ("name", "value", "kind", "text"),
    [
        ("CORE__PARALLELISM", "many", Kind.WRONG_VALUE, "'many' cannot be used; expected a whole number of at least 1"),
        ("CORE__FERNET_KEY_CMD", "false", Kind.WRONG_VALUE, "ended with exit code 1"),
        ("CORE__NO_SUCH", "1", Kind.UNKNOWN, "there is no such option"),
        ("NO_SUCH__OPTION", "1", Kind.UNKNOWN, r"there is no section [no_such]"),
        ("CORE__TASK_RUNNER", "x", Kind.REMOVED, "Airflow 3 has no such option any more"),
        ("WEBSERVER__WORKERS", "2", Kind.RENAMED, "it is called [api] workers now; the old name is still read"),
        (
            "CORE__DAG_CONCURRENCY",
            "2",
            Kind.RENAMED,
            "it is called [core] max_active_tasks_per_dag now; the old name is",
        ),
        ("API__THEME", '{"icon": "x:y"}', Kind.WRONG_VALUE, "it is not used: icon: the address begins with x"),
        ("SECRETS__USE_CACHE", "True", Kind.UNUSED, "Tradewind does not use it"),
        ("DATABASE__MAX_DB_RETRIES", "9", Kind.UNUSED, "Tradewind does not use it"),
    ],
)
def test_each_kind_is_found(tmp_path: Path, name: str, value: str, kind: Kind, text: str) -> None:
    (finding,) = linted(tmp_path, **{f"AIRFLOW__{name}": value})

    assert (finding.kind, finding.place) == (kind, f"AIRFLOW__{name}")
    assert text in finding.text
    assert finding.is_problem is (kind is not Kind.UNUSED)


def test_what_is_right_or_says_nothing_new_is_not_named(tmp_path: Path) -> None:
    file = "[core]\nparallelism = 3\n[secrets]\nuse_cache = False\n[common.io]\nxcom_objectstorage_path = file:///x\n"

    assert linted(tmp_path, file, TRADEWIND__COMMON_IO__XCOM_OBJECTSTORAGE_THRESHOLD="7") == []


def test_a_value_that_loses_to_another_does_no_harm(tmp_path: Path) -> None:
    assert linted(tmp_path, "[core]\nparallelism = x\n", AIRFLOW__CORE__PARALLELISM="3") == []


def test_a_secret_that_cannot_be_used_is_not_shown(tmp_path: Path) -> None:
    (finding,) = linted(tmp_path, "[database]\nsql_alchemy_conn = hunter2\n")

    assert finding.kind is Kind.WRONG_VALUE
    assert "hunter2" not in finding.text


def test_every_option_that_user_code_is_read_for_is_known_as_used() -> None:
    """A word of `conf.get("section", "key")` somewhere in the sources is an option that has an effect."""
    asked = {pair for path in Path(tradewind.__file__).parent.rglob("*.py") for pair in _asked_in(path)}

    assert asked - USED_ELSEWHERE - own_options().keys() == set()


def test_every_option_that_services_read_has_an_effect() -> None:
    """One that is read and asked for by nobody would be called used, by a lint that is there to tell (D6)."""
    root = Path(tradewind.__file__).parent
    sources = [path.read_text(encoding="utf-8") for path in root.rglob("*.py") if path.parent.name != "configuration"]
    attributes = {name for text in sources for name in re.findall(r"\.(\w+)\b", text)}
    named = {pair for text in sources for pair in re.findall(r'(?="(\w+)",\s+"(\w+)")', text)}

    idle = {(section, key) for section, key in own_options() if key not in attributes and (section, key) not in named}

    assert idle == set()


def _asked_in(path: Path) -> set[tuple[str, str]]:
    pairs = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="conf")),
                args=[ast.Constant(value=str() as section), ast.Constant(value=str() as key), *_],
            ):
                pairs.add((section, key))
            case _:
                pass
    return pairs
