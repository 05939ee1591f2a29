"""Reads the configuration."""

import dataclasses
import importlib
import json
import os
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from tradewind.configuration.sources import (
    COMMAND,
    ENVIRONMENT_PREFIXES,
    Sources,
    sensitive_options,
)
from tradewind.configuration.sources import (
    SECRET as FROM_BACKEND,
)
from tradewind.errors import SettingsError
from tradewind.settings.readers import READER, SECRET, Reader
from tradewind.settings.sections import DatabaseSettings, Settings

DATABASE_FILE_NAME: Final = "tradewind.db"

Section = TypeVar("Section")


class Option(NamedTuple):
    """An option that the services use."""

    section: str
    key: str
    default: object
    reader: Reader[object]
    is_secret: bool


def load_settings(environ: Mapping[str, str] | None = None, file: Path | None = None) -> Settings:
    """Read the configuration.

    Args:
        environ: the environment; that of the process if none is given.
        file: the ini file, instead of any `tradewind.cfg`.

    Raises:
        SettingsError: a value is wrong (section, key, value and what is expected are named), or a file
            cannot be read.
    """
    sources = option_sources(environ, file)
    default_url = f"sqlite:///{(sources.home / DATABASE_FILE_NAME).absolute()}"
    settings = Settings(home=sources.home, database=DatabaseSettings(sql_alchemy_conn=default_url))
    sections = {
        name: _load_section(getattr(settings, name), name, sources)
        for name in (field.name for field in dataclasses.fields(settings))
        if dataclasses.is_dataclass(getattr(settings, name))
    }
    return dataclasses.replace(settings, **sections)


def option_sources(environ: Mapping[str, str] | None = None, file: Path | None = None) -> Sources:
    """Where the services look options up; for the arguments see `load_settings`."""
    sources = Sources(environ, lambda name: _from_backend(sources, name), file)
    return sources


def settings_options() -> Iterator[Option]:
    """All options that the services use, section by section."""
    for section in dataclasses.fields(Settings):
        if dataclasses.is_dataclass(section.type):
            for option in dataclasses.fields(section.type):
                secret = bool(option.metadata.get(SECRET))
                yield Option(section.name, option.name, option.default, option.metadata[READER], secret)


def add_to_environment(values: Mapping[str, str]) -> None:
    """For tasks that run in this very process."""
    os.environ.update(values)


def process_environment() -> dict[str, str]:
    """The environment of this process, for those that it starts."""
    return dict(os.environ)


def environment_without_secrets(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment for a process that runs user code: without the options that hold secrets.

    Airflow also lets a command or a secrets backend say them, in variables with `_CMD` and `_SECRET` at the end.
    """
    environ = os.environ if environ is None else environ
    return {name: value for name, value in environ.items() if name.upper() not in _secret_variables()}


def environment_of_workers() -> dict[str, str]:
    """That of this process, for a worker that has no database: without secrets but those of secrets backends."""
    hidden = _secret_variables(kept=frozenset({"secrets", "workers"}))
    return {name: value for name, value in os.environ.items() if name.upper() not in hidden}


@cache
def _secret_variables(kept: frozenset[str] = frozenset()) -> frozenset[str]:
    """`kept`: the sections whose secrets this is not about."""
    known = {(option.section, option.key) for option in settings_options() if option.is_secret}
    return frozenset(
        f"{prefix}__{section}__{key}{suffix}".upper()
        for prefix in ENVIRONMENT_PREFIXES
        for section, key in known | sensitive_options()
        if section not in kept
        for suffix in ("", COMMAND, FROM_BACKEND)
    ) | {"TRADEWIND_ADMIN_PASSWORD"}


def _load_section(defaults: Section, name: str, sources: Sources) -> Section:
    found: dict[str, object] = {}
    for option in dataclasses.fields(defaults):  # type: ignore[arg-type] # every Section is a dataclass
        written = sources.written(name, option.name)
        if written is not None:
            found[option.name] = _read_option(name, option, written.text.strip(), written.place)
    return dataclasses.replace(defaults, **found)  # type: ignore[type-var]


def _read_option(section: str, option: "dataclasses.Field[object]", text: str, place: str) -> object:
    reader: Reader[object] = option.metadata[READER]
    try:
        return reader.read(text)
    except ValueError:
        shown = "(hidden)" if option.metadata.get(SECRET) else repr(text)
        message = f"[{section}] {option.name} is {shown} in {place}; expected {reader.expected}"
        # The cause would say no more, and would print a secret.
        raise SettingsError(message) from None


def _from_backend(sources: Sources, name: str) -> str:
    """An option that the secrets backend knows by a name.

    Raises:
        SettingsError: there is no backend, or it has nothing of that name. To go on with the default, an empty database
            for example, would be worse than to stop.
    """
    path = (sources.find("secrets", "backend") or "").strip()
    if not path:
        raise SettingsError(f"the secret {name!r} of an option can only be read with a [secrets] backend")
    module, _, class_name = path.rpartition(".")
    try:
        backend: Any = getattr(importlib.import_module(module), class_name)
        arguments = json.loads((sources.find("secrets", "backend_kwargs") or "").strip() or "{}")
        text = backend(**arguments).get_config(name)
    except Exception as error:  # it is somebody else's code, and may name its arguments, which may be secret
        reason = error if isinstance(error, ImportError) else type(error).__name__
        raise SettingsError(f"[secrets] backend {path!r} cannot be asked for an option: {reason}") from None
    if text is None:
        raise SettingsError(f"[secrets] backend {path!r} has no option {name!r}")
    return str(text)
