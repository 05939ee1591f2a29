"""The home that `tradewind standalone` makes (A8)."""

from pathlib import Path

import pytest

from tradewind.settings import load_settings
from tradewind.standalone.home import prepare_home

FOLDER = "TRADEWIND__CORE__DAGS_FOLDER"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRADEWIND_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_a_new_home_remembers_the_dags_folder_for_other_terminals(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path / "50% mine"))
    prepare_home(load_settings())

    monkeypatch.delenv(FOLDER)

    assert load_settings().dags_folder == tmp_path / "50% mine"


def test_a_home_that_is_there_is_left_alone(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = prepare_home(load_settings())
    monkeypatch.setenv(FOLDER, str(tmp_path / "another"))
    prepare_home(load_settings())

    monkeypatch.delenv(FOLDER)

    assert load_settings().dags_folder == home / "dags"
    assert load_settings().core.fernet_key == made.core.fernet_key
