"""A database that goes away while DAG files are stored: nothing is lost, nothing is doubled (A5)."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TypeVar, cast

import pytest

from tests.component.dag_processor.processors import Deployment, dag_file, deployment, work_until_idle
from tradewind.errors import DatabaseUnavailable
from tradewind.operations.publish_files import PublishReport
from tradewind.storage.database import Database
from tradewind.storage.interface import Transaction
from tradewind.storage.transaction import SqlTransaction

T = TypeVar("T")


class Flaky:
    """A store whose first transaction that stores files is cut off, before or after its commit."""

    def __init__(self, store: Database, *, after_commit: bool) -> None:
        self._store = store
        self._after_commit = after_commit
        self.cut_off = 0

    def begin(self) -> AbstractContextManager[Transaction]:
        return self._store.begin()

    def transact(self, work: Callable[[SqlTransaction], T]) -> T:
        if self.cut_off:
            return self._store.transact(work)

        def watched(tx: SqlTransaction) -> T:
            result = work(tx)
            if isinstance(result, PublishReport) and not self._after_commit:
                self.cut_off += 1
                raise DatabaseUnavailable("the connection broke")
            return result

        done = self._store.transact(watched)
        if isinstance(done, PublishReport):
            self.cut_off += 1
            raise DatabaseUnavailable("the answer to the commit was lost")
        return done


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Deployment]:
    with deployment(tmp_path) as made:
        yield made


@pytest.mark.parametrize("after_commit", [False, True])
def test_what_was_read_is_stored_once_the_database_is_back(world: Deployment, after_commit: bool) -> None:
    for name in ("a", "b"):
        world.write(f"{name}.py", dag_file(name))
    processor = world.processor()
    flaky = Flaky(world.database, after_commit=after_commit)
    processor.state.store = cast("Any", flaky)

    with pytest.raises(DatabaseUnavailable):
        work_until_idle(processor)
    processor.database_back(1.0)
    work_until_idle(processor)

    assert flaky.cut_off == 1
    assert world.active() == ["a", "b"]
    assert world.errors() == {}
    with world.database.engine.connect() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM dag_version").scalar_one() == 2
