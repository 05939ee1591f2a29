"""`tradewind completion`: what lets a shell complete commands.

The scripts name all commands and their options, so that the shell need not start Python at each press of the key.
"""

import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Annotated, Final

import typer

from tradewind.cli.command_tree import all_commands

Words = Mapping[tuple[str, ...], list[str]]
"""What may follow these words."""


class Shell(StrEnum):
    """A shell that can be taught."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def command(shell: Annotated[Shell, typer.Argument(help="whose script to print")]) -> None:
    """Print a script for a shell. In bash: `source <(tradewind completion bash)`; in zsh: `source <(tradewind
    completion zsh)`; in fish: `tradewind completion fish | source`. Put it where the shell reads it at its start."""
    typer.echo(_WRITERS[shell](_words()), nl=False)


def _words() -> Words:
    words: dict[tuple[str, ...], list[str]] = {(): ["--help", "--version"]}
    for known in all_commands():
        for count in range(len(known.words)):
            following = words.setdefault(known.words[:count], [])
            if known.words[count] not in following:
                following.append(known.words[count])
        options = [
            option for parameter in known.command.params for option in (*parameter.opts, *parameter.secondary_opts)
        ]
        words[known.words] = sorted({option for option in options if option.startswith("-")} | {"--help"})
    return words


def _bash(words: Words) -> str:
    return f"""\
_tradewind() {{
    local current="${{COMP_WORDS[COMP_CWORD]}}" found=""
    case "${{COMP_WORDS[*]:1:COMP_CWORD-1}}" in
{_cases(words, "found")}
    esac
    COMPREPLY=($(compgen -W "$found" -- "$current"))
}}
complete -o default -F _tradewind tradewind
"""


def _zsh(words: Words) -> str:
    return f"""\
#compdef tradewind
_tradewind() {{
    local found=""
    case "${{words[2,CURRENT-1]}}" in
{_cases(words, "found")}
    esac
    compadd -- ${{=found}}
    _files
}}
if [[ "$funcstack[1]" == "_tradewind" ]]; then _tradewind "$@"; else compdef _tradewind tradewind; fi
"""


def _cases(words: Words, variable: str) -> str:
    """The longest first: a command's options may follow anything that was said after it."""
    lines = []
    for given in sorted(words, key=lambda each: (-len(each), each)):
        is_command = all(word.startswith("-") for word in words[given])
        pattern = f'"{" ".join(given)}"' + (f'|"{" ".join(given)} "*' if is_command else "")
        lines.append(f'        {pattern}) {variable}="{" ".join(words[given])}" ;;')
    return "\n".join(lines)


def _fish(words: Words) -> str:
    lines = ["complete -c tradewind -f"]
    for given, following in sorted(words.items()):
        names = [word for word in following if not word.startswith("-")]
        if names:
            tests = [f"__fish_seen_subcommand_from {word}" for word in given]
            tests.append(f"not __fish_seen_subcommand_from {' '.join(names)}")
            lines.append(f"complete -c tradewind -n '{'; and '.join(tests)}' -a '{' '.join(names)}'")
        for option in following:
            if option.startswith("-"):
                is_used = "; and ".join(f"__fish_seen_subcommand_from {word}" for word in given) or "true"
                lines.append(f"complete -c tradewind -n '{is_used}' {_fish_option(option)}")
    return "\n".join(lines) + "\n"


def _fish_option(option: str) -> str:
    name = re.sub("^-+", "", option)
    return f"-l {name}" if option.startswith("--") else f"-s {name}"


_WRITERS: Final[Mapping[Shell, Callable[[Words], str]]] = {Shell.BASH: _bash, Shell.ZSH: _zsh, Shell.FISH: _fish}
