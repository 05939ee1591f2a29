"""The configuration as people look at it: every option there is, as text, and where it comes from."""

from functools import cache
from typing import Final, NamedTuple

from tradewind.configuration.sources import Sources
from tradewind.settings.loading import Option, settings_options

HIDDEN: Final = "< hidden >"


class ShownOption(NamedTuple):
    """An option, as it is."""

    section: str
    key: str
    text: str | None
    place: str | None
    """Where it was written; None: it is the default."""


def read_option(sources: Sources, section: str, key: str) -> ShownOption:
    """What an option is, secrets too.

    Raises:
        SettingsError: a file cannot be read, or a command fails.
    """
    written = sources.written(section, key)
    if written is not None:
        return ShownOption(section, key, written.text.strip(), written.place)
    return ShownOption(section, key, default_of(sources, section, key), None)


def default_of(sources: Sources, section: str, key: str) -> str | None:
    """What it is where nobody says otherwise."""
    if sources.knows(section, key) or (section, key) not in own_options():
        return sources.default(section, key)
    return str(own_options()[section, key].default)


def all_sections(sources: Sources) -> list[str]:
    """Every section, also Tradewind's own."""
    return list(dict.fromkeys([*sources.sections(), *(section for section, _ in own_options())]))


def all_keys(sources: Sources, section: str) -> list[str]:
    """Every option of a section, also Tradewind's own."""
    own = [key for of, key in own_options() if of == section]
    return list(dict.fromkeys([*sources.keys(section), *own]))


def is_secret(sources: Sources, section: str, key: str) -> bool:
    """Whether only those may see it who may see everything."""
    own = own_options().get((section, key))
    return sources.is_sensitive(section, key) or (own is not None and own.is_secret)


@cache
def own_options() -> dict[tuple[str, str], Option]:
    """The options that the services use."""
    return {(option.section, option.key): option for option in settings_options()}
