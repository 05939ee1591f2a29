"""What becomes of parsed files in the database: versions, errors, stale DAGs, duplicates, several processors."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import pytest

from tests.component.world import World
from tradewind.errors import DagUnusable
from tradewind.model.dag import Dag, Task
from tradewind.model.dag_file import DagFile, DagProblem, FileKey, FileName, FileParse, FileWarning
from tradewind.model.dag_json import encode_dag
from tradewind.model.ids import JobKey
from tradewind.model.timetable import CronTrigger
from tradewind.operations.claim_files import Claims, claim_files
from tradewind.operations.publish_files import PublishReport, check_file, publish_files, remove_files
from tradewind.storage.interface import DagRecord
from tradewind.telemetry.events import DagsPublished, FileFailed

ME = JobKey(1)
OTHER = JobKey(2)


@dataclass
class Processor:
    """What a processor does to the database, without any file or child."""

    world: World
    job: JobKey = ME
    number: int = field(default=0)

    @property
    def now(self) -> datetime:
        return self.world.clock.now()

    def key(self, path: str) -> FileKey:
        with self.world.database.begin() as tx:
            tx.files.add([FileName("dags", path)])
            (found,) = (file.key for file in tx.files.of_bundle("dags") if file.name.path == path)
        return found

    def claim(self, *paths: str, is_current: bool = False, lease_s: float = 10.0) -> Claims:
        keys = [self.key(path) for path in paths]
        with self.world.database.begin() as tx:
            return claim_files(tx, keys, self.job, self.now, lease_s=lease_s, is_current=lambda _: is_current)

    def parse(self, path: str, *dags: Dag, **values: Any) -> FileParse:
        self.number += 1
        plain: dict[str, Any] = {
            "content_hash": f"{self.number:064}",
            "source": f"source {self.number}",
            "environment": "e",
            "dags": tuple(encode_dag(dag) for dag in dags),
        }
        return FileParse(self.key(path), FileName("dags", path), **{**plain, **values})

    def publish(self, *parses: FileParse) -> PublishReport:
        with self.world.database.begin() as tx:
            checked = [check_file(parse) for parse in parses]
            return publish_files(tx, checked, self.job, self.now, is_paused_by_default=False)

    def read(self, path: str, *dags: Dag, **values: Any) -> PublishReport:
        """Claim, parse and publish one file."""
        self.claim(path)
        return self.publish(self.parse(path, *dags, **values))

    def remove(self, *paths: str) -> PublishReport:
        keys = [self.key(path) for path in paths]
        with self.world.database.begin() as tx:
            return remove_files(tx, keys)

    def dag(self, dag_id: str) -> DagRecord:
        with self.world.database.begin() as tx:
            found = tx.dags.find(dag_id)
        assert found is not None
        return found

    def errors(self) -> dict[str, str]:
        with self.world.database.begin() as tx:
            return {error.name.path: error.message for error in tx.files.errors()}

    def file(self, path: str) -> DagFile:
        with self.world.database.begin() as tx:
            (found,) = (file for file in tx.files.of_bundle("dags") if file.name.path == path)
        return found


@pytest.fixture
def processor(world: World) -> Processor:
    return Processor(world)


def dag(dag_id: str, *task_ids: str, **values: Any) -> Dag:
    return Dag(dag_id, tasks=tuple(Task(task_id) for task_id in task_ids or ("a",)), **values)


def test_a_file_is_stored_with_its_source_and_origin_on_every_database(any_world: World) -> None:
    """A5, D6."""
    processor = Processor(any_world)

    report = processor.read("etl/a.py", dag("sales"), dag("stock"), bundle_version="c0ffee")

    sales = processor.dag("sales")
    assert report.published == {"sales": sales.version_key, "stock": processor.dag("stock").version_key}
    assert (sales.file, sales.is_stale) == (FileName("dags", "etl/a.py"), False)
    with any_world.database.begin() as tx:
        assert sales.version_key is not None
        origin = tx.versions.origins([sales.version_key])[sales.version_key]
        assert (origin.name, origin.bundle_version) == (FileName("dags", "etl/a.py"), "c0ffee")
        assert origin.source_hash is not None
        assert tx.versions.text(origin.source_hash) == "source 1"
    assert any_world.told(DagsPublished) == [DagsPublished(("sales", "stock"))]


def test_dag_may_refuse_to_be_pinned_to_a_version_of_its_bundle(world: World, processor: Processor) -> None:
    """D6: `disable_bundle_versioning`."""
    processor.read("a.py", dag("free", pins_bundle_version=False), dag("pinned"), bundle_version="c0ffee")

    keys = {name: processor.dag(name).version_key for name in ("free", "pinned")}
    with world.database.begin() as tx:
        found = {name: tx.versions.origins([key])[key].bundle_version for name, key in keys.items() if key is not None}
    assert found == {"free": None, "pinned": "c0ffee"}


def test_a_new_version_comes_only_with_a_new_structure(processor: Processor) -> None:
    """D6: the source may change as often as it likes."""
    first = processor.read("a.py", dag("sales"))
    same = processor.read("a.py", dag("sales"))
    changed = processor.read("a.py", dag("sales", "a", "b"))

    assert first.published == same.published
    assert changed.published["sales"] > first.published["sales"]
    with processor.world.database.begin() as tx:
        origins = tx.versions.origins([first.published["sales"], changed.published["sales"]])
    assert [origin.source_hash for origin in origins.values()] == [f"{2:064}", f"{3:064}"]


def test_a_broken_file_keeps_the_last_good_version_until_it_is_sound_again(processor: Processor) -> None:
    good = processor.read("a.py", dag("sales"))
    broken = DagProblem("SyntaxError: close the bracket")

    processor.read("a.py", problems=(broken,), is_read=False)

    assert processor.errors() == {"a.py": "SyntaxError: close the bracket"}
    assert processor.file("a.py").has_error
    assert processor.dag("sales").version_key == good.published["sales"]
    assert not processor.dag("sales").is_stale
    assert processor.world.told(FileFailed) == [FileFailed("dags", "a.py", broken.message)]

    processor.read("a.py", dag("sales"))

    assert processor.errors() == {}


def test_one_bad_dag_of_a_file_does_not_harm_the_others(processor: Processor) -> None:
    """B10."""
    first = processor.read("a.py", dag("sales"), dag("stock"))

    processor.read("a.py", dag("stock", "a", "b"), problems=(DagProblem("cannot be written", "sales"),))

    assert processor.errors() == {"a.py": "DAG 'sales': cannot be written"}
    assert processor.dag("sales").version_key == first.published["sales"]
    assert not processor.dag("sales").is_stale
    assert processor.dag("stock").version_key != first.published["stock"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        pytest.param("not JSON", "not a JSON document", id="nonsense"),
        pytest.param('{"format":1,"dag":{"dag_id":"x","colour":"red"}}', "colour", id="unknown key"),
        pytest.param(
            encode_dag(Dag("x", tasks=(Task("a", upstream=("a",)),))), "depends on itself", id="against the rules"
        ),
    ],
)
def test_what_a_child_sends_is_not_taken_on_trust(processor: Processor, data: str, message: str) -> None:
    processor.claim("a.py")
    parse = processor.parse("a.py", dag("sales"))

    report = processor.publish(replace(parse, dags=(data, *parse.dags)))

    assert message in processor.errors()["a.py"]
    assert list(report.published) == ["sales"]


def test_a_dag_that_left_its_file_is_stale_and_comes_back(processor: Processor) -> None:
    daily = dag("sales", timetable=CronTrigger("0 0 * * *"))
    processor.read("a.py", daily, dag("stock"))
    assert processor.dag("sales").next_run is not None

    report = processor.read("a.py", dag("stock"))

    assert report.stale == {"sales"}
    assert processor.dag("sales").is_stale
    assert processor.dag("sales").next_run is None
    assert processor.world.told(DagsPublished)[-1] == DagsPublished(("stock",), ("sales",))
    with pytest.raises(DagUnusable, match="no file has it any more"):
        processor.world.trigger("sales")

    processor.read("a.py", daily, dag("stock"))

    assert not processor.dag("sales").is_stale
    assert processor.dag("sales").next_run is not None


def test_who_watches_is_told_of_dags_whose_file_is_gone(processor: Processor) -> None:
    """A8."""
    processor.read("sales.py", Dag("sales", (Task("load"),)))

    processor.remove("sales.py")

    assert processor.world.told(DagsPublished)[-1] == DagsPublished((), ("sales",))


def test_the_dags_of_a_removed_file_are_stale(processor: Processor) -> None:
    processor.read("a.py", dag("sales"))
    processor.read("b.py", dag("stock"), problems=(DagProblem("half of it"),))

    assert processor.remove("b.py").stale == {"stock"}

    assert [processor.dag(dag_id).is_stale for dag_id in ("sales", "stock")] == [False, True]
    assert processor.errors() == {}


def test_a_dag_id_belongs_to_the_file_that_had_it_first(processor: Processor) -> None:
    first = processor.read("a.py", dag("sales"))

    report = processor.read("b.py", dag("sales", "other"), dag("stock"))

    assert list(report.published) == ["stock"]
    assert processor.dag("sales").version_key == first.published["sales"]
    message = processor.errors()["b.py"]
    assert message == (
        "the DAG id 'sales' is already used in a.py of the bundle 'dags': give one of the two another dag_id"
    )
    assert "a.py" not in processor.errors()


def test_of_two_new_files_with_one_dag_id_the_first_by_name_gets_it(processor: Processor) -> None:
    processor.claim("b.py", "a.py")

    processor.publish(processor.parse("b.py", dag("sales", "of_b")), processor.parse("a.py", dag("sales", "of_a")))

    assert processor.dag("sales").file == FileName("dags", "a.py")
    assert list(processor.errors()) == ["b.py"]


def test_a_dag_id_that_becomes_free_goes_to_the_file_that_waits_for_it(processor: Processor) -> None:
    processor.read("a.py", dag("sales", "of_a"))
    processor.read("b.py", dag("sales", "of_b"))

    report = processor.remove("a.py")

    assert report.requested == [processor.key("b.py")]
    assert processor.file("b.py").is_requested
    assert not processor.dag("sales").is_stale

    processor.read("b.py", dag("sales", "of_b"))

    assert processor.dag("sales").file == FileName("dags", "b.py")
    assert processor.errors() == {}


def test_a_dag_that_moves_to_another_file_never_becomes_stale(processor: Processor) -> None:
    first = processor.read("a.py", dag("sales"))
    processor.claim("a.py", "b.py")

    report = processor.publish(processor.parse("a.py"), processor.parse("b.py", dag("sales")))

    assert report.stale == set()
    assert report.published == first.published
    assert processor.dag("sales").file == FileName("dags", "b.py")
    assert processor.errors() == {}


def test_warnings_of_a_file_are_those_of_its_last_parse(processor: Processor) -> None:
    processor.read("a.py", dag("sales"), warnings=(FileWarning("slow_import", "old"),))
    processor.read("a.py", dag("sales"), warnings=(FileWarning("network", "new", line=3),))

    with processor.world.database.begin() as tx:
        assert [stored.warning for stored in tx.files.warnings()] == [FileWarning("network", "new", line=3)]


def test_a_file_is_claimed_by_one_processor_at_a_time(any_world: World) -> None:
    """A5: several processors see the same change; one parses it."""
    me, other = Processor(any_world, ME), Processor(any_world, OTHER)

    assert [file.name.path for file in me.claim("a.py", "b.py").claimed] == ["a.py", "b.py"]

    theirs = other.claim("a.py", "c.py")
    assert [file.name.path for file in theirs.claimed] == ["c.py"]
    assert [file.name.path for file in theirs.held] == ["a.py"]


def test_the_claim_of_a_processor_that_died_runs_out(processor: Processor) -> None:
    processor.claim("a.py", lease_s=10.0)
    processor.world.clock.advance(10.0)

    assert [file.claimed_by for file in Processor(processor.world, OTHER).claim("a.py").claimed] == [ME]
    assert processor.file("a.py").claimed_by == OTHER


def test_a_processor_that_lost_its_claim_stores_nothing(processor: Processor) -> None:
    processor.claim("a.py", lease_s=10.0)
    processor.world.clock.advance(10.0)
    other = Processor(processor.world, OTHER, number=100)
    other.read("a.py", dag("sales", "newer"))

    report = processor.publish(processor.parse("a.py", dag("sales", "older")))

    assert (report.published, report.lost) == ({}, [processor.key("a.py")])
    assert processor.file("a.py").content_hash == f"{101:064}"


def test_what_somebody_else_has_parsed_is_not_parsed_again_unless_asked_for(processor: Processor) -> None:
    processor.read("a.py", dag("sales"))

    assert [file.name.path for file in processor.claim("a.py", is_current=True).settled] == ["a.py"]

    key = processor.key("a.py")
    with processor.world.database.begin() as tx:
        tx.files.request([key])
    assert [file.name.path for file in processor.claim("a.py", is_current=True).claimed] == ["a.py"]


def test_a_file_that_is_gone_from_the_database_is_reported_missing(processor: Processor) -> None:
    gone = processor.key("a.py")
    processor.remove("a.py")

    with processor.world.database.begin() as tx:
        claims = claim_files(tx, [gone], ME, processor.now, lease_s=1.0, is_current=lambda _: False)

    assert claims.missing == {gone}
