"""Bring a configuration file up to date: options that have other names now, and those that are gone.

The file is changed line by line, so that its comments and its order stay.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tradewind.configuration.former_names import STILL_READ, former_options
from tradewind.configuration.sources import Sources
from tradewind.settings.lint import Kind, Mention, lint

_SECTION: Final = re.compile(r"\[(?P<name>[^]]+)\]")
_OPTION: Final = re.compile(r"(?P<key>[^\s#;=:\[][^=:]*?)(?P<rest>\s*[=:].*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of an option of a file."""

    section: str
    key: str
    place: str
    becomes: tuple[str, str] | None
    """Its section and key now; None: it goes."""

    def __str__(self) -> str:
        was = f"[{self.section}] {self.key} in {self.place}"
        return f"{was} goes" if self.becomes is None else f"{was} becomes [{self.becomes[0]}] {self.becomes[1]}"


def changes(sources: Sources, *, also_recommended: bool = False) -> list[Change]:
    """What has to be changed in the files; `also_recommended`: with old names that are still read.

    Raises:
        SettingsError: a file cannot be read.
    """
    places = {str(path) for path, _ in sources.files}
    found = [each for each in lint(sources) if each.place in places and each.kind in (Kind.RENAMED, Kind.REMOVED)]
    made = [
        Change(each.section, each.key, each.place, _today(Mention(each.section, each.key, each.place)))
        for each in found
    ]
    return [change for change in made if also_recommended or not _is_still_read(change)]


def updated(text: str, wanted: Sequence[Change]) -> str:
    """The text of a file with these changes. What is there under the new name already wins over the old one."""
    blocks = list(_blocks(text))
    by_name = {(change.section, change.key): change for change in wanted}
    there = {(block.section, block.key) for block in blocks}
    kept: list[_Block] = []
    moved: list[_Block] = []
    for block in blocks:
        change = by_name.get((block.section, block.key))
        if change is None:
            kept.append(block)
        elif change.becomes is not None:
            section, key = change.becomes
            if (section, key) in there:
                continue
            (kept if section == block.section else moved).append(block.renamed(section, key))
    return "".join(block.text for block in _placed(kept, moved))


@dataclass(frozen=True, slots=True)
class _Block:
    """An option with the lines that go on with it, or a line of another kind."""

    section: str
    key: str
    """Empty: no option."""
    text: str

    def renamed(self, section: str, key: str) -> "_Block":
        match = _OPTION.match(self.text)
        assert match is not None
        return _Block(section, key, key + match["rest"])


def _blocks(text: str) -> Iterator[_Block]:
    section, pending = "", None
    for line in text.splitlines(keepends=True):
        if pending is not None and line[:1].isspace() and line.strip():
            pending = _Block(section, pending.key, pending.text + line)
            continue
        if pending is not None:
            yield pending
            pending = None
        if match := _SECTION.match(line):
            section = match["name"].strip().lower()
        elif match := _OPTION.match(line):
            pending = _Block(section, match["key"].strip().lower(), line)
            continue
        yield _Block(section, "", line)
    if pending is not None:
        yield pending


def _placed(kept: list[_Block], moved: list[_Block]) -> list[_Block]:
    """Each moved option after the last one of its section; a section that was not there comes last."""
    placed = list(kept)
    for block in moved:
        if not block.text.endswith("\n"):
            block = _Block(block.section, block.key, block.text + "\n")
        last = max(
            (at for at, each in enumerate(placed) if each.section == block.section and each.text.strip()), default=None
        )
        if last is None:
            placed += [_Block(block.section, "", f"\n[{block.section}]\n"), block]
        else:
            placed.insert(last + 1, block)
    return placed


def _today(mention: Mention) -> tuple[str, str] | None:
    named = (mention.section, mention.key)
    today = next((new for new, olds in STILL_READ.items() if named in olds), None)
    if today is not None:
        return today
    new = former_options().get(f"{mention.section}.{mention.key}")
    if new is None:
        return None
    section, _, key = new.partition(".")
    return section, key


def _is_still_read(change: Change) -> bool:
    return change.becomes is not None and (change.section, change.key) in STILL_READ.get(change.becomes, ())
