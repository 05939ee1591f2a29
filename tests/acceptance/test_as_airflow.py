"""Every DAG of `dags/` ends, in all its tasks, as it does in Airflow (D1, D2, D3, D4)."""

import pytest

from tests.acceptance.conftest import Runs
from tests.acceptance.examples import DAGS_FOLDER, differences, known_of

KNOWN = known_of(DAGS_FOLDER)

pytestmark = pytest.mark.parametrize("database_kind", ["sqlite", "postgres"], indirect=True)


@pytest.mark.parametrize("dag_id", sorted(KNOWN))
def test_a_run_comes_to_the_same_states_as_in_airflow(runs: Runs, dag_id: str) -> None:
    """D3: branches, setups and teardowns, mapping, sensors, triggered DAGs, commands, retries, limits."""
    ended = runs[dag_id]

    assert differences(dag_id, ended.state, ended.states) == {}, ended.reasons
