"""Reads DAG files the way the DAG processor does, in a process of its own: `parse_files.py AIRFLOW_FOLDER FILE...`.

Prints one line per file: its name, and the ids of its DAGs or what went wrong. `AIRFLOW_FOLDER` has the
example plugins that some examples import.
"""

import importlib.util
import json
import sys
import warnings
from pathlib import Path
from types import ModuleType

from tradewind.compat import install
from tradewind.dag_processor.compile import compile_dag
from tradewind.model.dag_json import decode_dag, encode_dag
from tradewind.sdk.dag_context import collecting_dags
from tradewind.sdk.dags import DAG


def load(name: str, path: Path) -> ModuleType:
    """Import a file under a name."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def parse(path: Path) -> list[str]:
    """The ids of the DAGs in a file, each compiled, written and read back."""
    with collecting_dags() as dags:
        module = load(f"example_{path.stem}", path)
    dags += [value for value in vars(module).values() if isinstance(value, DAG) and value not in dags]
    for dag in dags:
        compiled = compile_dag(dag)
        assert decode_dag(encode_dag(compiled)) == compiled
    return [dag.dag_id for dag in dags]


def main(airflow_folder: str, files: list[str]) -> None:
    """Parse all files."""
    warnings.simplefilter("ignore")
    install()
    load("airflow.example_dags", Path(airflow_folder, "example_dags", "__init__.py"))
    for file in files:
        try:
            outcome: object = parse(Path(file))
        except BaseException as error:  # whatever a file does is its answer
            outcome = f"{type(error).__name__}: {error}"
        sys.stdout.write(json.dumps([Path(file).name, outcome]) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
