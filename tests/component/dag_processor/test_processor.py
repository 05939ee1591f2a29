"""The DAG processor at work: what is read when, and what becomes of it (A5, D6)."""

import os
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.component.dag_processor.processors import (
    Deployment,
    dag_file,
    deployment,
    look_and_work,
    work_until_idle,
)
from tests.component.dag_processor.test_bundles import ENVIRON, Repository
from tradewind.bundles.git import GitBundle
from tradewind.bundles.local import LocalBundle
from tradewind.dag_processor import read_files
from tradewind.operations.publish_files import CheckedFile, PublishReport, publish_files
from tradewind.telemetry.events import BundleFailed, DagsPublished, Event, FileFailed


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Deployment]:
    with deployment(tmp_path / "home") as made:
        yield made


def published(world: Deployment) -> list[str]:
    """The DAGs of every file that was read and stored since the last call."""
    found = [dag_id for event in world.events if isinstance(event, DagsPublished) for dag_id in event.dag_ids]
    world.events[:] = [event for event in world.events if not isinstance(event, DagsPublished)]
    return found


def task_ids(world: Deployment, dag_id: str) -> list[str]:
    return [task.task_id for task in world.dag(dag_id).tasks]


def told(world: Deployment, kind: type[Event]) -> list[Event]:
    return [event for event in world.events if isinstance(event, kind)]


def test_files_become_dags_in_the_database(world: Deployment) -> None:
    world.write("a.py", dag_file("sales"))
    world.write("etl/b.py", dag_file("stock"))
    world.write("helper.py", "X = 1")

    work_until_idle(world.processor())

    assert world.active() == ["sales", "stock"]
    assert world.errors() == {}
    record = world.record("stock")
    assert record is not None
    assert record.file == ("dags-folder", "etl/b.py")
    assert record.is_paused


def test_only_what_changed_is_read_again(world: Deployment) -> None:
    for name in ("a", "b", "c"):
        world.write(f"{name}.py", dag_file(name))
    processor = world.processor()
    work_until_idle(processor)
    assert sorted(published(world)) == ["a", "b", "c"]

    world.write("b.py", dag_file("b", "changed"))
    os.utime(world.dags / "c.py")
    look_and_work(processor)

    assert published(world) == ["b"]
    assert task_ids(world, "b") == ["changed"]


def test_a_new_file_is_found_and_a_removed_one_makes_its_dag_stale(world: Deployment) -> None:
    world.write("a.py", dag_file("a"))
    processor = world.processor()
    work_until_idle(processor)

    world.write("b.py", dag_file("b"))
    (world.dags / "a.py").unlink()
    look_and_work(processor)

    assert world.active() == ["b"]


def test_a_file_that_is_renamed_keeps_its_dag(world: Deployment) -> None:
    world.write("a.py", dag_file("sales"))
    processor = world.processor()
    work_until_idle(processor)

    (world.dags / "a.py").rename(world.dags / "b.py")
    look_and_work(processor)

    assert world.active() == ["sales"]
    assert world.errors() == {}
    record = world.record("sales")
    assert record is not None
    assert record.file == ("dags-folder", "b.py")


def test_the_operating_system_says_when_to_look(world: Deployment) -> None:
    processor = world.processor(bundle_refresh_check_interval="100000")
    work_until_idle(processor)

    world.write("a.py", dag_file("sales"))
    while not world.active():
        if not processor.run_once():
            processor.wait()

    assert world.active() == ["sales"]


USES_HELPER = "from lib.names import TASK\n" + dag_file("sales").replace("'a'", "TASK")


def test_a_file_is_read_again_when_a_module_that_it_imports_changes(world: Deployment) -> None:
    world.write("lib/names.py", "TASK = 'first'\n")
    world.write("a.py", USES_HELPER)
    world.write("b.py", dag_file("other"))
    processor = world.processor()
    work_until_idle(processor)
    published(world)

    # Of the same length and within the same second: a compiled file would not notice.
    world.write("lib/names.py", "TASK = 'other'\n")
    look_and_work(processor)

    assert published(world) == ["sales"]
    assert task_ids(world, "sales") == ["other"]
    assert not (world.dags / "lib" / "__pycache__").exists()


def test_a_file_is_read_again_when_a_module_that_was_missing_appears(world: Deployment) -> None:
    world.write("a.py", USES_HELPER)
    processor = world.processor()
    work_until_idle(processor)
    assert "No module named 'lib'" in world.errors()["a.py"]

    world.write("lib/names.py", "TASK = 'first'\n")
    world.write("lib/__init__.py", "")
    look_and_work(processor)

    assert world.errors() == {}
    assert task_ids(world, "sales") == ["first"]


def test_a_file_is_read_again_when_a_broken_module_is_mended(world: Deployment) -> None:
    world.write("lib/names.py", "TASK = 1 / 0\n")
    world.write("a.py", USES_HELPER)
    processor = world.processor()
    work_until_idle(processor)
    assert "ZeroDivisionError" in world.errors()["a.py"]

    world.write("lib/names.py", "TASK = 'first'\n")
    look_and_work(processor)

    assert world.errors() == {}


GENERATED = """
import json
from pathlib import Path
from airflow.sdk import DAG
from airflow.providers.standard.operators.empty import EmptyOperator

for path in sorted(Path(__file__).with_name("configs").glob("*.json")):
    with DAG(path.stem, schedule=None):
        EmptyOperator(task_id=json.loads(path.read_text())["task"])
"""


def test_dags_made_from_data_follow_the_data(world: Deployment) -> None:
    """Files that are read, and folders that are listed, count as much as modules."""
    world.write("configs/one.json", '{"task": "a"}')
    world.write("generated.py", GENERATED)
    processor = world.processor()
    work_until_idle(processor)
    assert world.active() == ["one"]

    world.write("configs/one.json", '{"task": "b"}')
    look_and_work(processor)
    assert task_ids(world, "one") == ["b"]

    world.write("configs/two.json", '{"task": "c"}')
    look_and_work(processor)
    assert world.active() == ["one", "two"]

    (world.dags / "configs" / "one.json").unlink()
    look_and_work(processor)
    assert world.active() == ["two"]


def test_a_module_of_the_plugins_folder_counts_too(world: Deployment) -> None:
    plugins = world.home / "plugins"
    plugins.mkdir()
    (plugins / "shared_names.py").write_text("TASK = 'first'\n")
    world.write("a.py", USES_HELPER.replace("lib.names", "shared_names"))
    processor = world.processor()
    work_until_idle(processor)
    assert task_ids(world, "sales") == ["first"]

    (plugins / "shared_names.py").write_text("TASK = 'second'\n")
    look_and_work(processor)

    assert task_ids(world, "sales") == ["second"]


def test_a_file_that_writes_what_it_reads_is_not_read_for_ever(world: Deployment) -> None:
    writes = "import time\nopen(__file__ + '.txt', 'w').write(str(time.time()))\nopen(__file__ + '.txt').read()\n"
    world.write("a.py", dag_file("sales") + writes)
    processor = world.processor()
    work_until_idle(processor)
    published(world)

    look_and_work(processor)

    assert published(world) == []


def test_a_processor_that_starts_anew_reads_nothing_that_is_known(world: Deployment) -> None:
    world.write("lib/names.py", "TASK = 'first'\n")
    world.write("a.py", USES_HELPER)
    world.write("broken.py", dag_file("broken") + "1 / 0")
    work_until_idle(world.processor())
    read_at = world.file("a.py").parsed_at

    work_until_idle(world.processor())

    assert world.file("a.py").parsed_at == read_at
    assert sorted(world.errors()) == ["broken.py"]


def test_what_changed_while_no_processor_ran_is_read_when_one_starts(world: Deployment) -> None:
    for name in ("a", "b", "c"):
        world.write(f"{name}.py", dag_file(name))
    first = world.processor()
    work_until_idle(first)
    published(world)

    world.write("b.py", dag_file("b", "changed"))
    (world.dags / "c.py").unlink()
    work_until_idle(world.processor())

    assert published(world) == ["b"]
    assert world.active() == ["a", "b"]


def test_another_environment_has_every_file_read_again(world: Deployment) -> None:
    world.write("a.py", dag_file("a"))
    work_until_idle(world.processor())
    published(world)

    work_until_idle(world.processor(parsing_processes="1"))

    assert published(world) == ["a"]


def test_everything_can_be_read_again_on_demand(world: Deployment) -> None:
    for name in ("a", "b"):
        world.write(f"{name}.py", dag_file(name))
    processor = world.processor()
    work_until_idle(processor)
    published(world)

    processor.settle(is_forced=True)

    assert sorted(published(world)) == ["a", "b"]


def test_a_file_that_somebody_asks_for_is_read_again(world: Deployment) -> None:
    world.write("a.py", dag_file("a"))
    processor = world.processor()
    work_until_idle(processor)
    published(world)
    with world.database.begin() as tx:
        tx.files.request([file.key for file in tx.files.of_bundle("dags-folder")])

    processor.hear_requests()
    work_until_idle(processor)

    assert published(world) == ["a"]
    assert not world.file("a.py").is_requested


@pytest.mark.parametrize(
    ("mode", "expected"),
    [("modified_time", ["c.py", "a.py", "b.py"]), ("alphabetical", ["a.py", "b.py", "c.py"])],
)
def test_files_are_read_in_the_configured_order(world: Deployment, mode: str, expected: list[str]) -> None:
    for age_s, name in ((20, "a"), (30, "b"), (10, "c")):
        full = world.write(f"{name}.py", dag_file(name))
        os.utime(full, (full.stat().st_mtime - age_s,) * 2)
    processor = world.processor(file_parsing_sort_mode=mode)
    while not processor.state.readings:
        processor.run_once()

    assert [reading.file.name.path for reading in processor.state.readings.values()] == expected
    work_until_idle(processor)


def test_an_order_of_the_machines_own_leaves_nothing_out(world: Deployment) -> None:
    for number in range(5):
        world.write(f"{number}.py", dag_file(f"dag_{number}"))

    work_until_idle(world.processor(file_parsing_sort_mode="random_seeded_by_host"))

    assert len(world.active()) == 5


def test_two_processors_share_the_files_and_read_none_twice(world: Deployment) -> None:
    """A5: several processors at once."""
    for number in range(60):
        world.write(f"{number}.py", dag_file(f"dag_{number}"))
    first, second = world.processor(), world.processor()

    for _ in range(10_000):
        is_busy = [processor.run_once() for processor in (first, second)]
        if not any(is_busy) and first.is_settled and second.is_settled:
            break
        if not any(is_busy):
            (first if first.state.readings else second).wait()

    names = published(world)
    assert len(names) == len(set(names)) == 60
    assert len(world.active()) == 60
    assert all(processor.is_settled for processor in (first, second))


def test_a_processor_that_stops_gives_its_files_back(world: Deployment) -> None:
    world.write("a.py", dag_file("a") + "import time; time.sleep(1000)")
    processor = world.processor()
    while not processor.state.readings:
        processor.run_once()
    assert world.file("a.py").claimed_by == processor.state.job

    processor.stop()
    world.processors.clear()

    assert world.file("a.py").claimed_by is None


def test_a_zip_file_holds_dags_and_the_modules_that_they_import(world: Deployment) -> None:
    with zipfile.ZipFile(world.dags / "packed.zip", "w") as archive:
        archive.writestr("first.py", "from inner.names import TASK\n" + dag_file("first").replace("'a'", "TASK"))
        archive.writestr("second.py", dag_file("second"))
        archive.writestr("inner/__init__.py", "")
        archive.writestr("inner/names.py", "TASK = 'from_zip'")
        archive.writestr("no_words.py", "raise ValueError('not to be run')")

    work_until_idle(world.processor())

    assert world.errors() == {}
    assert world.active() == ["first", "second"]
    assert task_ids(world, "first") == ["from_zip"]


def test_ignored_files_are_not_read(world: Deployment) -> None:
    world.write(".airflowignore", "old_*\n")
    world.write("old_a.py", "raise ValueError # dag airflow")
    world.write("b.py", dag_file("b"))

    work_until_idle(world.processor())

    assert (world.active(), world.errors()) == (["b"], {})


HURTS = """
import datetime
import socket
from airflow.operators.bash_operator import BashOperator
from airflow.sdk import DAG, Variable, task

try:
    socket.create_connection(("127.0.0.1", 1), timeout=0.1)
except OSError:
    pass
colour = Variable.get("colour", default="red")
with DAG("hurts", schedule="0 0 12 * * *", start_date=datetime.datetime.now()):
    BashOperator(task_id="old", bash_command="date")

    @task
    def many():
        return [1]

    @task
    def each(x): ...

    each.expand(x=many())
"""


def test_what_hurts_is_stored_with_its_line(world: Deployment) -> None:
    world.write("hurts.py", HURTS)

    work_until_idle(world.processor())

    lines = HURTS.splitlines()
    found = {(w.kind, lines[(w.line or 0) - 1].strip()[:20]) for w in world.warnings()["hurts.py"]}
    assert {
        ("top_level_io", "socket.create_connec"),
        ("top_level_lookup", "colour = Variable.ge"),
        ("version_inflation", 'with DAG("hurts", sc'),
        ("deprecated", "from airflow.operato"),
        ("unbounded_mapping", "each.expand(x=many()"),
    } <= found
    assert "cron_seconds" in {warning.kind for warning in world.warnings()["hurts.py"]}
    assert world.file("hurts.py").is_volatile


def test_version_inflation_may_be_an_error_or_nothing_at_all(world: Deployment) -> None:
    world.write("hurts.py", HURTS)

    work_until_idle(world.processor(dag_version_inflation_check_level="error"))
    assert world.active() == []
    assert "gives another value each time" in world.errors()["hurts.py"]

    work_until_idle(world.processor(dag_version_inflation_check_level="off"))
    assert world.active() == ["hurts"]
    assert "version_inflation" not in {warning.kind for warning in world.warnings()["hurts.py"]}


def test_what_depends_on_the_world_outside_is_read_again_after_a_while(world: Deployment) -> None:
    world.write("hurts.py", HURTS)
    world.write("sound.py", dag_file("sound"))
    processor = world.processor(min_file_process_interval="30")
    work_until_idle(processor)
    (bundle,) = processor.state.bundles
    assert list(bundle.retries) == ["hurts.py"]
    published(world)

    bundle.retries["hurts.py"] = 0.0
    work_until_idle(processor)

    assert published(world) == ["hurts"]
    assert list(bundle.retries) == ["hurts.py"]


def test_a_broken_file_is_tried_again_less_and_less_often(world: Deployment) -> None:
    world.write("a.py", dag_file("a") + "1 / 0")
    processor = world.processor(min_file_process_interval="30", refresh_interval="100")
    (bundle,) = processor.state.bundles
    waits = []
    for _ in range(4):
        work_until_idle(processor)
        waits.append(round((bundle.retries["a.py"] - processor.state.clock.monotonic()) / 10) * 10)
        bundle.retries["a.py"] = 0.0

    assert waits == [30, 60, 100, 100]


def test_one_file_that_cannot_be_stored_keeps_no_other_from_it(
    world: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B10."""
    for name in ("a", "bad", "c"):
        world.write(f"{name}.py", dag_file(name))

    def picky(tx: Any, files: Sequence[CheckedFile], *arguments: Any, **options: Any) -> PublishReport:
        if any(file.parse.name.path == "bad.py" for file in files):
            raise ValueError("a bug of ours")
        return publish_files(tx, files, *arguments, **options)

    monkeypatch.setattr(read_files, "publish_files", picky)
    processor = world.processor()
    while len(world.active()) < 2:
        if not processor.run_once():
            processor.wait()

    assert world.active() == ["a", "c"]
    (failure,) = told(world, FileFailed)
    assert isinstance(failure, FileFailed)
    assert (failure.path, "a bug of ours" in failure.error) == ("bad.py", True)
    (bundle,) = processor.state.bundles
    assert bundle.dirty == {"bad.py"}
    assert not processor.run_once()


def test_files_that_take_long_leave_a_process_to_the_others(world: Deployment) -> None:
    for number in range(3):
        world.write(f"slow_{number}.py", dag_file(f"slow_{number}"))
    processor = world.processor(parsing_processes="2")
    work_until_idle(processor)
    (bundle,) = processor.state.bundles
    for tracked in bundle.files.values():
        assert tracked.stored is not None
        tracked.stored = replace(tracked.stored, duration_ms=30_000)

    bundle.verify(is_forced=True)
    world.write("quick.py", dag_file("quick"))
    processor.look_soon()
    while not processor.state.readings:
        processor.run_once()

    reading = sorted(reading.file.name.path.partition("_")[0] for reading in processor.state.readings.values())
    assert reading in (["slow"], ["quick.py", "slow"])
    work_until_idle(processor)


def test_an_error_that_is_no_text_is_stored_all_the_same(world: Deployment) -> None:
    world.write("a.py", dag_file("a") + "raise ValueError('\\udcff')")

    work_until_idle(world.processor())

    assert "ValueError: ?" in world.errors()["a.py"]


# --- bundles


def test_a_folder_that_is_away_makes_no_dag_stale(world: Deployment) -> None:
    """A volume that is not mounted must not look like DAGs that were deleted."""
    world.write("a.py", dag_file("a"))
    processor = world.processor()
    work_until_idle(processor)
    world.dags.rename(world.home / "away")

    look_and_work(processor)

    assert world.active() == ["a"]
    (failure,) = told(world, BundleFailed)
    assert isinstance(failure, BundleFailed)
    assert "cannot be read" in failure.error
    with world.database.begin() as tx:
        assert tx.bundles.all()[0].error == failure.error

    (world.home / "away").rename(world.dags)
    world.write("b.py", dag_file("b"))
    look_and_work(processor)

    assert world.active() == ["a", "b"]
    with world.database.begin() as tx:
        assert tx.bundles.all()[0].error is None


def test_a_bundle_that_is_no_longer_configured_makes_its_dags_stale(world: Deployment) -> None:
    world.write("a.py", dag_file("a"))
    work_until_idle(world.processor())

    elsewhere = world.home / "elsewhere"
    elsewhere.mkdir()
    config = f'[{{"name": "other", "classpath": "LocalBundle", "kwargs": {{"path": "{elsewhere}"}}}}]'
    work_until_idle(world.processor(LocalBundle("other", elsewhere), dag_bundle_config_list=config))

    assert world.active() == []


GIT_CONFIG = '[{"name": "git", "classpath": "GitBundle"}]'


def test_runs_are_pinned_to_a_commit_once_all_that_it_changed_is_stored(world: Deployment, tmp_path: Path) -> None:
    """D6."""
    repository = Repository(tmp_path / "repository")
    first = repository.commit(dags__a=dag_file("a"), dags__b=dag_file("b"), readme="# nothing")
    bundle = GitBundle(
        "git",
        storage=tmp_path / "storage",
        repo_url=str(repository.path),
        tracking_ref="main",
        subdir="dags",
        environ=ENVIRON,
    )
    processor = world.processor(bundle, dag_bundle_config_list=GIT_CONFIG)
    work_until_idle(processor)
    assert sorted(published(world)) == ["a", "b"]
    with world.database.begin() as tx:
        assert tx.bundles.all()[0].version == first

    second = repository.commit(dags__a=dag_file("a", "changed"))
    bundle.refresh()
    processor.refresh_soon()
    work_until_idle(processor)

    assert published(world) == ["a"]
    assert task_ids(world, "a") == ["changed"]
    with world.database.begin() as tx:
        assert tx.bundles.all()[0].version == second
        record = tx.dags.find("a")
        assert record is not None
        assert record.version_key is not None
        assert tx.versions.origins([record.version_key])[record.version_key].bundle_version == second


def test_a_repository_that_does_not_answer_holds_nobody_up(world: Deployment, tmp_path: Path) -> None:
    """B10."""
    bundle = GitBundle("git", storage=tmp_path / "storage", repo_url="/nowhere", tracking_ref="main", environ=ENVIRON)
    world.write("a.py", dag_file("a"))
    config = '[{"name": "git", "classpath": "GitBundle"}, {"name": "dags-folder", "classpath": "LocalBundle"}]'

    work_until_idle(world.processor(bundle, LocalBundle("dags-folder", world.dags), dag_bundle_config_list=config))

    assert world.active() == ["a"]
    with world.database.begin() as tx:
        assert "/nowhere" in (tx.bundles.all()[1].error or "")


def test_failures_are_told(world: Deployment) -> None:
    world.write("a.py", "import airflow; dag = 1 / 0")

    work_until_idle(world.processor())

    (failure,) = told(world, FileFailed)
    assert isinstance(failure, FileFailed)
    assert (failure.bundle, failure.path) == ("dags-folder", "a.py")
