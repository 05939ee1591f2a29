"""Makes docs/cli-reference.md from the command line itself: `python -m tests.architecture.cli_reference`."""

import itertools
import sys
from collections.abc import Iterator
from typing import Any

from tests.architecture.sources import ROOT
from tradewind.cli.command_tree import Known, all_commands
from tradewind.cli.main import ENTRIES

PAGE = ROOT / "docs" / "cli-reference.md"

HEAD = """\
# Reference of the command line

Made by `python -m tests.architecture.cli_reference` from the commands themselves; a test keeps it current.

The words and flags are those of `airflow`. `-o/--output table|json|yaml|plain` chooses how lists are written;
`-v/--verbose` and `--help` go with every command and are left out below. Exit codes: 0 done, 1 refused or failed
(also for a name of which there is nothing), 2 not understood: a word, a value such as a date, or the configuration.

`source <(tradewind completion bash)` teaches bash to complete commands; `zsh` and `fish` are known too.
"""


def page() -> str:
    """The text of the page."""
    return "\n".join([HEAD, *_sections()])


def _sections() -> Iterator[str]:
    for name, members in itertools.groupby(all_commands(), lambda known: known.words[0]):
        yield f"## tradewind {name}\n"
        yield f"{ENTRIES[name].help[0].upper()}{ENTRIES[name].help[1:]}.\n"
        yield "| command | | options |"
        yield "|---|---|---|"
        for known in members:
            yield _line(known)
        yield ""


def _line(known: Known) -> str:
    parameters = [each for each in known.command.params if not _goes_without_saying(each)]
    arguments = [_argument(each) for each in parameters if not each.opts[0].startswith("-")]
    options = [_option(each) for each in parameters if each.opts[0].startswith("-")]
    words = " ".join([*known.words, *arguments])
    return f"| `{words}` | {_plain(known.help)} | {'<br>'.join(options)} |"


def _goes_without_saying(parameter: Any) -> bool:
    return bool({"--help", "--verbose"}.intersection(parameter.opts)) or getattr(parameter, "hidden", False)


def _argument(parameter: Any) -> str:
    name = (parameter.metavar or parameter.name).strip("[]").upper().replace("...", "")
    name = f"{name}..." if parameter.nargs == -1 else name
    return name if parameter.required else f"[{name}]"


def _option(parameter: Any) -> str:
    names = "/".join(sorted([*parameter.opts, *parameter.secondary_opts], key=len))
    return f"`{names}` {_plain(parameter.help or '')}".rstrip()


def _plain(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.stdout.write(f"{PAGE} written\n")
