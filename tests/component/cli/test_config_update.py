"""Configuration files with old names are brought up to date, and stay what they were besides (A8)."""

from pathlib import Path

from tests.component.cli.deployment import CliDeployment
from tradewind.settings.update import Change, updated

OLD = """# mine
[core]
sql_alchemy_conn = cat
    secret
# about it
dag_concurrency : 7

[api]
port = 1

[old]
gone = 1
    and more
"""
NEW = """# mine
[core]
# about it
max_active_tasks_per_dag : 7

[api]
port = 1

[old]

[database]
sql_alchemy_conn = cat
    secret
"""
CHANGES = [
    Change("core", "sql_alchemy_conn", "f", ("database", "sql_alchemy_conn")),
    Change("core", "dag_concurrency", "f", ("core", "max_active_tasks_per_dag")),
    Change("old", "gone", "f", None),
]


def test_options_are_renamed_moved_and_dropped_and_all_else_stays() -> None:
    assert updated(OLD, CHANGES) == NEW
    assert updated(NEW, CHANGES) == NEW
    assert updated(OLD, []) == OLD


def test_an_option_moves_to_the_end_of_its_section_unless_it_is_there() -> None:
    moves = [Change("webserver", "workers", "f", ("api", "workers"))]

    assert updated("[webserver]\nworkers = 4", moves) == "[webserver]\n\n[api]\nworkers = 4\n"
    assert updated("[api]\na = 1\n\n[webserver]\nworkers = 4\n", moves) == "[api]\na = 1\nworkers = 4\n\n[webserver]\n"
    there = "[api]\nworkers = 1\n[webserver]\nworkers = 4\n"
    assert updated(there, moves) == "[api]\nworkers = 1\n[webserver]\n"


def test_the_command_tells_what_it_would_do_and_does_it_on_demand(deployment: CliDeployment) -> None:
    path = deployment.home / "tradewind.cfg"
    before = "[core]\ndag_concurrency = 7\n[webserver]\nworkers = 4\n"
    path.write_text(before, encoding="utf-8")

    told = deployment.run("config", "update")
    assert told == f"[core] dag_concurrency in {path} becomes [core] max_active_tasks_per_dag\n"
    assert "[api] workers" in deployment.run("config", "update", "--all-recommendations", "--ignore-section", "core")
    assert path.read_text(encoding="utf-8") == before
    deployment.run("config", "update", "--fix")

    assert path.read_text(encoding="utf-8") == before.replace("dag_concurrency", "max_active_tasks_per_dag")
    assert Path(f"{path}.bak").read_text(encoding="utf-8") == before
    assert deployment.run("config", "update") == "nothing has to be changed\n"
