"""What is wrong with a configuration, option by option, instead of the first that stops the start."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from tradewind.configuration.former_names import STILL_READ, former_options
from tradewind.configuration.sources import (
    ENVIRONMENT_PREFIXES,
    Sources,
    default_texts,
    variable_prefix,
    without_suffix,
)
from tradewind.errors import SettingsError
from tradewind.settings.loading import Option
from tradewind.settings.shown import own_options
from tradewind.settings.used_elsewhere import USED_ELSEWHERE


class Kind(StrEnum):
    """What it is that is wrong."""

    WRONG_VALUE = "wrong value"
    UNKNOWN = "unknown"
    REMOVED = "removed"
    RENAMED = "renamed"
    UNUSED = "not used"
    """Airflow knows it, Tradewind does not need it. Nothing breaks; what it was meant to do is not done."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong."""

    kind: Kind
    section: str
    key: str
    place: str
    text: str

    @property
    def is_problem(self) -> bool:
        """Whether somebody should do something about it."""
        return self.kind is not Kind.UNUSED


@dataclass(frozen=True, slots=True)
class Mention:
    """An option that somebody has written, and where."""

    section: str
    key: str
    place: str


Checks = Mapping[tuple[str, str], Callable[[str], object]]
"""By section and key: what raises `SettingsError` for a value that is read, but not understood by who uses it."""


def lint(sources: Sources, checks: Checks | None = None) -> list[Finding]:
    """All that is wrong, in the order in which it is written.

    Raises:
        SettingsError: a file cannot be read.
    """
    found: list[Finding] = []
    judged: set[tuple[str, str]] = set()
    for mention in dict.fromkeys(mentions(sources)):
        option = own_options().get((mention.section, mention.key))
        if option is None:
            finding = _judge_name(sources, mention)
        elif (option.section, option.key) in judged:
            continue
        else:
            judged.add((option.section, option.key))
            finding = _judge_value(sources, option, mention, (checks or {}).get((option.section, option.key)))
        if finding is not None:
            found.append(finding)
    return found


def mentions(sources: Sources) -> Iterator[Mention]:
    """Every option that the environment and the files name."""
    for prefix in ENVIRONMENT_PREFIXES:
        for name in sorted(sources.environ):
            if name.startswith(f"{prefix}__"):
                section, key = _named_by(sources, prefix, name)
                yield Mention(section, without_suffix(section, key), name)
    for path, content in sources.files:
        for section in content.sections():
            for key in content.options(section):
                yield Mention(section.lower(), without_suffix(section.lower(), key), str(path))


def _named_by(sources: Sources, prefix: str, name: str) -> tuple[str, str]:
    """Sections may have dots, for which variables have underscores."""
    for section in sources.sections():
        start = variable_prefix(prefix, section)
        if name.startswith(start):
            return section, name.removeprefix(start).lower()
    section, _, key = name.removeprefix(f"{prefix}__").partition("__")
    return section.lower(), key.lower()


def _judge_value(
    sources: Sources, option: Option, mention: Mention, check: Callable[[str], object] | None
) -> Finding | None:
    """Only what wins is looked at: what loses to another does no harm."""
    try:
        written = sources.written(option.section, option.key)
    except SettingsError as error:
        return _finding(Kind.WRONG_VALUE, mention, str(error))
    assert written is not None, "somebody has mentioned it"
    text = written.text.strip()
    place = Mention(option.section, option.key, written.place)
    try:
        option.reader.read(text)
    except ValueError:
        shown = "what is there" if option.is_secret else repr(text)
        return _finding(Kind.WRONG_VALUE, place, f"{shown} cannot be used; expected {option.reader.expected}")
    try:
        if check is not None:
            check(text)
    except SettingsError as error:
        return _finding(Kind.WRONG_VALUE, place, str(error))
    complaint = option.reader.complaint(text)
    return None if complaint is None else _finding(Kind.WRONG_VALUE, place, f"it is not used: {complaint}")


def _judge_name(sources: Sources, mention: Mention) -> Finding | None:
    section, key = mention.section, mention.key
    if (section, key) in USED_ELSEWHERE:
        return None
    if sources.knows(section, key):
        return _unused(sources, mention)
    name = f"{section}.{key}"
    today = next((new for new, olds in STILL_READ.items() if (section, key) in olds), None)
    if today is not None:
        return _finding(Kind.RENAMED, mention, f"it is called [{today[0]}] {today[1]} now; the old name is still read")
    if name in former_options():
        new = former_options()[name]
        if new is None:
            return _finding(Kind.REMOVED, mention, "Airflow 3 has no such option any more")
        new_section, _, new_key = new.partition(".")
        return _finding(Kind.RENAMED, mention, f"it is called [{new_section}] {new_key} now; the old name is not read")
    if not any(section in known for known in (default_texts(), {of for of, _ in own_options()})):
        return _finding(Kind.UNKNOWN, mention, f"there is no section [{section}]")
    return _finding(Kind.UNKNOWN, mention, "there is no such option")


def _unused(sources: Sources, mention: Mention) -> Finding | None:
    written = sources.written(mention.section, mention.key)
    if written is None or written.text.strip() == (sources.default(mention.section, mention.key) or ""):
        return None  # whoever writes the default expects nothing else
    return _finding(Kind.UNUSED, mention, "Tradewind does not use it")


def _finding(kind: Kind, mention: Mention, text: str) -> Finding:
    return Finding(kind, mention.section, mention.key, mention.place, text)
