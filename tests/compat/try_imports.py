"""Tries `from module import name` for each line of standard input, in a process where Tradewind answers for Airflow.

Prints one JSON object per line: what was warned of at the first and at the second try, what went wrong, and whether
the path that a warning names can be imported.
"""

import builtins
import json
import sys
import warnings
from typing import Any

from tradewind.compat import install
from tradewind.sdk.module_loading import import_string


def try_import(module: str, name: str) -> dict[str, Any]:
    """What happens."""
    warned: list[list[str]] = []
    for _ in range(2):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                # What the import statement does.
                found = builtins.__import__(module, fromlist=[name])
                if not hasattr(found, name):
                    raise ImportError(f"cannot import name {name!r} from {module!r}")
            except ImportError as error:
                return {"error": str(error)}
        warned.append([f"{warning.category.__name__}: {warning.message}" for warning in caught])
    return {"first": warned[0], "second": warned[1], "new": [_resolves(text) for text in warned[0]]}


def _resolves(text: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            import_string(text.rpartition(": use ")[2])
        except ImportError:
            return False
    return True


def main() -> None:
    """Try them all."""
    install()
    for line in sys.stdin:
        module, name = line.split()
        sys.stdout.write(json.dumps(try_import(module, name)) + "\n")


if __name__ == "__main__":
    main()
