"""`dag.test()` and `dag.cli()`: a DAG that its author runs by hand, in real time, with its output on the screen."""

import argparse
import json
import logging
import sys
from datetime import datetime
from typing import Any

from tradewind.sdk import timezone
from tradewind.sdk.dags import DAG
from tradewind.sdk.notset import NOTSET, ArgNotSet
from tradewind.sdk.secrets_backend import load_connections_dict, load_variables
from tradewind.testing.memory.contents import Memory, as_connection, as_variable
from tradewind.testing.result import RunResult
from tradewind.testing.running import run_in_real_time
from tradewind.testing.task_log import kept_logs

log = logging.getLogger(__name__)


def run_for_author(
    dag: DAG,
    *,
    run_after: datetime | None = None,
    logical_date: datetime | ArgNotSet | None = NOTSET,
    run_conf: dict[str, Any] | None = None,
    conn_file_path: str | None = None,
    variable_file_path: str | None = None,
    use_executor: bool = False,
    mark_success_pattern: str | None = None,
) -> RunResult:
    """Run the DAG once, in this process and thread. A run that fails is returned like any other.

    Variables and connections come from the files (JSON, YAML or lines of `KEY=value`), else from the environment.
    `use_executor` makes no difference: an executor would run the tasks in other processes, where no debugger follows.
    """
    memory = Memory()
    if conn_file_path is not None:
        found = load_connections_dict(conn_file_path)
        memory.connections = {conn_id: as_connection(conn_id, connection) for conn_id, connection in found.items()}
    if variable_file_path is not None:
        memory.variables = {key: as_variable(value) for key, value in load_variables(variable_file_path).items()}
    with kept_logs(shown_on=sys.stderr):
        if use_executor:
            log.warning("use_executor has no effect: the tasks run in this process")
        result = run_in_real_time(
            dag,
            logical_date=logical_date,
            run_after=run_after,
            conf=run_conf,
            memory=memory,
            mark_success_pattern=mark_success_pattern,
        )
        for task in result:
            log.info("%s: %s%s", task.name, task.state, f", {task.reason}" if task.reason else "")
        log.info("Run %s of DAG %s: %s", result.run_id, result.dag_id, result.state)
    return result


def command_line(dag: DAG, arguments: list[str] | None = None) -> None:
    """The command line of a DAG file: `python my_dag.py test`. Ends the process."""
    parser = argparse.ArgumentParser(description=dag.description or f"DAG {dag.dag_id}")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("tasks", help="list the tasks")
    test = commands.add_parser("test", help="run the DAG once, in this process")
    test.add_argument("logical_date", nargs="?", type=timezone.parse, help="ISO 8601; now, if not given")
    test.add_argument("-c", "--conf", type=json.loads, help="JSON object that the run is started with")
    test.add_argument("--mark-success-pattern", help="tasks with matching ids succeed without being run")
    test.add_argument("--connections", metavar="FILE", help="JSON, YAML or .env file")
    test.add_argument("--variables", metavar="FILE", help="JSON, YAML or .env file")
    given = parser.parse_args(arguments)
    if given.command == "tasks":
        sys.stdout.writelines(f"{task_id}\n" for task_id in sorted(dag.task_ids))
        return
    result = run_for_author(
        dag,
        logical_date=NOTSET if given.logical_date is None else given.logical_date,
        run_conf=given.conf,
        conn_file_path=given.connections,
        variable_file_path=given.variables,
        mark_success_pattern=given.mark_success_pattern,
    )
    sys.exit(0 if result.is_success else 1)
