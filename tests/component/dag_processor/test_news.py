"""Listeners of plugins hear of services, assets and import errors by a DAG processor, where user code may run (D2)."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.component.dag_processor.processors import Deployment, deployment, work_until_idle
from tests.component.dag_processor.test_run_listeners import plug_in
from tradewind.dag_processor.hear_plugins import ask_plugins
from tradewind.dag_processor.service import DagProcessor
from tradewind.dag_processor.tell_news import start_telling
from tradewind.model.assignment import Asker
from tradewind.model.attempt_end import OutletEvent
from tradewind.model.ids import RunKey, TaskKey
from tradewind.model.listener_news import Hook
from tradewind.operations.record_asset_events import AssetUpdate, record_asset_events, record_outside_event
from tradewind.telemetry.events import ListenersTold

HEAD = """
import json, os, time
from pathlib import Path
from airflow.listeners import hookimpl
from airflow.plugins_manager import AirflowPlugin

def note(*facts):
    with Path(NOTES).open("a") as file:
        file.write(json.dumps(facts) + "\\n")
"""
EARS = """
class Ears:
    @hookimpl
    def on_starting(self, component):
        note("starting", component.job_type, component.state, component.start_date.tzinfo is not None)

    @hookimpl
    def before_stopping(self, component):
        note("stopping", component.job_type, component.state, component.id > 0)

    @hookimpl
    def on_asset_created(self, asset):
        note("created", asset.name, asset.uri, asset.group, asset.extra)

    @hookimpl
    def on_asset_alias_created(self, asset_alias):
        note("alias", asset_alias.name, asset_alias.group)

    @hookimpl
    def on_asset_changed(self, asset):
        note("changed", asset.name)

    @hookimpl
    def on_asset_event_emitted(self, asset_event):
        source = [asset_event.source_dag_id, asset_event.source_task_id, asset_event.source_run_id]
        aliases = [alias.name for alias in asset_event.source_aliases]
        note("event", asset_event.asset.name, asset_event.extra, source, asset_event.source_map_index, aliases,
             asset_event.partition_key)

    @hookimpl
    def on_new_dag_import_error(self, filename, stacktrace):
        note("new error", Path(filename).read_text(), stacktrace.splitlines()[-1])

    @hookimpl
    def on_existing_dag_import_error(self, filename, stacktrace):
        note("old error", Path(filename).read_text(), stacktrace.splitlines()[-1])
"""
PLUG = """
class Plugin(AirflowPlugin):
    name = "ears"
    listeners = [LISTENERS]
"""
PLUGIN = HEAD + EARS + PLUG.replace("LISTENERS", "Ears()")
FILE = """
from airflow.sdk import DAG, Asset, AssetAlias
from airflow.providers.standard.operators.empty import EmptyOperator

with DAG("sales", schedule=None):
    outlets = [Asset("orders", "s3://bucket/orders", extra={"owner": "ada"}), AssetAlias("latest", group="g")]
    EmptyOperator(task_id="load", outlets=outlets)
"""


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Deployment]:
    with deployment(tmp_path / "home") as made:
        (made.home / "plugins").mkdir()
        yield made


def listening(world: Deployment, text: str = PLUGIN, timeout_s: int = 50) -> tuple[DagProcessor, Path]:
    """A processor that has asked the plugins, and where these take their notes; that it began is told."""
    notes = plug_in(world, text)
    processor = world.processor(dag_file_processor_timeout=str(timeout_s))
    work_until_idle(processor)
    tell(processor)
    notes.unlink(missing_ok=True)
    return processor, notes


def tell(processor: DagProcessor) -> None:
    start_telling(processor.state)
    work_until_idle(processor)


def noted(notes: Path) -> list[list[Any]]:
    return [json.loads(line) for line in notes.read_text().splitlines()] if notes.exists() else []


def told(world: Deployment) -> list[ListenersTold]:
    return [event for event in world.events if isinstance(event, ListenersTold)]


def update(world: Deployment, name: str, uri: str, alias: str | None = None) -> None:
    asker = Asker(TaskKey(RunKey(1), "load"), "sales", "r1")
    with world.database.begin() as tx:
        record_asset_events(
            tx,
            [AssetUpdate(asker, OutletEvent(name=name, uri=uri, extra={"rows": 3}, alias=alias), "2026-01-01")],
            world.clock.now(),
        )


def test_assets_are_told_of_once_when_they_are_new_and_each_time_they_are_updated(world: Deployment) -> None:
    processor, notes = listening(world)
    world.write("sales.py", FILE)
    processor.look_soon()
    work_until_idle(processor)
    world.write("again.py", FILE.replace('"sales"', '"again"'))
    processor.look_soon()
    work_until_idle(processor)
    update(world, "orders", "s3://bucket/orders")
    update(world, "found", "s3://bucket/found", alias="latest")
    with world.database.begin() as tx:
        (orders,) = tx.assets.named(["orders"], [])
        record_outside_event(tx, orders.key, extra={"by": "hand"}, partition_key=None, now=world.clock.now())

    tell(processor)
    tell(processor)

    source = ["sales", "load", "r1"]
    assert noted(notes) == [
        ["created", "orders", "s3://bucket/orders", "asset", {"owner": "ada"}],
        ["alias", "latest", "g"],
        ["changed", "orders"],
        ["event", "orders", {"rows": 3}, source, -1, [], "2026-01-01"],
        ["created", "found", "s3://bucket/found", "asset", {}],
        ["changed", "found"],
        ["event", "found", {"rows": 3}, source, -1, ["latest"], "2026-01-01"],
        ["changed", "orders"],
        ["event", "orders", {"by": "hand"}, [None, None, None], None, [], None],
    ]


def test_files_that_cannot_be_imported_are_told_of_as_new_and_then_as_known(world: Deployment) -> None:
    processor, notes = listening(world)
    for text in (
        "raise ValueError('airflow dag 1')",
        "raise ValueError('airflow dag 2')",
        FILE,
        "raise ValueError('airflow dag 3')",
    ):
        world.write("sales.py", text)
        processor.look_soon()
        work_until_idle(processor)

    tell(processor)

    errors = [each for each in noted(notes) if "error" in each[0]]
    # The whole name of the file is told: it has been opened, and has the newest text.
    assert [each[0] for each in errors] == ["new error", "old error", "new error"]
    assert {each[1] for each in errors} == {"raise ValueError('airflow dag 3')"}
    assert [each[2] for each in errors] == [f"ValueError: airflow dag {number}" for number in (1, 2, 3)]


def test_services_are_told_of_when_they_begin_and_when_they_stop_in_good_order(world: Deployment) -> None:
    """Those that began before anybody listened are told of when somebody does; the processor tells of its own end."""
    notes = plug_in(world, PLUGIN)
    processor = world.processor()
    work_until_idle(processor)
    tell(processor)
    assert noted(notes) == [["starting", "DagProcessorJob", "running", True]]

    world.processors.remove(processor)
    processor.stop()
    assert noted(notes)[1:] == [["stopping", "DagProcessorJob", "success", True]]

    other = world.processor()
    work_until_idle(other)
    tell(other)
    assert noted(notes)[2:] == [["starting", "DagProcessorJob", "running", True]]


def test_a_listener_that_raises_keeps_no_other_from_hearing(world: Deployment) -> None:
    broken = """
class Broken:
    @hookimpl
    def on_asset_created(self, asset):
        raise ValueError("the listener is broken")
"""
    for order in ("Broken(), Ears()", "Ears(), Broken()"):
        with_both = HEAD + broken + EARS + PLUG.replace("LISTENERS", order)
        processor, notes = listening(world, with_both)
        update(world, order, order)

        tell(processor)

        assert [each[0] for each in noted(notes)] == ["created", "changed", "event"]
        assert "the listener is broken" in told(world)[-1].output
        assert told(world)[-1].error is None


@pytest.mark.parametrize("end", ["os._exit(3)", "time.sleep(1000)"])
def test_a_listener_that_ends_or_holds_up_its_process_is_not_told_again_and_the_rest_is_told(
    world: Deployment, end: str
) -> None:
    deadly = PLUGIN.replace('note("changed", asset.name)', f'note("changed", asset.name); {end}')
    processor, notes = listening(world, deadly, timeout_s=3)
    update(world, "first", "first")
    update(world, "second", "second")

    tell(processor)

    assert [each[:2] for each in noted(notes)] == [
        ["created", "first"],
        ["changed", "first"],
        ["event", "first"],
        ["created", "second"],
        ["changed", "second"],
        ["event", "second"],
    ]
    ends = [each.error for each in told(world) if each.error is not None]
    assert len(ends) == 2
    assert all(("exit code 3" if "exit" in end else "within 3 s") in each for each in ends)


def test_of_what_nobody_wants_to_hear_nothing_is_written_down(world: Deployment) -> None:
    only_errors = HEAD + EARS[: EARS.index("    @hookimpl")] + EARS[EARS.index("    @hookimpl\n    def on_new") :]
    processor, notes = listening(world, only_errors + PLUG.replace("LISTENERS", "Ears()"))
    with world.database.begin() as tx:
        assert tx.bundles.hooks() == {Hook.NEW_IMPORT_ERROR, Hook.EXISTING_IMPORT_ERROR}

    world.write("sales.py", FILE)
    processor.look_soon()
    work_until_idle(processor)
    update(world, "orders", "s3://bucket/orders")

    assert start_telling(processor.state) == 0
    assert noted(notes) == []


def test_what_is_left_when_a_plugin_goes_is_forgotten(world: Deployment) -> None:
    processor, notes = listening(world)
    update(world, "orders", "orders")

    (world.home / "plugins" / "ears.py").unlink()
    ask_plugins(processor.state)
    work_until_idle(processor)
    plug_in(world, PLUGIN)
    ask_plugins(processor.state)
    work_until_idle(processor)
    tell(processor)

    assert [each[0] for each in noted(notes)] == ["starting"]


def test_what_a_processor_had_taken_that_died_is_told_by_another_alone_and_at_most_twice(world: Deployment) -> None:
    processor, notes = listening(world)
    update(world, "orders", "orders")
    late = world.clock.now()
    with world.database.begin() as tx:  # one that took all of it long ago, and died
        assert len(tx.news.claim(tuple(Hook), 10, processor.state.job, now=late, until=late)) == 3

    assert start_telling(processor.state) == 1
    work_until_idle(processor)
    assert [each[0] for each in noted(notes)] == ["created", "changed", "event"]

    update(world, "orders", "orders")
    with world.database.begin() as tx:
        for _ in range(2):
            assert len(tx.news.claim(tuple(Hook), 10, processor.state.job, now=late, until=late)) == 2
    assert start_telling(processor.state) == 0
    assert len(noted(notes)) == 3
