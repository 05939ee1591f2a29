"""Environments are really built (D2)."""

import sys
from pathlib import Path

import pytest

from tradewind.sdk.exceptions import AirflowException
from tradewind.sdk.standard import environments
from tradewind.sdk.standard.environment_cache import cached_environment
from tradewind.sdk.standard.environments import inspect_environment, prepare_virtualenv, run_logged


def test_requirements_come_as_a_list_or_as_a_file_not_both(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="either requirements or requirements_file_path"):
        prepare_virtualenv(str(tmp_path), sys.executable, False, requirements=["a"], requirements_file_path="b")


def test_index_addresses_are_kept_out_of_commands(tmp_path: Path) -> None:
    urls = ["https://me:secret@one.example/simple", "https://two.example/simple", "https://three.example/simple"]

    create, install = environments._uv_commands("uv", "folder", "python3", urls)
    environments._write_pip_conf(tmp_path / "pip.conf", urls)

    assert not any("secret" in argument for argument in [*create, *install])
    assert environments._uv_index_variables(urls) == {
        "UV_DEFAULT_INDEX": urls[0],
        "UV_INDEX": "https://two.example/simple https://three.example/simple",
    }
    assert (tmp_path / "pip.conf").read_text() == (
        "[global]\n"
        "index-url = https://me:secret@one.example/simple\n"
        "extra-index-url = https://two.example/simple https://three.example/simple\n"
    )


def test_an_unknown_install_method_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRADEWIND__STANDARD__VENV_INSTALL_METHOD", "conda")

    with pytest.raises(AirflowException, match="venv_install_method is 'conda'; use auto, pip or uv"):
        prepare_virtualenv(str(tmp_path), sys.executable, False)


def test_a_failing_command_tells_what_it_wrote() -> None:
    with pytest.raises(AirflowException, match=r"exit code 3:\nno such package"):
        run_logged(["bash", "-c", "echo no such package; exit 3"])
    with pytest.raises(AirflowException, match="no program 'no-such-tool'"):
        run_logged(["no-such-tool"])


def test_something_that_is_no_interpreter_is_named() -> None:
    with pytest.raises(ValueError, match="'/bin/false' does not work as a Python interpreter"):
        inspect_environment("/bin/false")


def test_a_kept_environment_is_built_once_per_recipe(tmp_path: Path) -> None:
    built: list[Path] = []

    first = cached_environment(tmp_path, {"requirements": ["a"]}, built.append)
    again = cached_environment(tmp_path, {"requirements": ["a"]}, built.append)
    other = cached_environment(tmp_path, {"requirements": ["b"]}, built.append)

    assert first == again != other
    assert built == [first, other]
    assert first.name.startswith("venv-")


def test_a_kept_environment_that_was_not_finished_is_built_again(tmp_path: Path) -> None:
    def cut_short(place: Path) -> None:
        (place / "half").touch()
        raise OSError("disk full")

    with pytest.raises(AirflowException, match="could not be built: disk full"):
        cached_environment(tmp_path, {}, cut_short)
    place = cached_environment(tmp_path, {}, lambda path: (path / "whole").touch())
    (place / "install_complete_marker.json").unlink()

    cached_environment(tmp_path, {}, lambda path: (path / "new").touch())

    assert not (place / "half").exists()
    assert not (place / "whole").exists()
    assert (place / "new").exists()
