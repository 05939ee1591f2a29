"""Every command with every value that it takes, given values that it cannot take: one line says so, and the code of
what is not understood (A8, D7). What is well-formed but names nothing that there is ends with 1, as in Airflow."""

from collections.abc import Iterator
from enum import Enum
from typing import Any, Final, get_args

import pytest

from tests.component.cli.deployment import CliDeployment
from tradewind.cli.command_tree import Known, all_commands
from tradewind.cli.main import NOT_UNDERSTOOD
from tradewind.model.dag import Dag, Task

GOOD: Final = {
    "dag_id": "hello",
    "task_id": "greet",
    "run": "first",
    "run_id": "first",
    "from_date": "2026-01-01",
    "to_date": "2026-01-02",
    "until": "2999-01-01",
    "clean_before_timestamp": "2020-01-01",
    "backfill_id": "1",
    "conn_id": "warehouse",
    "shell": "bash",
    "section": "core",
    "option": "parallelism",
    "name": "small",
    "slots": "1",
    "description": "few",
    "key": "colour",
    "value": "blue",
    "role": "Viewer",
    "username": "ann",
    "firstname": "Ann",
    "lastname": "Lee",
    "email": "ann@example.org",
    "password": "secret",
    "filepath": "/nonexistent/file.json",
    "db": "sqlite:////nonexistent/airflow.db",
}
"""What is given where a command needs something else besides."""
NO_DATES: Final = (
    *("tomorrow", "", "2026-13-01", "2026-02-30", "2026-01-01T25:00", "12026-01-01", "0", "now()", "\x00"),
    *("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"),  # of which UTC knows nothing
)
NO_JSON: Final = ("{", "", "[1]", "1", "null", "{'a': 1}", '{"a":' * 5000)
NO_NUMBERS: Final = ("many", "", "1,5", "0x10", "1;2", "٣x")
BAD: Final = {
    "SECTION": ("no-such-section", ""),
    "OPTION": ("no-such-option", ""),
    "DATE": NO_DATES,
    "LOGICAL_DATE": NO_DATES,
    "JSON": NO_JSON,
    "REGEX": ("(((", "*"),
    "CRON": ("* *", "99 * * * *", "(((", "@never", ""),
    "NAMES": ("no-such-name", "', --"),
    "KINDS": ("no-such-kind",),
    "DAYS|all": ("many", "-1", ""),
}
"""By what help calls the value."""
SCHEDULE: Final = "--schedule=0 0 * * *"


def values_of(command: Any) -> list[Any]:
    """What takes a value."""
    return [each for each in command.params if hasattr(each, "type_descriptor") and not each.__dict__.get("is_flag")]


def kind_of(parameter: Any) -> Any:
    kind = parameter.type_descriptor.annotation
    return get_args(kind)[0] if get_args(kind) else kind


def bad_values(parameter: Any) -> Iterator[str]:
    """What it cannot take, whatever is stored."""
    kind = kind_of(parameter)
    if kind in (int, float):
        yield from NO_NUMBERS
        if parameter.min is not None:
            yield str(parameter.min - 1)
        yield "9" * 30 if parameter.max is None else str(parameter.max + 1)
    elif isinstance(kind, type) and issubclass(kind, Enum):
        yield from ("no-such-choice", "")
    elif "--queues" not in parameter.opts:  # whose names are whatever DAGs say
        yield from BAD.get(parameter.metavar or "", ())
    if parameter.name == "timezone":
        yield from ("Mars/Olympus", "", "../../etc/passwd", "/etc/localtime")


def line_with(known: Known, bad: Any, value: str) -> list[str]:
    """The words of a command where only this value is bad."""
    words, arguments = [*known.words, *([SCHEDULE] if bad.name == "timezone" else ())], []
    for each in values_of(known.command):
        given = value if each is bad else GOOD.get(each.name) if each.required else None
        if given is None:
            continue
        if each.opts[0].startswith("-"):
            words += [f"{each.opts[0]}={given}"]
        else:
            arguments.append(given)
    return [*words, "--", *arguments]


TAKES_VALUES: Final = [
    pytest.param(known, id=" ".join(known.words))
    for known in all_commands()
    if any(True for parameter in values_of(known.command) for _ in bad_values(parameter))
]


@pytest.fixture
def filled(deployment: CliDeployment) -> CliDeployment:
    """With something of all that commands are about."""
    deployment.publish(Dag("hello", tasks=(Task("greet"),)))
    deployment.run("dags", "trigger", "hello", "--run-id", "first")
    return deployment


@pytest.mark.parametrize("known", TAKES_VALUES)
def test_a_value_that_makes_no_sense_is_named_in_one_line(known: Known, filled: CliDeployment) -> None:
    for parameter in values_of(known.command):
        for value in bad_values(parameter):
            words = line_with(known, parameter, value)

            said = filled.run(*words, code=NOT_UNDERSTOOD)

            assert said.startswith("tradewind: "), words
            assert said.count("\n") == 1, words
            assert "unexpected" not in said, words


OF_NOTHING: Final = (
    *(
        "dags trigger nothing",
        "dags pause nothing",
        "dags details nothing",
        "dags show nothing",
        "dags state hello nothing",
    ),
    *("dags next-execution nothing", "dags delete nothing -y", "dags list-runs nothing", "dags explain nothing"),
    *("dags clear hello --run-id nothing -y", "dags simulate nothing --to 2999-01-01", "dags test nothing"),
    *(
        "tasks list nothing",
        "tasks clear nothing -y",
        "tasks state hello nothing first",
        "tasks state hello greet none",
    ),
    *("tasks logs hello greet nothing", "tasks explain hello nothing first", "tasks states-for-dag-run hello nothing"),
    *("backfill create --dag-id nothing --from-date 2026-01-01 --to-date 2026-01-02", "backfill get 77"),
    *("backfill pause 77", "backfill cancel 77", "connections get nothing", "connections delete nothing"),
    *("connections test nothing", "variables get nothing", "variables delete nothing", "pools get nothing"),
    *("pools delete nothing", "users delete -u nothing", "users add-role -u nothing -r Viewer", "roles delete nothing"),
    *("assets details --name nothing", "assets materialize --name nothing", "providers get nothing", "jobs check"),
)


@pytest.mark.parametrize("line", OF_NOTHING)
def test_what_is_well_said_but_names_nothing_is_refused_with_1(line: str, filled: CliDeployment) -> None:
    """As Airflow does, so that scripts can tell a typing mistake from something that is gone."""
    said = filled.run(*line.split(), code=1)

    assert said.startswith("tradewind: ")
    assert said.count("\n") == 1
    assert "unexpected" not in said
