"""A task updates assets, and the DAGs that wait for them run, with what the task said (C2, C5)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.acceptance.deployment import Deployment, deployed
from tradewind.model.ids import RunKey
from tradewind.model.json_value import JsonValue

DAGS: Final = Path(__file__).with_name("asset_dags")


def run_of(deployment: Deployment, dag_id: str) -> RunKey | None:
    """Its only run, whoever made it."""
    with deployment.wiring.database.begin() as tx:
        return next((run.key for run in tx.runs.of_dag(dag_id)), None)


@pytest.fixture(scope="module")
def deployment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    """With all DAGs of the folder."""
    home = tmp_path_factory.mktemp("assets")
    with deployed(home / "home", f"sqlite:///{home}/state.db", dags_folder=DAGS, variables={}) as running:
        running.wait_for_files(DAGS)
        yield running


def told(deployment: Deployment, dag_id: str) -> JsonValue:
    """What the task of its only run returned."""
    deployment.until(lambda: run_of(deployment, dag_id) is not None, f"a run of {dag_id}")
    run_key = run_of(deployment, dag_id)
    assert run_key is not None
    ended = deployment.ended(run_key)
    assert ended.state == "success", ended.reasons
    return ended.value("tell")


def test_runs_are_made_for_what_a_task_says_and_are_told_of_it(deployment: Deployment) -> None:
    """C2, C5: `triggering_asset_events` in a real task; by the asset itself, and through an alias."""
    assert deployment.run("load").state == "success"

    for dag_id, rows in {"report": [7], "for_alias": [8]}.items():
        assert told(deployment, dag_id) == {"rows": rows, "type": "asset_triggered", "from": "load"}


def test_partitions_that_a_task_names_are_rolled_up_and_handed_on(deployment: Deployment) -> None:
    """C2, C3: 24 hours make one day, with its date; what the run for that day updates is that day."""
    assert deployment.run("load_hours").state == "success"

    assert told(deployment, "make_day") == ["2026-01-01", "2026-01-01T00:00:00+00:00", 24]
    assert told(deployment, "use_day") == ["2026-01-01", "2026-01-01T00:00:00+00:00", 1]
