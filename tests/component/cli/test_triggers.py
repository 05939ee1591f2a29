"""`tradewind triggers list`: who runs what tasks wait for, and which of it holds up others (E8)."""

from tests.component.cli.deployment import NOW, CliDeployment
from tradewind.bootstrap import wired
from tradewind.model.dag import Dag, Task
from tradewind.model.ids import AttemptKey
from tradewind.model.trigger import NewTrigger
from tradewind.model.trouble import Trouble
from tradewind.settings import load_settings


def test_triggers_are_listed_with_what_they_did_to_others(deployment: CliDeployment) -> None:
    deployment.publish(Dag("sales", tasks=(Task("a"), Task("b"))))
    deployment.run("dags", "trigger", "sales", "--run-id", "r1")
    with wired(load_settings()) as wiring, wiring.database.begin() as tx:
        run = tx.runs.find("sales", "r1")
        assert run is not None
        first, second = (AttemptKey(run.key, name, -1, 1) for name in ("a", "b"))
        for attempt in (first, second):
            tx.triggers.add(
                [NewTrigger(attempt=attempt, class_path="bells.Bell", kwargs="{}", is_encrypted=False, created_at=NOW)]
            )
        job = tx.jobs.start("triggerer", hostname="far", pid=7, now=NOW)
        tx.triggers.call_off([second.task], kills=True)
        (claimed,) = tx.triggers.claim(job, 1, NOW)
        trouble = Trouble(blocks=2, blocked_at=NOW, stack="line 3", is_quarantined=False)
        tx.triggers.note_troubles({claimed.key: trouble}, job)

    free, claimed_one = deployment.rows("triggers", "list", "--dag-id", "sales")
    assert (free["task_id"], free["triggerer"], free["running_since"], free["blocked"]) == ("a", None, None, 0)
    assert (claimed_one["hostname"], claimed_one["running_since"], claimed_one["blocked"]) == (
        "far",
        NOW.isoformat(),
        2,
    )
    (blocked,) = deployment.rows("triggers", "list", "--blocked")
    assert (blocked["task_id"], blocked["stack"]) == ("b", "line 3")
    assert deployment.rows("triggers", "list", "--quarantined") == []
    assert deployment.rows("triggers", "list", "--dag-id", "stock") == []
