"""Where the text of an option comes from.

The first of these wins: `TRADEWIND__SECTION__KEY`, `AIRFLOW__SECTION__KEY`, `tradewind.cfg`, `airflow.cfg`, the
default; names that options had before are looked for after those of today. A sensitive option may instead say how to
get its text: `..._CMD` in the environment, or `key_cmd` in a file, is a command whose output counts; `..._SECRET` and
`key_secret` are the name of it in the secrets backend.

The home folder is `TRADEWIND_HOME`, else `AIRFLOW_HOME`, else `~/tradewind`. `tradewind.cfg` is the file that
`TRADEWIND_CONFIG` names, which must exist, else the one in the home folder. An `airflow.cfg` is read only where
`AIRFLOW_CONFIG` or `AIRFLOW_HOME` points to one: a file that somebody left behind must not change anything.
"""

import configparser
import json
import os
from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import Final, NamedTuple

from tradewind.configuration.former_names import STILL_READ
from tradewind.errors import SettingsError

HOME_VARIABLE: Final = "TRADEWIND_HOME"
FILE_VARIABLE: Final = "TRADEWIND_CONFIG"
FILE_NAME: Final = "tradewind.cfg"
ENVIRONMENT_PREFIXES: Final = ("TRADEWIND", "AIRFLOW")
"""The names win in this order."""
COMMAND: Final = "_cmd"
SECRET: Final = "_secret"
_DEFAULT_HOME: Final = Path("~/tradewind")
_HOME_MARK: Final = "{AIRFLOW_HOME}"
_MOST_EXPANSIONS: Final = 10

SecretReader = Callable[[str], str | None]


class Written(NamedTuple):
    """What somebody wrote, and where."""

    text: str
    place: str


class File(NamedTuple):
    """A configuration file."""

    path: Path
    content: configparser.ConfigParser


class Sources:
    """All places at once. Files are read once, the environment each time."""

    def __init__(
        self,
        environ: Mapping[str, str] | None = None,
        read_secret: SecretReader | None = None,
        file: Path | None = None,
    ) -> None:
        """`file` is read instead of any `tradewind.cfg`."""
        # Running user code has no settings object: this is what Airflow's `conf` does for it.
        self.environ: Mapping[str, str] = os.environ if environ is None else environ  # noqa: TID251
        self.overrides: dict[tuple[str, str], str] = {}
        """What the program itself set; it wins over everything."""
        self._read_secret = read_secret
        self._given = file

    def find(self, section: str, key: str) -> str | None:
        """The text of an option, or nothing where no place has one."""
        if (section, key) in self.overrides:
            return self.overrides[section, key]
        written = self.written(section, key)
        return self.default(section, key) if written is None else written.text

    def written(self, section: str, key: str) -> Written | None:
        """What the environment or a file says, or nothing where the option keeps its default.

        Raises:
            SettingsError: a file cannot be read, or a command fails.
        """
        found = self._in_environment(section, key) or self._in_files(section, key)
        if found is None and (section, key) in STILL_READ:
            names = STILL_READ[section, key]
            return next((old for name in names if (old := self._in_environment(*name) or self._in_files(*name))), None)
        return found

    def default(self, section: str, key: str) -> str | None:
        """What an option is where nobody says otherwise."""
        text = default_texts().get(section, {}).get(key)
        return None if text is None else text.replace(_HOME_MARK, str(self.home))

    def knows(self, section: str, key: str) -> bool:
        """Whether there is such an option at all, with or without a text."""
        return key in default_texts().get(section, {})

    def sections(self) -> list[str]:
        """Every section that has a default or stands in a file."""
        named = [*default_texts(), *(section for file in self.files for section in file.content.sections())]
        return list(dict.fromkeys(section.lower() for section in named))

    def keys(self, section: str) -> list[str]:
        """Every option of the section that any place has, the secret ones without their `_cmd` or `_secret`."""
        keys = [*default_texts().get(section, {}), *self._keys_in_files(section), *self._keys_in_environment(section)]
        keys += [key for known, key in self.overrides if known == section]
        return list(dict.fromkeys(keys))

    @cached_property
    def home(self) -> Path:
        """The folder that relative things lie in."""
        named = self.environ.get(HOME_VARIABLE) or self.environ.get("AIRFLOW_HOME") or _DEFAULT_HOME
        return Path(named).expanduser()

    @cached_property
    def files(self) -> list[File]:
        """The files that exist, the one that wins first.

        Raises:
            SettingsError: one cannot be read, or was asked for and does not exist.
        """
        named = self._given or self._path(FILE_VARIABLE)
        own = _read_file(named or self.home / FILE_NAME, must_exist=named is not None)
        theirs = self._path("AIRFLOW_CONFIG") or self._path("AIRFLOW_HOME", "airflow.cfg")
        read = [own, None if theirs is None else _read_file(theirs, is_escaped=True)]
        return [file for file in read if file is not None]

    def is_sensitive(self, section: str, key: str) -> bool:
        """Whether an option may be a secret."""
        return (section, key) in sensitive_options()

    def _path(self, variable: str, name: str = "") -> Path | None:
        given = self.environ.get(variable)
        return Path(given).expanduser() / name if given else None

    def _in_environment(self, section: str, key: str) -> Written | None:
        for prefix in ENVIRONMENT_PREFIXES:
            name = f"{variable_prefix(prefix, section)}{key.upper()}"
            if name in self.environ:
                return Written(_expanded(self.environ[name]), name)
            if self.is_sensitive(section, key):
                command, secret = (self.environ.get(f"{name}{suffix.upper()}") for suffix in (COMMAND, SECRET))
                found = self._indirect(name, command, secret, str.upper)
                if found is not None:
                    return found
        return None

    def _in_files(self, section: str, key: str) -> Written | None:
        for path, content in self.files:
            if content.has_option(section, key):
                return Written(_expanded(content.get(section, key)), str(path))
            if self.is_sensitive(section, key):
                command, secret = (content.get(section, key + suffix, fallback=None) for suffix in (COMMAND, SECRET))
                found = self._indirect(f"[{section}] {key}", command, secret, str)
                if found is not None:
                    return found
        return None

    def _indirect(
        self, name: str, command: str | None, secret: str | None, spell: Callable[[str], str]
    ) -> Written | None:
        if command is not None:
            place = name + spell(COMMAND)
            return Written(_output_of(command, place), place)
        if secret is None or self._read_secret is None:
            return None
        text = self._read_secret(secret)
        return None if text is None else Written(text, name + spell(SECRET))

    def _keys_in_files(self, section: str) -> Iterator[str]:
        for file in self.files:
            if file.content.has_section(section):
                yield from (without_suffix(section, key) for key in file.content.options(section))

    def _keys_in_environment(self, section: str) -> Iterator[str]:
        for prefix in ENVIRONMENT_PREFIXES:
            start = variable_prefix(prefix, section)
            for name in sorted(self.environ):
                if name.startswith(start):
                    yield without_suffix(section, name.removeprefix(start).lower())


def variable_prefix(prefix: str, section: str) -> str:
    """How the variables of a section begin."""
    return f"{prefix}__{section.replace('.', '_').upper()}__"


def without_suffix(section: str, key: str) -> str:
    """The option that a key is about, which may say how to get its text."""
    plain = key.removesuffix(COMMAND).removesuffix(SECRET)
    return plain if (section, plain) in sensitive_options() else key


def _read_file(path: Path, *, is_escaped: bool = False, must_exist: bool = False) -> File | None:
    parser = configparser.ConfigParser(interpolation=_PercentSigns() if is_escaped else None, strict=not is_escaped)
    try:
        parser.read_string(path.read_text(encoding="utf-8"), source=str(path))
    except FileNotFoundError as error:
        if must_exist:
            raise SettingsError(f"cannot read the configuration file {path}: {error.strerror}") from None
        return None
    except (OSError, UnicodeDecodeError, configparser.Error) as error:
        reason = " ".join(str(error).split())
        raise SettingsError(f"cannot read the configuration file {path}: {reason}") from error
    return File(path, parser)


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


def _output_of(command: str, place: str) -> str:
    # Hardly anybody has such an option, and `subprocess` is slow to load.
    output: str = import_module("tradewind.configuration.command").output_of(command, place)
    return output


@cache
def _shipped() -> dict[str, object]:
    shipped: dict[str, object] = json.loads(Path(__file__).with_name("defaults.json").read_text(encoding="utf-8"))
    return shipped


@cache
def default_texts() -> dict[str, dict[str, str | None]]:
    """The default of every option, by section; `None` for one without a default."""
    defaults = _shipped()["defaults"]
    assert isinstance(defaults, dict)
    return defaults


@cache
def sensitive_options() -> frozenset[tuple[str, str]]:
    """What may be a secret: user code must not find it in its environment, and nobody is shown it."""
    pairs = _shipped()["sensitive"]
    assert isinstance(pairs, list)
    return frozenset((section, key) for section, key in pairs)
