"""Where the text of an option comes from.

The first of these wins: `TRADEWIND__SECTION__KEY`, `AIRFLOW__SECTION__KEY`, `tradewind.cfg`, `airflow.cfg`, the
default. A sensitive option may instead say how to get its text: `..._CMD` in the environment, or `key_cmd` in a file,
is a command whose output counts; `..._SECRET` and `key_secret` are the name of it in the secrets backend.

`tradewind.cfg` is looked for as `tradewind.settings` does: `TRADEWIND_CONFIG`, else in `TRADEWIND_HOME`, by default
`~/tradewind`. An `airflow.cfg` is read only where `AIRFLOW_CONFIG` or `AIRFLOW_HOME` points to one: a file that
somebody left behind must not change anything. The defaults are Airflow's own, in `configuration_defaults.json`.
"""

import configparser
import json
import os
from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import Final

from tradewind.sdk.exceptions import AirflowConfigException

_PREFIXES: Final = ("TRADEWIND", "AIRFLOW")
_DEFAULT_HOME: Final = Path("~/tradewind")
_HOME_MARK: Final = "{AIRFLOW_HOME}"
_COMMAND: Final = "_cmd"
_SECRET: Final = "_secret"
_MOST_EXPANSIONS: Final = 10

SecretReader = Callable[[str], str | None]


class Sources:
    """All places at once. Files are read once, the environment each time."""

    def __init__(self, environ: Mapping[str, str] | None = None, read_secret: SecretReader | None = None) -> None:
        # Running user code has no settings object: this is what Airflow's `conf` does for it.
        self.environ: Mapping[str, str] = os.environ if environ is None else environ  # noqa: TID251
        self.overrides: dict[tuple[str, str], str] = {}
        """What the program itself set; it wins over everything."""
        self._read_secret = read_secret

    def find(self, section: str, key: str) -> str | None:
        """The text of an option, or nothing where no place has one."""
        if (section, key) in self.overrides:
            return self.overrides[section, key]
        for look in (self._in_environment, self._in_files):
            found = look(section, key)
            if found is not None:
                return found
        return self.default(section, key)

    def default(self, section: str, key: str) -> str | None:
        """What an option is where nobody says otherwise."""
        text = default_texts().get(section, {}).get(key)
        return None if text is None else text.replace(_HOME_MARK, str(self.home))

    def knows(self, section: str, key: str) -> bool:
        """Whether there is such an option at all, with or without a text."""
        return key in default_texts().get(section, {})

    def sections(self) -> list[str]:
        """Every section that has a default or stands in a file."""
        named = [*default_texts(), *(section for file in self.files for section in file.sections())]
        return list(dict.fromkeys(section.lower() for section in named))

    def keys(self, section: str) -> list[str]:
        """Every option of the section that any place has, the secret ones without their `_cmd` or `_secret`."""
        keys = [*default_texts().get(section, {}), *self._keys_in_files(section), *self._keys_in_environment(section)]
        keys += [key for known, key in self.overrides if known == section]
        return list(dict.fromkeys(keys))

    @cached_property
    def home(self) -> Path:
        """The folder that relative things lie in."""
        named = self.environ.get("TRADEWIND_HOME") or self.environ.get("AIRFLOW_HOME") or _DEFAULT_HOME
        return Path(named).expanduser()

    @cached_property
    def files(self) -> list[configparser.ConfigParser]:
        """The files that exist, the one that wins first."""
        own = self._path("TRADEWIND_CONFIG", "TRADEWIND_HOME", "tradewind.cfg") or _DEFAULT_HOME / "tradewind.cfg"
        theirs = self._path("AIRFLOW_CONFIG", "AIRFLOW_HOME", "airflow.cfg")
        read = [_read_file(own.expanduser(), escaped=False)]
        if theirs is not None:
            read.append(_read_file(theirs, escaped=True))
        return [file for file in read if file is not None]

    def is_sensitive(self, section: str, key: str) -> bool:
        """Whether an option may be a secret."""
        return (section, key) in _sensitive_options()

    def _path(self, file_variable: str, home_variable: str, name: str) -> Path | None:
        if self.environ.get(file_variable):
            return Path(self.environ[file_variable]).expanduser()
        home = self.environ.get(home_variable)
        return Path(home).expanduser() / name if home else None

    def _in_environment(self, section: str, key: str) -> str | None:
        for prefix in _PREFIXES:
            name = f"{_variable_prefix(prefix, section)}{key.upper()}"
            if name in self.environ:
                return _expanded(self.environ[name])
            if self.is_sensitive(section, key):
                command, secret = (self.environ.get(f"{name}{suffix.upper()}") for suffix in (_COMMAND, _SECRET))
                found = self._indirect(section, key, command, secret)
                if found is not None:
                    return found
        return None

    def _in_files(self, section: str, key: str) -> str | None:
        for file in self.files:
            if file.has_option(section, key):
                return _expanded(file.get(section, key))
            if self.is_sensitive(section, key):
                command, secret = (file.get(section, f"{key}{suffix}", fallback=None) for suffix in (_COMMAND, _SECRET))
                found = self._indirect(section, key, command, secret)
                if found is not None:
                    return found
        return None

    def _indirect(self, section: str, key: str, command: str | None, secret: str | None) -> str | None:
        if command is not None:
            return _output_of(command, section, key)
        return None if secret is None or self._read_secret is None else self._read_secret(secret)

    def _keys_in_files(self, section: str) -> Iterator[str]:
        for file in self.files:
            if file.has_section(section):
                yield from (self._without_suffix(section, key) for key in file.options(section))

    def _keys_in_environment(self, section: str) -> Iterator[str]:
        for prefix in _PREFIXES:
            start = _variable_prefix(prefix, section)
            for name in sorted(self.environ):
                if name.startswith(start):
                    yield self._without_suffix(section, name.removeprefix(start).lower())

    def _without_suffix(self, section: str, key: str) -> str:
        plain = key.removesuffix(_COMMAND).removesuffix(_SECRET)
        return plain if self.is_sensitive(section, plain) else key


def _variable_prefix(prefix: str, section: str) -> str:
    return f"{prefix}__{section.replace('.', '_').upper()}__"


def _read_file(path: Path, *, escaped: bool) -> configparser.ConfigParser | None:
    parser = configparser.ConfigParser(interpolation=_PercentSigns() if escaped else None, strict=False)
    try:
        parser.read_string(path.read_text(encoding="utf-8"), source=str(path))
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError, configparser.Error) as error:
        raise AirflowConfigException(f"cannot read the configuration file {path}: {error}") from error
    return parser


class _PercentSigns(configparser.Interpolation):
    """An airflow.cfg doubles its percent signs. More interpolation than that would trip over passwords."""

    def before_get(self, parser: object, section: str, option: str, value: str, defaults: Mapping[str, str]) -> str:
        return value.replace("%%", "%")


def _expanded(text: str) -> str:
    """With variables and `~` put in, also those that come in by it."""
    for _ in range(_MOST_EXPANSIONS):
        further = os.path.expanduser(os.path.expandvars(text))  # noqa: PTH111 - the text need not be a path
        if further == text:
            break
        text = further
    return text


def _output_of(command: str, section: str, key: str) -> str:
    # Hardly anybody has such an option, and `subprocess` is slow to load.
    output: str = import_module("tradewind.sdk.configuration_command").output_of(command, section, key)
    return output


@cache
def _shipped() -> dict[str, object]:
    text = Path(__file__).with_name("configuration_defaults.json").read_text(encoding="utf-8")
    shipped: dict[str, object] = json.loads(text)
    return shipped


@cache
def default_texts() -> dict[str, dict[str, str | None]]:
    """The default of every option, by section; `None` for one without a default."""
    defaults = _shipped()["defaults"]
    assert isinstance(defaults, dict)
    return defaults


@cache
def _sensitive_options() -> frozenset[tuple[str, str]]:
    pairs = _shipped()["sensitive"]
    assert isinstance(pairs, list)
    return frozenset((section, key) for section, key in pairs)
