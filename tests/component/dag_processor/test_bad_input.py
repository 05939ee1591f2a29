"""Every way in which a DAG file can be bad gives a stored error that says what to do, and all other DAGs go on (B10).

All bad files lie in one folder and are read by one processor, so that each test also proves that none of them hurt any
other.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.component.dag_processor.processors import (
    Deployment,
    dag_file,
    deployment,
    look_and_work,
    work_until_idle,
)

DAG = "from airflow.sdk import DAG, task\nfrom airflow.providers.standard.operators.empty import EmptyOperator\n"


def in_dag(dag_id: str, *lines: str, arguments: str = "schedule=None") -> str:
    body = "\n".join(f"    {line}" for line in lines)
    return f"{DAG}with DAG({dag_id!r}, {arguments}):\n{body}\n"


TIMES = """import pendulum
from datetime import datetime, timedelta
from dateutil.relativedelta import relativedelta
from airflow.sdk import CronTriggerTimetable, DeltaTriggerTimetable, MultipleCronTriggerTimetable
"""


def scheduled(dag_id: str, schedule: str, more: str = "catchup=False") -> str:
    """With a schedule, in which every timetable can be named."""
    return TIMES + in_dag(dag_id, "EmptyOperator(task_id='a')", arguments=f"schedule={schedule}, {more}")


BAD_FILES: dict[str, tuple[str, list[str]]] = {
    # name: (text, what the error says)
    "syntax": (DAG + "def f(:\n", ["SyntaxError", "syntax.py", "What to do: correct line 3"]),
    "exception": (DAG + "1 / 0\n", ["ZeroDivisionError", "line 3"]),
    "sys_exit": (DAG + "import sys\nsys.exit(3)\n", ["SystemExit: 3", "remove the call of sys.exit"]),
    "os_exit": (DAG + "import os\nprint('bye')\nos._exit(3)\n", ["exit code 3", "remove the call of os._exit", "bye"]),
    "killed": (DAG + "import os\nos.kill(os.getpid(), 11)\n", ["SIGSEGV", "What to do"]),
    "endless": (DAG + "while True: pass\n", ["was not read within 1 s", "line 3", "dagbag_import_timeout"]),
    "stubborn": (
        DAG + "import time\nwhile True:\n    try:\n        time.sleep(1000)\n    except BaseException: pass\n",
        ["not read within 3 s", "dag_file_processor_timeout"],
    ),
    "sleeper": (DAG + "import time\ntime.sleep(1000)\n", ["was not read within 1 s", "time.sleep(1000)"]),
    "huge": (DAG + "x = b'x' * (10 * 1024 ** 3)\n", ["MemoryError", "line 3", "parsing_memory_limit_mb"]),
    "growing": (
        DAG + "x = []\nwhile True: x.append(b'x' * 5_000_000)\n",
        ["more than 300 MB", "parsing_memory_limit_mb"],
    ),
    "recursion": (DAG + "def f(): f()\nf()\n", ["RecursionError", "calls itself without an end"]),
    "cycle": (
        in_dag("cycle", "a, b = EmptyOperator(task_id='a'), EmptyOperator(task_id='b')", "a >> b >> a"),
        ["cycle", "'a'"],
    ),
    "double_task": (
        in_dag("double_task", "EmptyOperator(task_id='a')", "EmptyOperator(task_id='a')"),
        ["'a'", "line 5"],
    ),
    "bad_cron": (in_dag("bad_cron", "pass", arguments="schedule='99 * * * *'"), ["99 * * * *"]),
    # C1: schedules that cannot be, each refused when the file is read and not when a run should begin
    "cron_words": (scheduled("cron_words", "'every day'"), ["every day", "2 fields"]),
    "cron_seconds_first": (scheduled("cron_seconds_first", "'0 0 0 * * 0'"), ["with six fields the seconds come last"]),
    "cron_eight": (scheduled("cron_eight", "'* * * * * * * *'"), ["8 fields"]),
    "cron_february": (scheduled("cron_february", "'0 0 30 2 *'"), ["0 0 30 2 *", "does not exist in any year"]),
    "cron_of_many": (
        scheduled("cron_of_many", "MultipleCronTriggerTimetable('0 0 * * *', '0 25 * * *', timezone='UTC')"),
        ["0 25 * * *", "hour 25 is not within 0-23"],
    ),
    "no_preset": (scheduled("no_preset", "'@fortnightly'"), ["@fortnightly", "no such preset"]),
    "no_zone": (scheduled("no_zone", "CronTriggerTimetable('0 0 * * *', timezone='Mars/Olympus')"), ["Mars/Olympus"]),
    "no_zone_of_start": (
        scheduled("no_zone_of_start", "None", "start_date=pendulum.datetime(2026, 1, 1, tz='Mars/Olympus')"),
        ["Mars/Olympus"],
    ),
    "negative_delta": (scheduled("negative_delta", "timedelta(hours=-1)"), ["must be positive, not -1:00:00"]),
    "no_delta": (scheduled("no_delta", "timedelta(0)"), ["0:00:00"]),
    "back_and_forth": (
        scheduled("back_and_forth", "DeltaTriggerTimetable(relativedelta(months=1, days=-30))"),
        ["1 months and -30 days"],
    ),
    "ends_first": (
        scheduled("ends_first", "'@daily'", "start_date=datetime(2026, 2, 1), end_date=datetime(2026, 1, 1)"),
        ["ends at 2026-01-01", "before it starts at 2026-02-01"],
    ),
    "task_ends_first": (
        in_dag(
            "task_ends_first",
            "from datetime import datetime",
            "EmptyOperator(task_id='a', start_date=datetime(2026, 2, 1), end_date=datetime(2026, 1, 1))",
        ),
        ["task 'a' ends at 2026-01-01", "before it starts at 2026-02-01"],
    ),
    "no_schedule": (scheduled("no_schedule", "12"), ["12"]),
    "bad_rule": (in_dag("bad_rule", "EmptyOperator(task_id='a', trigger_rule='sometimes')"), ["sometimes"]),
    "circular": (DAG + "import circle_a\n", ["circle", "import each other", "third one"]),
    "missing": (DAG + "import nowhere_to_be_found\n", ["nowhere_to_be_found", "install the package"]),
    "chatty": (in_dag("chatty", "print('x' * 5_000_000)"), ["printed 4.8 MB", "print and log inside tasks"]),
    "unwritable": (
        in_dag("unwritable", "EmptyOperator(task_id='a')", arguments="schedule=None, params={'p': object()}"),
        ["unwritable", "'p'"],
    ),
    "limited": (
        DAG + "import resource\nraise ValueError(f'{resource.getrlimit(resource.RLIMIT_CPU)[0]} s are enough')\n",
        [f": {4 * (os.cpu_count() or 1) + 1} s are enough"],
    ),
    "forks": (DAG + "import os\nif os.fork(): os._exit(0)\nwhile True: pass\n", ["exit code 0", "os._exit"]),
    "parricide": (
        DAG + "import os\nos.kill(os.getppid(), 9)\n",
        ["this file, and no other", "neither ends other processes"],
    ),
}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    home = tmp_path_factory.mktemp("home")
    with deployment(home, dagbag_import_timeout="1") as made:
        for name, (text, _) in BAD_FILES.items():
            made.write(f"{name}.py", text)
        made.write("circle_a.py", "from circle_b import b\na = 1\n")
        made.write("circle_b.py", "from circle_a import a\nb = 1\n")
        (made.dags / "encoding.py").write_bytes(DAG.encode() + b"x = '\xff\xfe'\n")
        (made.dags / "broken.zip").write_bytes(b"PK not really a zip")
        (made.dags / "loop").symlink_to(made.dags)
        (made.dags / "dangling.py").symlink_to(made.dags / "nothing.py")
        for number in range(5):
            made.write(f"sound_{number}.py", dag_file(f"sound_{number}"))
        processor = made.processor(
            dag_file_processor_timeout="3", parsing_memory_limit_mb="300", min_file_process_interval="1000"
        )
        work_until_idle(processor)
        yield made


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_gives_an_error_that_says_what_to_do(world: Deployment, name: str) -> None:
    """A5."""
    error = world.errors()[f"{name}.py"]

    assert [words for words in BAD_FILES[name][1] if words not in error] == [], error


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("encoding.py", ["save the file as UTF-8"]),
        ("broken.zip", ["zip"]),
        ("loop", ["would never end", ".airflowignore"]),
        ("dangling.py", ["symbolic link to nothing"]),
    ],
)
def test_what_cannot_even_be_opened_as_a_file_is_an_error_too(world: Deployment, path: str, words: list[str]) -> None:
    error = world.errors()[path]

    assert [each for each in words if each not in error] == [], error


def test_every_other_dag_goes_on(world: Deployment) -> None:
    """B10. What merely prints too much is read all the same."""
    assert world.active() == ["chatty", *(f"sound_{number}" for number in range(5))]
    assert {path for path in world.errors() if path.startswith("sound")} == set()


def test_naive_dates_mean_the_default_time_zone(tmp_path: Path) -> None:
    """Airflow's own examples are full of them, so they are no error."""
    arguments = "schedule='@daily', start_date=__import__('datetime').datetime(2024, 1, 1)"
    with deployment(tmp_path, default_timezone="Europe/Amsterdam") as made:
        made.write("naive.py", in_dag("naive", "EmptyOperator(task_id='a')", arguments=arguments))
        work_until_idle(made.processor())

        assert made.errors() == {}
        start = made.dag("naive").start_at
        assert start is not None
        assert start.isoformat() == "2023-12-31T23:00:00+00:00"


def test_a_file_that_removes_itself_while_it_is_read_leaves_nothing(tmp_path: Path) -> None:
    with deployment(tmp_path) as made:
        made.write("mayfly.py", dag_file("mayfly") + "__import__('os').remove(__file__)\n")
        made.write("sound.py", dag_file("sound"))
        processor = made.processor()

        work_until_idle(processor)
        look_and_work(processor)

        assert made.active() == ["sound"]
        assert made.errors() == {}


def test_a_broken_file_that_is_mended_is_sound_again(tmp_path: Path) -> None:
    with deployment(tmp_path) as made:
        made.write("a.py", dag_file("sales"))
        processor = made.processor()
        work_until_idle(processor)

        made.write("a.py", dag_file("sales") + "raise ValueError('oops')\n")
        look_and_work(processor)
        assert "oops" in made.errors()["a.py"]
        assert made.active() == ["sales"]

        made.write("a.py", dag_file("sales", "b"))
        look_and_work(processor)
        assert made.errors() == {}
        assert [task.task_id for task in made.dag("sales").tasks] == ["b"]
