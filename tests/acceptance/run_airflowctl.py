"""Runs `airflowctl` many times in one process: most of what a single command costs is to load the program.

Takes commands from the standard input, a list of lists of words as JSON, and writes a list of exit codes and outputs.
"""

import contextlib
import io
import json
import sys

from airflowctl.__main__ import main  # type: ignore[import-untyped]


def run(words: list[str]) -> tuple[int, str]:
    """One command, as the shell would start it."""
    sys.argv = ["airflowctl", *words]
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        try:
            main()
        except SystemExit as exit_:
            return (exit_.code if isinstance(exit_.code, int) else 1), said.getvalue()
    return 0, said.getvalue()


if __name__ == "__main__":
    sys.stdout.write(json.dumps([run(words) for words in json.load(sys.stdin)]))
