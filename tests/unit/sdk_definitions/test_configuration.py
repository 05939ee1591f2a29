"""`conf`, as DAG files and operators ask for options (B1, B6)."""

import logging
from datetime import timedelta
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from tradewind.configuration.sources import default_texts
from tradewind.sdk.configuration import ConfigurationParser
from tradewind.sdk.exceptions import AirflowConfigException


def configured(tmp_path: Path, *, own: str = "", airflow: str = "", **environ: str) -> ConfigurationParser:
    """A configuration of files with this content and these variables."""
    (tmp_path / "tradewind.cfg").write_text(own)
    (tmp_path / "airflow.cfg").write_text(airflow)
    return ConfigurationParser({"TRADEWIND_HOME": str(tmp_path), "AIRFLOW_HOME": str(tmp_path), **environ})


class Backend:
    """A secrets backend that knows its own arguments."""

    def __init__(self, **arguments: str) -> None:
        self.arguments = arguments

    def get_config(self, key: str) -> str | None:
        return self.arguments.get(key)


class Size(Enum):
    SMALL = 1
    LARGE = 2


def test_each_place_wins_over_those_after_it(tmp_path: Path) -> None:
    """B1: TRADEWIND__, AIRFLOW__, tradewind.cfg, airflow.cfg, the default."""
    files = {"own": "[core]\nparallelism = 3", "airflow": "[core]\nparallelism = 4\nexecutor = Theirs"}

    assert ConfigurationParser({}).getint("core", "parallelism") == 32
    assert configured(tmp_path, airflow=files["airflow"]).getint("core", "parallelism") == 4
    assert configured(tmp_path, **files).getint("core", "parallelism") == 3
    assert configured(tmp_path, **files).get("core", "executor") == "Theirs"
    assert configured(tmp_path, **files, AIRFLOW__CORE__PARALLELISM="2").getint("core", "parallelism") == 2
    both = {"AIRFLOW__CORE__PARALLELISM": "2", "TRADEWIND__CORE__PARALLELISM": "1"}
    assert configured(tmp_path, **files, **both).getint("core", "parallelism") == 1


def test_what_the_program_sets_wins_until_it_is_taken_back(tmp_path: Path) -> None:
    conf = configured(tmp_path, AIRFLOW__CORE__PARALLELISM="2")

    conf.set("CORE", "Parallelism", "7")
    assert conf.getint("core", "parallelism") == 7
    conf.remove_option("core", "parallelism")
    assert conf.getint("core", "parallelism") == 2


def test_a_file_can_be_named_by_itself(tmp_path: Path) -> None:
    (tmp_path / "a.cfg").write_text("[core]\nexecutor = A")
    (tmp_path / "b.cfg").write_text("[core]\nexecutor = B\nparallelism = 5")
    conf = ConfigurationParser({"TRADEWIND_CONFIG": str(tmp_path / "a.cfg"), "AIRFLOW_CONFIG": str(tmp_path / "b.cfg")})

    assert conf.get("core", "executor") == "A"
    assert conf.getint("core", "parallelism") == 5


def test_an_airflow_file_in_a_home_that_nobody_names_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for folder, name in (("airflow", "airflow.cfg"), ("tradewind", "tradewind.cfg")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text(f"[core]\nexecutor = {folder}\n")

    assert ConfigurationParser({}).get("core", "executor") == "tradewind"
    (tmp_path / "tradewind" / "tradewind.cfg").unlink()
    assert ConfigurationParser({}).get("core", "executor") == "LocalExecutor"


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(AirflowConfigException, match=r"cannot read the configuration file .*tradewind.cfg"):
        configured(tmp_path, own="no section").get("core", "executor")


def test_percent_signs_are_doubled_only_in_an_airflow_file(tmp_path: Path) -> None:
    assert configured(tmp_path, airflow="[logging]\nlog_format = %%(message)s").get("logging", "log_format") == (
        "%(message)s"
    )
    assert configured(tmp_path, own="[logging]\nlog_format = 100%%").get("logging", "log_format") == "100%%"


def test_variables_and_home_are_put_into_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setenv("DAGS", "~/dags")

    conf = configured(tmp_path, own="[core]\nplugins_folder = $DAGS/plugins", AIRFLOW__CORE__DAGS_FOLDER="$DAGS")

    assert conf.get("core", "dags_folder") == "/home/me/dags"
    assert conf.get("core", "plugins_folder") == "/home/me/dags/plugins"


def test_defaults_lie_in_the_home_folder(tmp_path: Path) -> None:
    assert configured(tmp_path).get("core", "dags_folder") == f"{tmp_path}/dags"
    assert configured(tmp_path).get("database", "sql_alchemy_conn") == f"sqlite:///{tmp_path}/tradewind.db"
    assert ConfigurationParser({"AIRFLOW_HOME": "/air"}).get("core", "dags_folder") == "/air/dags"


def test_names_are_not_case_sensitive_and_dots_become_underscores(tmp_path: Path) -> None:
    conf = configured(tmp_path, AIRFLOW__COMMON_IO__XCOM_OBJECTSTORAGE_PATH="s3://x")

    assert conf.get("common.io", "xcom_objectstorage_path") == "s3://x"
    assert conf.getint("Core", "PARALLELISM") == 32


def test_an_unknown_option_is_an_error_and_a_fallback_is_none(tmp_path: Path) -> None:
    conf = configured(tmp_path)

    with pytest.raises(AirflowConfigException, match=r"there is no option 'paralelism' in section \[core\]"):
        conf.get("core", "paralelism")
    with pytest.raises(AirflowConfigException, match="TRADEWIND__CORE__MP_START_METHOD"):
        conf.get("core", "mp_start_method")
    assert conf.get("core", "paralelism", fallback="x") == "x"
    assert conf.get("core", "paralelism", fallback=None) is None
    assert not conf.has_option("core", "paralelism")
    assert not conf.has_option("core", "mp_start_method")
    assert conf.has_option("core", "parallelism")


def test_an_option_that_only_the_author_knows_can_be_asked_for(tmp_path: Path) -> None:
    conf = configured(tmp_path, own="[acme]\nregion = eu", AIRFLOW__ACME__ZONE="b")

    assert conf.get("acme", "region") == "eu"
    assert conf.getsection("acme") == {"region": "eu", "zone": "b"}
    assert conf.has_section("acme")
    assert conf.getsection("nobody") is None


@pytest.mark.parametrize("text", ["True", "t", "1", "yes", "on", "true  # a remark"])
def test_a_yes(tmp_path: Path, text: str) -> None:
    assert configured(tmp_path, AIRFLOW__CORE__LOAD_EXAMPLES=text).getboolean("core", "load_examples") is True


@pytest.mark.parametrize("text", ["False", "F", "0", "no", "off"])
def test_a_no(tmp_path: Path, text: str) -> None:
    assert configured(tmp_path, AIRFLOW__CORE__LOAD_EXAMPLES=text).getboolean("core", "load_examples") is False


@pytest.mark.parametrize(("text", "number"), [("7", 7), (" 7 ", 7), ("7.0", 7), ("-1", -1), ("1e3", 1000)])
def test_a_whole_number(tmp_path: Path, text: str, number: int) -> None:
    assert configured(tmp_path, AIRFLOW__CORE__PARALLELISM=text).getint("core", "parallelism") == number


def test_a_number_too_long_for_a_float_is_kept_exactly(tmp_path: Path) -> None:
    long = 2**63 + 1

    assert configured(tmp_path, AIRFLOW__CORE__PARALLELISM=str(long)).getint("core", "parallelism") == long


@pytest.mark.parametrize(
    ("getter", "text", "expected"),
    [
        ("getboolean", "perhaps", "True or False"),
        ("getint", "7.5", "a whole number"),
        ("getint", "many", "a whole number"),
        ("getint", "inf", "a whole number"),
        ("getfloat", "many", "a number"),
        ("gettimedelta", "soon", "a number of seconds"),
    ],
)
def test_a_wrong_value_is_named_with_what_is_expected(tmp_path: Path, getter: str, text: str, expected: str) -> None:
    conf = configured(tmp_path, AIRFLOW__CORE__PARALLELISM=text)

    with pytest.raises(AirflowConfigException, match=rf"\[core\] parallelism is '{text}'; expected {expected}"):
        getattr(conf, getter)("core", "parallelism")


def test_a_wrong_secret_is_not_shown(tmp_path: Path) -> None:
    conf = configured(tmp_path, AIRFLOW__CORE__FERNET_KEY="hunter2")

    with pytest.raises(AirflowConfigException, match="hidden") as refused:
        conf.getint("core", "fernet_key")
    assert "hunter2" not in str(refused.value)


def test_lists_members_durations_and_json(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    own = (
        '[acme]\nlist = a, b ,c\nempty =\nsize = LARGE\nsizes = LARGE,HUGE,SMALL\njson = {"a": [1]}\nwait = 90\nbad = {'
    )
    conf = configured(tmp_path, own=own)

    assert conf.getlist("acme", "list") == ["a", "b", "c"]
    assert conf.getlist("acme", "list", delimiter="b") == ["a,", ",c"]
    assert conf.getlist("acme", "empty") == []
    assert conf.getlist("acme", "none", fallback=["x"]) == ["x"]
    assert conf.getenum("acme", "size", Size) is Size.LARGE
    assert conf.getenum("acme", "none", Size, fallback="SMALL") is Size.SMALL
    with pytest.raises(AirflowConfigException, match="one of SMALL, LARGE"):
        conf.getenum("acme", "list", Size)
    with caplog.at_level(logging.WARNING):
        assert conf.getenumlist("acme", "sizes", Size) == [Size.LARGE, Size.SMALL]
    assert "HUGE" in caplog.text
    assert conf.getjson("acme", "json") == {"a": [1]}
    assert conf.getjson("acme", "empty", fallback={"b": 2}) == {"b": 2}
    with pytest.raises(AirflowConfigException, match=r"\[acme\] bad is no JSON"):
        conf.getjson("acme", "bad")
    assert conf.gettimedelta("acme", "wait") == timedelta(seconds=90)
    assert conf.gettimedelta("acme", "none") is None
    assert conf.gettimedelta("acme", "none", fallback=timedelta(1)) == timedelta(1)
    assert conf.getfloat("acme", "wait") == 90.0


def test_a_class_is_imported_by_its_path(tmp_path: Path) -> None:
    conf = configured(tmp_path, own="[acme]\nclass = collections.OrderedDict\nempty =\nwrong = collections.Nothing")

    assert conf.getimport("acme", "class").__name__ == "OrderedDict"
    assert conf.getimport("acme", "empty") is None
    with pytest.raises(AirflowConfigException, match=r"\[acme\] wrong is 'collections.Nothing'"):
        conf.getimport("acme", "wrong")


def test_a_mandatory_value_must_be_there(tmp_path: Path) -> None:
    conf = configured(tmp_path)

    assert conf.get_mandatory_value("core", "executor") == "LocalExecutor"
    assert conf.get_mandatory_list_value("core", "executor") == ["LocalExecutor"]
    with pytest.raises(ValueError, match=r"\[core\] nothing has to be set"):
        conf.get_mandatory_value("core", "nothing", fallback=None)
    with pytest.raises(ValueError, match=r"\[core\] nothing has to be set"):
        conf.get_mandatory_list_value("core", "nothing", fallback=None)


@pytest.mark.parametrize(
    "places",
    [
        {"AIRFLOW__CORE__FERNET_KEY_CMD": "printf '%s' key"},
        {"TRADEWIND__CORE__FERNET_KEY_CMD": "printf key"},
        {"own": "[core]\nfernet_key_cmd = printf key"},
        {"airflow": "[core]\nfernet_key_cmd = printf key"},
        {"AIRFLOW__CORE__FERNET_KEY_SECRET": "vault/key"},
        {"own": "[core]\nfernet_key_secret = vault/key"},
    ],
)
def test_a_secret_comes_from_a_command_or_the_secrets_backend(tmp_path: Path, places: dict[str, Any]) -> None:
    backend = {
        "AIRFLOW__SECRETS__BACKEND": f"{__name__}.Backend",
        "AIRFLOW__SECRETS__BACKEND_KWARGS": '{"vault/key": "key"}',
    }
    conf = configured(tmp_path, **places, **backend)

    assert conf.get("core", "fernet_key") == "key"
    section = conf.getsection("core")
    assert section is not None
    assert section["fernet_key"] == "key"
    assert "fernet_key_cmd" not in section


def test_the_workers_backend_is_asked_before_that_of_the_servers(tmp_path: Path) -> None:
    conf = configured(
        tmp_path,
        AIRFLOW__SECRETS__BACKEND="nobody.Knows",
        AIRFLOW__WORKERS__SECRETS_BACKEND=f"{__name__}.Backend",
        AIRFLOW__WORKERS__SECRETS_BACKEND_KWARGS='{"k": "from the worker"}',
        AIRFLOW__CORE__FERNET_KEY_SECRET="k",
    )

    assert conf.get("core", "fernet_key") == "from the worker"


def test_a_secret_without_a_backend_says_what_is_missing(tmp_path: Path) -> None:
    conf = configured(tmp_path, AIRFLOW__CORE__FERNET_KEY_SECRET="vault/key")

    with pytest.raises(AirflowConfigException, match=r"'vault/key' .* \[secrets\] backend"):
        conf.get("core", "fernet_key")


@pytest.mark.parametrize(
    ("command", "problem"),
    [("false", "exit code 1"), ("no-such-command", "cannot be run"), ("printf '", "cannot be run")],
)
def test_a_command_that_fails_is_an_error_about_its_option(tmp_path: Path, command: str, problem: str) -> None:
    conf = configured(tmp_path, AIRFLOW__CORE__FERNET_KEY_CMD=command)

    with pytest.raises(AirflowConfigException, match=rf"the command of AIRFLOW__CORE__FERNET_KEY_CMD .*{problem}"):
        conf.get("core", "fernet_key")


def test_only_sensitive_options_run_commands(tmp_path: Path) -> None:
    conf = configured(tmp_path, AIRFLOW__CORE__EXECUTOR_CMD="printf Evil")

    assert conf.get("core", "executor") == "LocalExecutor"


def test_a_section_has_numbers_and_truths(tmp_path: Path) -> None:
    conf = configured(tmp_path, own="[acme]\na = 1\nb = 1.5\nc = True\nd = f\ne = text\nf = 0x1")

    assert conf.getsection("acme") == {"a": 1, "b": 1.5, "c": True, "d": False, "e": "text", "f": "0x1"}


def test_the_whole_configuration_hides_its_secrets(tmp_path: Path) -> None:
    conf = configured(tmp_path, AIRFLOW__CORE__FERNET_KEY="hunter2")

    shown = conf.as_dict()
    assert shown["core"]["fernet_key"] == "< hidden >"
    assert shown["core"]["parallelism"] == "32"
    assert conf.as_dict(display_sensitive=True)["core"]["fernet_key"] == "hunter2"


def test_every_section_and_option_of_airflow_has_its_default(tmp_path: Path) -> None:
    """B6: names and defaults are Airflow's."""
    conf = configured(tmp_path)

    assert sum(map(len, default_texts().values())) == 452
    assert {"core", "scheduler", "triggerer", "kubernetes_executor", "standard"} <= set(conf.sections())
    assert conf.getint("scheduler", "max_dagruns_to_create_per_loop") == 10
    assert conf.getfloat("sensors", "default_timeout") == 604800
    assert conf.get("logging", "log_filename_template").startswith("dag_id={{ ti.dag_id }}/")
    assert conf.getjson("dag_processor", "dag_bundle_config_list")[0]["name"] == "dags-folder"
    assert conf.get_default_value("core", "parallelism") == "32"
    assert conf.get_default_value("core", "nothing", fallback="x") == "x"
    assert "parallelism" in conf.options("core")
