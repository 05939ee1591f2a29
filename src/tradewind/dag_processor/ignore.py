"""`.airflowignore`: which files and folders are passed over.

The glob syntax is that of `.gitignore`: a file's patterns hold for its folder and all below it, later ones and those of
deeper folders win, and `!` takes a pattern back. In the regexp syntax each line is searched for in the path below the
bundle's folder.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import pathspec

IGNORE_FILE: Final = ".airflowignore"
_COMMENT: Final = re.compile(r"\s*#.*")


class InvalidPattern(ValueError):
    """A line that is no pattern."""


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The rules that hold in one folder: its own and those of the folders around it."""

    syntax: str = "glob"
    globs: tuple[tuple[str, pathspec.GitIgnoreSpec], ...] = ()
    """(folder of the file, its patterns), outermost first. A folder is a path with a slash behind it, or empty."""
    expressions: tuple[re.Pattern[str], ...] = field(default=())

    def within(self, folder: str, lines: Sequence[str]) -> "IgnoreRules":
        """The rules below a folder with such a file.

        Raises:
            InvalidPattern: a line is no pattern; it is named.
        """
        if self.syntax == "regexp":
            texts = [_COMMENT.sub("", line).strip() for line in lines]
            compiled = tuple(_compile(text) for text in texts if text)
            return IgnoreRules(self.syntax, (), (*self.expressions, *compiled))
        try:
            spec = pathspec.GitIgnoreSpec.from_lines(lines)
        except (re.error, ValueError) as error:
            raise InvalidPattern(str(error)) from error
        return IgnoreRules(self.syntax, (*self.globs, (folder, spec)))

    def ignores(self, path: str) -> bool:
        """Whether a path, relative to the bundle, is passed over; one of a folder ends with a slash."""
        if self.syntax == "regexp":
            return any(expression.search(path.rstrip("/")) for expression in self.expressions)
        verdict = False
        for folder, spec in self.globs:
            said = spec.check_file(path.removeprefix(folder)).include
            verdict = verdict if said is None else said
        return verdict


def _compile(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise InvalidPattern(f"{text!r} is no regular expression: {error}") from error
