"""Whatever a configuration file says, a command works or says in one line what is wrong with it (D7)."""

import contextlib
import io
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tradewind.cli.main import NOT_UNDERSTOOD, main

OPTIONS: Final = (
    *("core.parallelism", "core.dags_folder", "core.executor", "core.fernet_key", "core.default_timezone"),
    *("database.sql_alchemy_conn", "scheduler.job_heartbeat_sec", "api.port", "api.maximum_page_limit"),
    *("dag_processor.dag_bundle_config_list", "logging.logging_level", "logging.base_log_folder", "smtp.smtp_port"),
)
ODD: Final = (
    "",
    "-1",
    "0",
    "1e9",
    "nan",
    "9" * 30,
    "{}",
    "[1]",
    '{"a":',
    "%(x)s",
    "%",
    "\u202e",
    "\u00e9",
    "../..",
    "\t",
)
"""Values that options of some kind or other cannot take."""

texts = st.one_of(st.sampled_from(ODD), st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=30))
option_lines = st.tuples(st.sampled_from(OPTIONS), texts).map(lambda pair: _line(*pair))
files = st.one_of(
    st.lists(st.one_of(option_lines, texts, texts.map(lambda text: f"[{text}]")), max_size=6)
    .map("\n".join)
    .map(str.encode),
    st.binary(max_size=60),
)


def _line(option: str, value: str) -> str:
    section, _, key = option.partition(".")
    return f"[{section}]\n{key} = {value}"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRADEWIND_HOME", str(tmp_path))
    return tmp_path


COMMANDS: Final = {
    ("info",): {0, NOT_UNDERSTOOD},
    ("config", "list"): {0, NOT_UNDERSTOOD},
    ("config", "lint"): {0, 1, NOT_UNDERSTOOD},
    ("jobs", "check"): {1, NOT_UNDERSTOOD},
}
"""How they may end: no service runs, and only some options are looked at by each."""


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=files, words=st.sampled_from(sorted(COMMANDS)))
def test_a_command_works_or_says_in_one_line_what_is_wrong(home: Path, content: bytes, words: tuple[str, ...]) -> None:
    (home / "tradewind.cfg").write_bytes(content)

    code, said = run(words)

    assert code in COMMANDS[words], said
    assert not said.startswith("tradewind: unexpected"), said
    assert "Traceback" not in said
    assert said.count("\n") <= 1 or words == ("config", "lint"), said


def run(words: tuple[str, ...]) -> tuple[int, str]:
    """The exit code, and what was said to the terminal about what went wrong."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as errors:
        code = main(list(words))
    return code, errors.getvalue()
