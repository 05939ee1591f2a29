"""Which secrets backends are asked, as the configuration says (D3)."""

import json
from pathlib import Path

import pytest

from tradewind.errors import SettingsError
from tradewind.secrets.backends import BackendChoice, make_chain

FILES = "tradewind.sdk.secrets_backend.LocalFilesystemBackend"


def nobody(option: str = "[secrets] backend") -> BackendChoice:
    return BackendChoice(option, "", "")


def files(folder: Path, name: str, option: str = "[secrets] backend", **variables: str) -> BackendChoice:
    """A backend that has these variables in a file."""
    path = folder / f"{name}.json"
    path.write_text(json.dumps(variables), encoding="utf-8")
    return BackendChoice(option, FILES, json.dumps({"variables_file_path": str(path)}))


def test_without_backends_the_environment_answers_at_once() -> None:
    chain = make_chain({"TRADEWIND_VAR_A": "x"}, nobody(), nobody())

    assert chain.get_variable("a") == "x"
    assert not chain.is_slow


def test_backend_comes_before_the_environment(tmp_path: Path) -> None:
    environ = {"TRADEWIND_VAR_A": "environment", "TRADEWIND_VAR_B": "environment"}
    chain = make_chain(environ, files(tmp_path, "common", a="common"), nobody())

    assert [chain.get_variable(key) for key in "abc"] == ["common", "environment", None]
    assert chain.is_slow


def test_backend_of_workers_comes_first_and_that_of_the_deployment_last(tmp_path: Path) -> None:
    environ = {"TRADEWIND_VAR_A": "environment", "TRADEWIND_VAR_B": "environment"}
    common = files(tmp_path, "common", a="common", b="common", c="common")
    chain = make_chain(environ, common, files(tmp_path, "own", "[workers] secrets_backend", a="own"))

    assert [chain.get_variable(key) for key in "abcd"] == ["own", "environment", "common", None]


@pytest.mark.parametrize("path", ["no.such.module.Backend", "json.NoBackend", "Backend"])
def test_backend_that_cannot_be_imported_stops_the_start(path: str) -> None:
    with pytest.raises(SettingsError, match=rf"\[secrets\] backend is '{path}', which cannot be imported"):
        make_chain({}, BackendChoice("[secrets] backend", path, ""), nobody())


def test_backend_that_refuses_its_arguments_stops_the_start_and_does_not_show_them() -> None:
    choice = BackendChoice("[workers] secrets_backend", FILES, '{"hunter2": 1}')

    with pytest.raises(SettingsError, match="cannot be made with its arguments: TypeError") as caught:
        make_chain({}, nobody(), choice)
    assert "hunter2" not in str(caught.value)
