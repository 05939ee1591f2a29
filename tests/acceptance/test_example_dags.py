"""Airflow's own example DAGs come to the states that they come to in Airflow (D2, D3).

Their files, and what some of them install, come with packages that are fetched from the registry; none is kept in this
repository.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.deployment import PATIENCE_S, Deployment, Ended, deployed
from tests.acceptance.examples import (
    CONNECTIONS,
    DAGS_FOLDER,
    LOGICAL_DATE,
    MARKED,
    SLOW,
    answers_of_airflow,
    differences,
    known_of,
)
from tests.databases import DatabaseKind, DatabaseUrls
from tradewind.model.ids import RunKey

ANSWERS = answers_of_airflow()
EXAMPLES = {dag_id: states for dag_id, states in ANSWERS["dags"].items() if dag_id not in known_of(DAGS_FOLDER)}
RUNNABLE = sorted(EXAMPLES.keys() - SLOW.keys())
BROKEN_IN_AIRFLOW = "example_task_state_store_async"
ASKS_PEOPLE = "example_hitl_operator"

both = pytest.mark.parametrize("database_kind", ["sqlite", "postgres"], indirect=True)


@dataclass(slots=True)
class Examples:
    """A deployment with the examples, and a run of each."""

    deployment: Deployment
    keys: dict[str, RunKey] = field(default_factory=dict)

    def trigger(self, dag_id: str) -> None:
        """Ask for the run of an example."""
        at = datetime.fromisoformat(LOGICAL_DATE)
        self.keys[dag_id] = self.deployment.trigger(dag_id, "asked_0", logical_date=at)

    def mark(self, dag_id: str, task_id: str) -> None:
        """Call a task that waits a success. In the last hour of the day its time of day is over, and it is one."""
        key = self.keys[dag_id]
        waits_or_did = {"deferred", "success"}
        self.deployment.until(lambda: self.deployment.seen(key).states[task_id] in waits_or_did, f"{task_id} to wait")
        self.deployment.mark_success(key, task_id)

    def ended(self, dag_id: str, *, within_s: float = PATIENCE_S) -> Ended:
        """The run of an example, once it has ended."""
        return self.deployment.ended(self.keys[dag_id], within_s=within_s)


@pytest.fixture(scope="module")
def examples(
    example_packages: Path,
    database_urls: DatabaseUrls,
    database_kind: DatabaseKind,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Examples]:
    """All examples, asked for at the beginning, so that what takes time takes it together."""
    variables = {
        **CONNECTIONS,
        "TRADEWIND__CORE__PLUGINS_FOLDER": str(example_packages / "airflow" / "example_dags" / "plugins"),
        # No run but those that are asked for.
        "TRADEWIND__SCHEDULER__USE_JOB_SCHEDULE": "False",
        "TRADEWIND__STANDARD__VENV_INSTALL_METHOD": "pip",
        "PYTHONPATH": str(example_packages),
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(example_packages),
        "TMPDIR": str(tmp_path_factory.mktemp("temporary")),
    }
    home = tmp_path_factory.mktemp("home") / "examples"
    url = database_urls(database_kind)
    with deployed(home, url, dags_folder=example_packages / "airflow", variables=variables) as deployment:
        deployment.start("triggerer")
        deployment.until(lambda: set(deployment.dag_ids()) >= EXAMPLES.keys(), "the examples to be read")
        examples = Examples(deployment)
        for dag_id in [*(SLOW if database_kind == "sqlite" else ()), *RUNNABLE, BROKEN_IN_AIRFLOW, ASKS_PEOPLE]:
            examples.trigger(dag_id)
        yield examples


@both
@pytest.mark.parametrize("dag_id", RUNNABLE)
def test_an_example_comes_to_the_same_states_as_in_airflow(examples: Examples, dag_id: str) -> None:
    """D2, D3: every example of the core and of the standard provider that needs no cloud and no person."""
    ended = examples.ended(dag_id)

    assert differences(dag_id, ended.state, ended.states) == {}, ended.reasons


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
@pytest.mark.parametrize("dag_id", sorted(SLOW))
def test_an_example_that_takes_its_time_comes_to_the_same_states_as_in_airflow(examples: Examples, dag_id: str) -> None:
    """D2, E2, E10: it waits in the triggerer while the others run."""
    if dag_id in MARKED:
        examples.mark(dag_id, MARKED[dag_id])
    ended = examples.ended(dag_id, within_s=180)

    assert differences(dag_id, ended.state, ended.states) == {}, ended.reasons


@both
def test_an_example_succeeds_for_which_airflow_has_not_the_method(examples: Examples) -> None:
    """D3: the task state store can be used from coroutines."""
    assert examples.ended(BROKEN_IN_AIRFLOW).state == "success"


@both
def test_an_example_goes_on_with_what_people_answer(examples: Examples) -> None:
    """D2: each of its questions is answered as soon as it is there; one is left to its default."""
    answers: dict[str, tuple[str, dict[str, Any]]] = {
        "wait_for_input": ("OK", {"information": "all of it"}),
        "wait_for_option": ("option 2", {}),
        "wait_for_multiple_options": ("option 6", {}),
        "valid_input_and_options": ("Approve", {}),
        "choose_a_branch_to_run": ("task_2", {}),
    }
    deployment, key = examples.deployment, examples.keys[ASKS_PEOPLE]
    asked: dict[str, str | None] = {}
    for task_id, (option, form) in answers.items():
        deployment.until(
            lambda task_id=task_id: deployment.seen(key).states[task_id] == "awaiting_input",  # type: ignore[misc]
            f"{task_id} to ask",
        )
        asked[task_id] = deployment.answer(ASKS_PEOPLE, "asked_0", task_id, option, **form).body

    ended = examples.ended(ASKS_PEOPLE)

    assert ended.states == {
        **dict.fromkeys((*answers, "wait_for_default_option", "task_2"), "success"),
        **dict.fromkeys(("task_1", "task_3"), "skipped"),
    }, ended.reasons
    words = [line.strip() for line in str(asked["valid_input_and_options"]).strip().splitlines()]
    assert words == [
        "Input: all of it",
        "Option: ['option 2']",
        "Multiple Options: ['option 6']",
        "Timeout Option: ['option 7']",
    ]
