"""Airflow's import paths: a table of where each name lives here, and a finder that answers from it.

- `finder.py` answers `import airflow` and everything below it; `install()` puts it first in a process.
- `module.py` is what such an import gives: a module whose names are looked up when they are asked for.
- `table.py` joins the rows: `sdk_rows.py` (`airflow.sdk`), `standard_rows.py` (`airflow.providers.standard`),
  `core_rows.py` (the rest of Airflow 3), `old_rows.py` (paths that Airflow deprecated or removed, each with the new
  one), `optional_rows.py` (a few names of provider packages, for where those are not installed).
- `adapters/` holds what has no counterpart in `tradewind.sdk`: the 2.x spellings of DAGs, operators and variables, and
  stand-ins that say why something cannot work and what to use instead.
- `plugin_loading.py` finds plugins, and takes their listeners and macros into the process.

May import: model, sdk, providers, errors, packaging, pluggy. Nothing imports it but the processes that run user code.
Start reading in `finder.py`.
"""

from tradewind.compat.finder import install

__all__ = ["install"]
