"""`tradewind`: the command line's entry."""

import argparse
import sys
from collections.abc import Sequence

from tradewind import __version__
from tradewind.cli import db
from tradewind.errors import TradewindError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Returns the exit code: 0 done, 1 refused or failed, 2 not understood."""
    parser = argparse.ArgumentParser(prog="tradewind", description="A workflow orchestrator.")
    parser.add_argument("--version", action="version", version=f"tradewind {__version__}")
    groups = parser.add_subparsers(dest="group", required=True, metavar="GROUP")
    db.add_commands(groups)
    parsed = parser.parse_args(arguments)
    try:
        parsed.run(parsed)
    except TradewindError as error:
        sys.stderr.write(f"tradewind: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
