"""`tradewind state-store clean` (A8)."""

from datetime import timedelta

import sqlalchemy as sa

from tests.component.cli.deployment import NOW, CliDeployment
from tradewind.bootstrap import wired
from tradewind.model.dag import Dag, Task
from tradewind.model.ids import RunKey, TaskKey
from tradewind.settings import load_settings
from tradewind.storage.schema import task_state


def test_what_has_expired_goes_and_nothing_else(deployment: CliDeployment) -> None:
    deployment.publish(Dag("sales", tasks=(Task("a"),)))
    deployment.run("dags", "trigger", "sales")
    with wired(load_settings()) as wiring, wiring.database.begin() as tx:
        task = TaskKey(RunKey(1), "a")
        tx.task_states.put(task, "old", 1, expires_at=NOW, now=NOW - timedelta(days=1))
        tx.task_states.put(task, "kept", 1, expires_at=None, now=NOW - timedelta(days=1))

    assert deployment.run("state-store", "clean", "--dry-run") == "1 values have expired and would be deleted\n"
    assert deployment.run("state-store", "clean") == "1 values had expired and are deleted\n"

    with wired(load_settings()) as wiring, wiring.database.engine.connect() as connection:
        assert connection.execute(sa.select(task_state.c.key)).scalars().all() == ["kept"]
    assert deployment.run("state-store", "clean", "--dry-run").startswith("0 values")
