"""Provider packages of Airflow: installing them without Airflow, and what their metadata says they bring.

- `names.py` knows how packages are called, `installing.py` installs them with uv or pip.
- `metadata.py` reads what the installed ones bring; `standard.py` says the same about Tradewind's own operators.
- `decorators.py` finds their `@task.<name>` decorators.

Nothing here imports a provider before it is asked for by name. May import: sdk, errors, packaging. Start reading in
`metadata.py`.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def task_decorators() -> Mapping[str, Callable[..., Any]]:
    """The decorators of all installed packages, by name."""
    # Reading metadata of packages takes long to load, and every process that reads DAG files has this function.
    found: Mapping[str, Callable[..., Any]] = import_module("tradewind.providers.decorators").task_decorators()
    return found
