"""`conf`: the configuration as DAG files, operators and hooks ask for it.

`tradewind.settings` is what the services themselves are built from. This is the same configuration under Airflow's
interface, for every option that Airflow knows; `tradewind.configuration` says where it comes from.
"""

import json
import logging
import math
from collections.abc import Mapping
from datetime import timedelta
from enum import Enum
from typing import Any, Final, NoReturn, TypeVar, overload

from tradewind.configuration.sources import Sources
from tradewind.errors import SettingsError
from tradewind.sdk.exceptions import AirflowConfigException
from tradewind.sdk.module_loading import import_string
from tradewind.sdk.notset import NOTSET, ArgNotSet

E = TypeVar("E", bound=Enum)
T = TypeVar("T")

# Airflow's words, and those that `tradewind.settings` takes besides.
_TRUE: Final = frozenset({"1", "on", "t", "true", "yes"})
_FALSE: Final = frozenset({"0", "f", "false", "no", "off"})
_HIDDEN: Final = "< hidden >"

log = logging.getLogger(__name__)


class TypedOptions:
    """The options by section and key, each as what it should be. Names are not case-sensitive."""

    def __init__(self, environ: Mapping[str, str] | None = None) -> None:
        self._sources = Sources(environ, self._from_secrets_backend)

    @overload
    def get(self, section: str, key: str, *, fallback: str, **_: Any) -> str: ...

    @overload
    def get(self, section: str, key: str, *, fallback: Any = ..., **_: Any) -> Any: ...

    def get(self, section: str, key: str, *, fallback: Any = NOTSET, **_: Any) -> Any:
        """The text of an option; `fallback` where it has none. Further arguments of Airflow's have no effect."""
        section, key = section.lower(), key.lower()
        text = self._find(section, key)
        if text is not None:
            return text
        if not isinstance(fallback, ArgNotSet):
            return fallback
        if self._sources.knows(section, key):
            variable = f"TRADEWIND__{section.replace('.', '_')}__{key}".upper()
            raise AirflowConfigException(f"[{section}] {key} has no value and no default; set {variable}")
        raise AirflowConfigException(f"there is no option {key!r} in section [{section}]")

    def getboolean(self, section: str, key: str, **kwargs: Any) -> bool:
        """A yes or a no."""
        word = str(self.get(section, key, **kwargs)).partition("#")[0].strip().lower()
        if word not in _TRUE | _FALSE:
            self._refuse(section, key, word, "True or False")
        return word in _TRUE

    def getint(self, section: str, key: str, **kwargs: Any) -> int:
        """A whole number."""
        value = self.get(section, key, **kwargs)
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = math.nan
        if not number.is_integer():
            self._refuse(section, key, value, "a whole number")
        return int(value) if str(value).strip().lstrip("+-").isdigit() else int(number)

    def getfloat(self, section: str, key: str, **kwargs: Any) -> float:
        """A number."""
        value = self.get(section, key, **kwargs)
        try:
            return float(value)
        except (TypeError, ValueError):
            self._refuse(section, key, value, "a number")

    def getlist(self, section: str, key: str, delimiter: str = ",", **kwargs: Any) -> Any:
        """A list of texts; an empty text is an empty list."""
        value = self.get(section, key, **kwargs)
        if not isinstance(value, str):
            return value
        return [item.strip() for item in value.split(delimiter)] if value else []

    def getenum(self, section: str, key: str, enum_class: type[E], **kwargs: Any) -> E:
        """A member of an enumeration, by its name."""
        value = self.get(section, key, **kwargs)
        names = enum_class.__members__
        name = next((name for name in (value, kwargs.get("fallback")) if name in names), None)
        if name is None:
            self._refuse(section, key, value, f"one of {', '.join(names)}")
        return names[name]

    def getenumlist(self, section: str, key: str, enum_class: type[E], delimiter: str = ",", **kwargs: Any) -> list[E]:
        """Members of an enumeration, by their names; unknown ones are passed over with a warning."""
        kwargs.setdefault("fallback", [])
        names = self.getlist(section, key, delimiter, **kwargs)
        for name in names:
            if name not in enum_class.__members__:
                known = ", ".join(enum_class.__members__)
                log.warning("[%s] %s: %r is passed over; it is none of %s", section, key, name, known)
        return [enum_class[name] for name in names if name in enum_class.__members__]

    def getimport(self, section: str, key: str, **kwargs: Any) -> Any:
        """What stands at the dotted path that the option names; `None` for an empty option."""
        path = self.get(section, key, **kwargs)
        if not path:
            return None
        try:
            return import_string(path)
        except ImportError as error:
            raise AirflowConfigException(f"[{section}] {key} is {path!r}, which cannot be imported: {error}") from error

    def getjson(self, section: str, key: str, fallback: Any = None, **kwargs: Any) -> Any:
        """What the JSON of the option says; `fallback`, as it is, for an empty option."""
        text = self.get(section, key, fallback=None, **kwargs)
        if not text:
            return fallback
        try:
            return json.loads(text)
        except ValueError as error:
            raise AirflowConfigException(f"[{section}] {key} is no JSON: {error}") from error

    def gettimedelta(self, section: str, key: str, fallback: Any = None, **kwargs: Any) -> timedelta | None:
        """A duration, from whole seconds; `fallback` for an empty option."""
        value = self.get(section, key, fallback=fallback, **kwargs)
        if not value or isinstance(value, timedelta):
            return value or fallback
        try:
            return timedelta(seconds=int(value))
        except (ValueError, OverflowError):
            self._refuse(section, key, value, "a number of seconds")

    def get_mandatory_value(self, section: str, key: str, **kwargs: Any) -> str:
        """The text of an option that must have one."""
        value = self.get(section, key, **kwargs)
        if value is None:
            raise ValueError(f"[{section}] {key} has to be set")
        return str(value)

    def get_mandatory_list_value(self, section: str, key: str, **kwargs: Any) -> list[str]:
        """The list of an option that must have one."""
        value: list[str] | None = self.getlist(section, key, **kwargs)
        if value is None:
            raise ValueError(f"[{section}] {key} has to be set")
        return value

    def _find(self, section: str, key: str) -> str | None:
        try:
            return self._sources.find(section, key)
        except SettingsError as error:
            raise AirflowConfigException(str(error)) from None

    def _from_secrets_backend(self, name: str) -> str | None:
        for section, key in (("workers", "secrets_backend"), ("secrets", "backend")):
            backend = self.getimport(section, key, fallback=None)
            if backend is not None:
                arguments = self.getjson(section, f"{key}_kwargs", fallback={})
                text: str | None = backend(**arguments).get_config(name)
                return text
        raise AirflowConfigException(f"the secret {name!r} of an option can only be read with a [secrets] backend")

    def _refuse(self, section: str, key: str, value: object, expected: str) -> NoReturn:
        shown = "hidden" if self._sources.is_sensitive(section.lower(), key.lower()) else repr(value)
        raise AirflowConfigException(f"[{section}] {key} is {shown}; expected {expected}")


class ConfigurationParser(TypedOptions):
    """The configuration: single options, whole sections, and what the program itself changes."""

    def get_default_value(self, section: str, key: str, fallback: Any = None, **_: Any) -> Any:
        """What the option is where nobody says otherwise."""
        text = self._sources.default(section.lower(), key.lower())
        return fallback if text is None else text

    def getsection(self, section: str, **_: Any) -> dict[str, str | int | float | bool] | None:
        """All options of a section that have a text, numbers and truths as such; `None` for no such section."""
        section = section.lower()
        keys = self._sources.keys(section)
        if not keys and not self.has_section(section):
            return None
        found = {key: self._find(section, key) for key in keys}
        return {key: _converted(text) for key, text in found.items() if text is not None}

    def has_option(self, section: str, option: str, **_: Any) -> bool:
        """Whether the option has a text."""
        return self._find(section.lower(), option.lower()) is not None

    def has_section(self, section: str) -> bool:
        """Whether there is such a section."""
        return section.lower() in self._sources.sections()

    def sections(self) -> list[str]:
        """Every section."""
        return self._sources.sections()

    def options(self, section: str) -> list[str]:
        """Every option of a section, with or without a text."""
        return self._sources.keys(section.lower())

    get_sections_including_defaults = sections
    get_options_including_defaults = options

    def set(self, section: str, option: str, value: str) -> None:
        """Change an option for this process."""
        self._sources.overrides[section.lower(), option.lower()] = str(value)

    def remove_option(self, section: str, option: str, **_: Any) -> None:
        """Take back what `set` changed."""
        self._sources.overrides.pop((section.lower(), option.lower()), None)

    def as_dict(self, *, display_sensitive: bool = False, **_: Any) -> dict[str, dict[str, str]]:
        """Every option that has a text, by section. Secrets are hidden, and not even fetched, unless asked for."""
        return {
            section: {
                key: text
                for key in self.options(section)
                if (text := self._shown(section, key, display_sensitive)) is not None
            }
            for section in self.sections()
        }

    def _shown(self, section: str, key: str, display_sensitive: bool) -> str | None:
        hidden = self._sources.is_sensitive(section, key) and not display_sensitive
        return _HIDDEN if hidden else self._find(section, key)


def _converted(text: str) -> str | int | float | bool:
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    word = text.lower()
    return word in _TRUE if word in ("t", "true", "f", "false") else text


conf: Final = ConfigurationParser()
