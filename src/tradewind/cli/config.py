"""`tradewind config`: what is configured, by whom, and what is wrong with it."""

import shutil
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tradewind.cli.deferred import Deferred
from tradewind.cli.groups import make_group
from tradewind.configuration.sources import ENVIRONMENT_PREFIXES, Sources, variable_prefix
from tradewind.settings import option_sources
from tradewind.settings.lint import Checks, Finding, lint
from tradewind.settings.shown import HIDDEN, all_keys, all_sections, default_of, is_secret, own_options, read_option
from tradewind.settings.update import Change, changes, updated
from tradewind.settings.used_elsewhere import USED_ELSEWHERE

if TYPE_CHECKING:
    from tradewind import bootstrap
    from tradewind.secrets import encryption
else:
    bootstrap = Deferred("tradewind.bootstrap")
    encryption = Deferred("tradewind.secrets.encryption")

app = make_group()

_PROVIDERS: Final = (
    *("celery", "celery_broker_transport_options", "celery_kubernetes_executor"),
    *("celery_result_backend_transport_options", "common.io", "edge", "fab", "kubernetes_executor"),
    *("local_kubernetes_executor", "standard"),
)
"""Sections that come with provider packages in Airflow."""


class Colour(StrEnum):
    """Whether the output has colours."""

    ON = "on"
    AUTO = "auto"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class _Shown:
    """What to show of each option."""

    only_defaults: bool
    descriptions: bool
    examples: bool
    variables: bool
    sources: bool
    secrets: bool
    commented: bool


@app.command("list", help="print every option, as a configuration file")
def _list(
    section: Annotated[str | None, typer.Option("--section", help="only this section")] = None,
    color: Annotated[Colour, typer.Option("--color", help="whether to write in colours")] = Colour.AUTO,
    defaults: Annotated[
        bool, typer.Option("--defaults", "-a", help="what options are if nobody says anything")
    ] = False,
    include_descriptions: Annotated[
        bool, typer.Option("--include-descriptions", "-d", help="whether Tradewind uses it, and its default")
    ] = False,
    include_examples: Annotated[
        bool, typer.Option("--include-examples", "-e", help="what may be written there")
    ] = False,
    include_env_vars: Annotated[
        bool, typer.Option("--include-env-vars", "-V", help="the variables that set it")
    ] = False,
    include_sources: Annotated[bool, typer.Option("--include-sources", "-s", help="where it comes from")] = False,
    exclude_providers: Annotated[
        bool, typer.Option("--exclude-providers", "-p", help="without the options of provider packages")
    ] = False,
    comment_out_everything: Annotated[
        bool, typer.Option("--comment-out-everything", "-c", help="as a file that changes nothing")
    ] = False,
    show_values: Annotated[bool, typer.Option("--show-values", help="show secrets too")] = False,
    hide_sensitive: Annotated[bool, typer.Option("--hide-sensitive", help="hide secrets in any case")] = False,
    _verbose: Annotated[bool, typer.Option("--verbose", "-v", hidden=True)] = False,
) -> None:
    shown = _Shown(
        defaults,
        include_descriptions,
        include_examples,
        include_env_vars,
        include_sources,
        show_values and not hide_sensitive,
        comment_out_everything or defaults,
    )
    sources = option_sources()
    sections = all_sections(sources)
    if section and section.lower() not in sections:
        raise typer.BadParameter(f"there is no section [{section}]")
    unwanted = _PROVIDERS if exclude_providers else ()
    for name in [section.lower()] if section else [name for name in sections if name not in unwanted]:
        has_colours = {Colour.ON: True, Colour.OFF: False}.get(color)
        typer.echo(typer.style(f"[{name}]", fg="cyan"), color=has_colours)
        for key in all_keys(sources, name):
            typer.echo("\n".join(_lines(sources, name, key, shown)))
        typer.echo()


@app.command("get-value", help="print the value of one option")
def _get_value(
    section: Annotated[str, typer.Argument(metavar="SECTION")],
    option: Annotated[str, typer.Argument(metavar="OPTION")],
    _verbose: Annotated[bool, typer.Option("--verbose", "-v", hidden=True)] = False,
) -> None:
    sources = option_sources()
    section, option = section.lower(), option.lower()
    if option not in all_keys(sources, section):
        raise typer.BadParameter(f"there is no option {option!r} in section [{section}]")
    typer.echo(read_option(sources, section, option).text or "")


@app.command("lint", help="name options that are unknown, renamed, removed, wrong, or not used by Tradewind")
def _lint(
    section: Annotated[list[str] | None, typer.Option("--section", help="only these sections")] = None,
    option: Annotated[list[str] | None, typer.Option("--option", help="only these options")] = None,
    ignore_section: Annotated[list[str] | None, typer.Option("--ignore-section", help="not these sections")] = None,
    ignore_option: Annotated[list[str] | None, typer.Option("--ignore-option", help="not these options")] = None,
    _verbose: Annotated[bool, typer.Option("--verbose", "-v", hidden=True)] = False,
) -> None:
    wanted, unwanted = (_words(section), _words(option)), (_words(ignore_section), _words(ignore_option))
    findings = [
        finding
        for finding in lint(option_sources(), _checks())
        if _is_in(finding, wanted, when_empty=True) and not _is_in(finding, unwanted, when_empty=False)
    ]
    for finding in findings:
        typer.echo(f"{finding.kind}: [{finding.section}] {finding.key} in {finding.place}: {finding.text}")
    problems = sum(finding.is_problem for finding in findings)
    typer.echo(f"{problems} to mend, {len(findings) - problems} without effect" if findings else "nothing is wrong")
    raise typer.Exit(1 if problems else 0)


@app.command("update", help="bring names of options in configuration files up to date; tells what it would do")
def _update(
    fix: Annotated[bool, typer.Option("--fix", help="do it; what was there is kept in FILE.bak")] = False,
    all_recommendations: Annotated[
        bool, typer.Option("--all-recommendations", help="also old names that are still read")
    ] = False,
    section: Annotated[list[str] | None, typer.Option("--section", help="only these sections")] = None,
    option: Annotated[list[str] | None, typer.Option("--option", help="only these options")] = None,
    ignore_section: Annotated[list[str] | None, typer.Option("--ignore-section", help="not these sections")] = None,
    ignore_option: Annotated[list[str] | None, typer.Option("--ignore-option", help="not these options")] = None,
    _verbose: Annotated[bool, typer.Option("--verbose", "-v", hidden=True)] = False,
) -> None:
    wanted, unwanted = (_words(section), _words(option)), (_words(ignore_section), _words(ignore_option))
    chosen = [
        change
        for change in changes(option_sources(), also_recommended=all_recommendations)
        if _is_in(change, wanted, when_empty=True) and not _is_in(change, unwanted, when_empty=False)
    ]
    for change in chosen:
        typer.echo(str(change))
    if not chosen:
        typer.echo("nothing has to be changed")
    elif not fix:
        typer.echo("nothing was changed: --fix does it", err=True)
    for place in sorted({change.place for change in chosen} if fix else ()):
        path = Path(place)
        text = path.read_text(encoding="utf-8")
        shutil.copy2(path, f"{path}.bak")
        path.write_text(updated(text, [change for change in chosen if change.place == place]), encoding="utf-8")


def _checks() -> Checks:
    """Of options that are texts to who reads them, and more to who uses them."""
    return {
        ("core", "executor"): bootstrap.check_executors,
        ("core", "fernet_key"): encryption.Encryption.from_setting,
    }


def _lines(sources: Sources, section: str, key: str, shown: _Shown) -> Iterator[str]:
    own = own_options().get((section, key))
    if shown.descriptions:
        is_used = own is not None or (section, key) in USED_ELSEWHERE
        yield f"# {'used by Tradewind' if is_used else 'not used by Tradewind'}" + _default(sources, section, key)
    if shown.examples and own is not None:
        yield f"# {own.reader.expected}"
    if shown.variables:
        yield "# " + ", ".join(f"{variable_prefix(prefix, section)}{key.upper()}" for prefix in ENVIRONMENT_PREFIXES)
    if shown.only_defaults:
        text, place = default_of(sources, section, key), None
    elif is_secret(sources, section, key) and not shown.secrets:
        # Not even fetched: that might take a command.
        text, place = HIDDEN, None
    else:
        _, _, text, place = read_option(sources, section, key)
    if shown.sources and text != HIDDEN:
        yield f"# from {place or 'the defaults'}"
    value = "\n    ".join((text or "").splitlines())
    yield f"{'# ' if shown.commented else ''}{key} = {value}".rstrip()


def _default(sources: Sources, section: str, key: str) -> str:
    if is_secret(sources, section, key):
        return ""
    return f"; {default_of(sources, section, key) or 'nothing'} by default"


def _words(given: list[str] | None) -> set[str]:
    return {word.strip().lower() for text in given or () for word in text.split(",")}


def _is_in(finding: Finding | Change, words: tuple[Collection[str], Collection[str]], *, when_empty: bool) -> bool:
    sections, options = words
    if not sections and not options:
        return when_empty
    return finding.section in sections or finding.key in options
