"""The configuration, as far as it may be shown: secrets never, and nothing unless `[api] expose_config` says so."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Final, Literal, cast

from fastapi import Depends, Header, HTTPException
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel, BeforeValidator, ConfigDict

from tradewind.api.auth.access import Action, Need, Resource
from tradewind.api.operation import Operations
from tradewind.api.services import Given, Services
from tradewind.errors import NotFound
from tradewind.settings.shown import HIDDEN, all_keys, all_sections, is_secret, read_option

operations = Operations("Config")

_READ: Final = Need(Resource.CONFIG, Action.READ)
_TEXT: Final = "text/plain"
_KINDS: Final = ("application/json", _TEXT, "*/*")
_CONCEALED: Final = "false"
_AS_TEXT: Final[Mapping[int, str | Mapping[str, Any]]] = {
    200: {"content": {_TEXT: {"schema": {"type": "string"}}}},
    406: "No such form",
}


class ConfigOption(BaseModel):
    """An option: its value, or where it comes from as well."""

    model_config = ConfigDict(extra="forbid")
    key: str
    value: str | tuple[str, str]

    @property
    def line(self) -> str:
        """As it stands in a file."""
        return f"{self.key} = {self.value if isinstance(self.value, str) else self.value[0]}\n"


class ConfigSection(BaseModel):
    """The options of a section."""

    model_config = ConfigDict(extra="forbid")
    name: str
    options: list[ConfigOption]

    @property
    def text(self) -> str:
        """As it stands in a file."""
        return f"[{self.name}]\n" + "".join(option.line for option in self.options)


class Config(BaseModel):
    """All sections."""

    model_config = ConfigDict(extra="forbid")
    sections: list[ConfigSection]

    @property
    def text(self) -> str:
        """As it stands in a file."""
        return "\n".join(section.text for section in self.sections)


def _chosen_kind(accept: str) -> str:
    """The first that we have of what the client takes.

    Raises:
        HTTPException: 406; none of it.
    """
    for part in accept.split(","):
        kind = part.partition(";")[0].strip()
        if kind in _KINDS:
            return kind
    raise HTTPException(406, f"this can be had as {' or '.join(_KINDS[:2])} only")


Accept = Annotated[Literal["application/json", "text/plain", "*/*"], BeforeValidator(_chosen_kind), Header()]


def is_concealed(services: Services) -> bool:
    """Whether nobody is shown anything of it, whatever they may otherwise."""
    return services.settings.api.expose_config == _CONCEALED


def _may_be_shown(services: Given) -> None:
    if is_concealed(services):
        raise HTTPException(403, "[api] expose_config does not let the configuration be shown")


_EXPOSED: Final = (Depends(_may_be_shown),)


@operations.add("GET", "/config", operation_id="get_config", need=_READ, responses=_AS_TEXT, dependencies=_EXPOSED)
def get_config(services: Given, section: str | None = None, accept: Accept = "*/*") -> Config:
    """All sections, or one."""
    sections = all_sections(services.option_sources)
    if section is not None and section.lower() not in sections:
        raise NotFound(f"there is no section [{section}]")
    wanted = sections if section is None else [section.lower()]
    return _answer([_section(services, name, all_keys(services.option_sources, name)) for name in wanted], accept)


@operations.add(
    "GET",
    "/config/section/{section}/option/{option}",
    operation_id="get_config_value",
    need=_READ,
    responses=_AS_TEXT,
    dependencies=_EXPOSED,
)
def get_config_value(section: str, option: str, services: Given, accept: Accept = "*/*") -> Config:
    """One option."""
    if option.lower() not in all_keys(services.option_sources, section.lower()):
        raise NotFound(f"there is no option {option!r} in section [{section}]")
    return _answer([_section(services, section.lower(), [option.lower()])], accept)


def _section(services: Services, name: str, keys: Iterable[str]) -> ConfigSection:
    return ConfigSection(name=name, options=[ConfigOption(key=key, value=_shown(services, name, key)) for key in keys])


def _shown(services: Services, section: str, key: str) -> str:
    sources = services.option_sources
    # Of what nobody knows, the name alone tells.
    sounds_secret = not sources.knows(section, key) and services.masking.is_secret_name(key)
    if sounds_secret or is_secret(sources, section, key):
        return HIDDEN  # not even fetched: that might take a command
    return read_option(sources, section, key).text or ""


def _answer(sections: list[ConfigSection], accept: str) -> Config:
    config = Config(sections=sections)
    # Of the two kinds of answers, the document names the one that programs read.
    return cast("Config", PlainTextResponse(config.text)) if accept == _TEXT else config
