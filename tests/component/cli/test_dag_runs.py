"""`tradewind dags trigger | pause | unpause | list-runs | state | delete` (A5)."""

import json

import pytest

from tests.component.cli.deployment import CliDeployment
from tradewind.cli.main import main
from tradewind.model.dag import Dag, Task

SALES = Dag("sales", tasks=(Task("a"),))


def test_a_run_is_triggered_with_conf_id_and_date(deployment: CliDeployment) -> None:
    deployment.publish(SALES)

    (row,) = deployment.rows(
        "dags", "trigger", "sales", "-c", '{"n": 1}', "-r", "mine", "-l", "2026-01-02T03:04:05.678+02:00"
    )

    assert (row["dag_id"], row["run_id"], row["state"], row["conf"]) == ("sales", "mine", "queued", {"n": 1})
    assert row["logical_date"] == "2026-01-02T01:04:05+00:00"


def test_microseconds_of_a_date_are_kept_on_demand(deployment: CliDeployment) -> None:
    deployment.publish(SALES)

    (row,) = deployment.rows("dags", "trigger", "sales", "-l", "2026-01-02T03:04:05.678Z", "--no-replace-microseconds")

    assert row["logical_date"] == "2026-01-02T03:04:05.678000+00:00"


def test_a_date_without_a_zone_is_in_the_zone_of_the_deployment(
    deployment: CliDeployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRFLOW__CORE__DEFAULT_TIMEZONE", "Asia/Tokyo")
    deployment.publish(SALES)

    (row,) = deployment.rows("dags", "trigger", "sales", "-l", "2026-01-02")

    assert row["logical_date"] == "2026-01-01T15:00:00+00:00"


def test_runs_without_a_name_get_names_of_their_own(deployment: CliDeployment) -> None:
    deployment.publish(SALES)

    names = {deployment.rows("dags", "trigger", "sales")[0]["run_id"] for _ in range(3)}

    assert len(names) == 3
    assert all(name.startswith("manual__") for name in names)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["dags", "trigger", "nothing"], "there is no DAG 'nothing'"),
        (["dags", "pause", "nothing"], "there is no DAG 'nothing'"),
        (["dags", "list-runs", "nothing"], "there is no DAG 'nothing'"),
        (["dags", "state", "nothing", "x"], "there is no DAG 'nothing'"),
        (["dags", "state", "sales", "x"], "DAG 'sales' has no run 'x'"),
        (["dags", "state", "sales", "2026-01-01"], "has no run '2026-01-01'"),
        (["dags", "delete", "nothing", "-y"], "there is no DAG 'nothing'"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_line(deployment: CliDeployment, words: list[str], expected: str) -> None:
    deployment.publish(SALES)

    error = deployment.run(*words, code=1)

    assert error.startswith("tradewind: ")
    assert expected in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["trigger", "sales", "-l", "soon"], "'soon' is no date; expected such as"),
        (["trigger", "sales", "-r", "scheduled__x"], "a manual run may not"),
        (["pause", "(", "--treat-dag-id-as-regex"], "'(' is no regular expression"),
    ],
)
def test_what_makes_no_sense_is_not_understood(deployment: CliDeployment, words: list[str], expected: str) -> None:
    deployment.publish(SALES)

    error = deployment.run("dags", *words, code=2)

    assert expected in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(("conf", "expected"), [("{", "is no JSON"), ("[1]", "must be a JSON object")])
def test_a_conf_that_is_no_object_is_not_understood(deployment: CliDeployment, conf: str, expected: str) -> None:
    """A8: one line, and the exit code of words that are wrong."""
    error = deployment.run("dags", "trigger", "sales", "--conf", conf, code=2)

    assert error.startswith("tradewind: ")
    assert "--conf" in error
    assert expected in error
    assert error.count("\n") == 1


def test_the_same_run_is_not_triggered_twice(deployment: CliDeployment) -> None:
    deployment.publish(SALES)
    deployment.run("dags", "trigger", "sales", "-r", "mine")

    assert "already has a run 'mine'" in deployment.run("dags", "trigger", "sales", "-r", "mine", code=1)


def test_a_paused_dag_starts_nothing_until_it_is_unpaused(deployment: CliDeployment) -> None:
    deployment.publish(SALES)
    assert deployment.rows("dags", "pause", "sales") == [{"dag_id": "sales", "is_paused": True}]
    deployment.run("dags", "trigger", "sales", "-r", "mine")
    deployment.schedule()
    assert deployment.run("dags", "state", "sales", "mine") == "queued\n"

    assert deployment.rows("dags", "unpause", "sales") == [{"dag_id": "sales", "is_paused": False}]
    deployment.schedule()

    assert deployment.run("dags", "state", "sales", "mine") == "success\n"


def test_dags_are_paused_by_pattern(deployment: CliDeployment) -> None:
    deployment.publish(SALES, Dag("stock", tasks=(Task("a"),)), Dag("prices", tasks=(Task("a"),)))

    rows = deployment.rows("dags", "pause", "^s", "--treat-dag-id-as-regex", "--yes")

    assert [row["dag_id"] for row in rows] == ["sales", "stock"]
    paused = {row["dag_id"]: row["is_paused"] for row in deployment.rows("dags", "list")}
    assert paused == {"prices": False, "sales": True, "stock": True}


def test_nothing_happens_unless_the_question_is_answered_with_yes(deployment: CliDeployment) -> None:
    deployment.publish(SALES)

    assert "aborted" in deployment.run("dags", "delete", "sales", code=1)
    assert "aborted" in deployment.run("dags", "pause", "s", "--treat-dag-id-as-regex", code=1, answer="n\n")
    assert [row["is_paused"] for row in deployment.rows("dags", "list")] == [False]

    shown = deployment.run("dags", "pause", "s", "--treat-dag-id-as-regex", answer="y\n")
    assert "sales\nPause these 1 DAGs?" in shown
    deployment.run("dags", "delete", "sales", answer="y\n")
    assert deployment.rows("dags", "list") == []


def test_runs_are_listed_newest_first_by_state_and_date(deployment: CliDeployment) -> None:
    deployment.publish(SALES)
    for day in (1, 2, 3):
        deployment.run("dags", "trigger", "sales", "-r", f"r{day}", "-l", f"2026-01-0{day}")
    deployment.schedule()
    deployment.run("dags", "trigger", "sales", "-r", "r4", "-l", "2026-01-04")

    def listed(*words: str) -> list[str]:
        return [row["run_id"] for row in deployment.rows("dags", "list-runs", "sales", *words)]

    assert listed() == ["r4", "r3", "r2", "r1"]
    assert listed("--state", "success") == ["r3", "r2", "r1"]
    assert listed("-s", "2026-01-02", "-e", "2026-01-03") == ["r3", "r2"]
    assert listed("--no-backfill") == ["r4", "r3", "r2", "r1"]
    assert deployment.run("dags", "state", "sales", "2026-01-03T00:00:00+00:00") == "success\n"


def test_a_dag_is_deleted_with_its_runs(deployment: CliDeployment) -> None:
    deployment.publish(SALES)
    deployment.run("dags", "trigger", "sales", "-r", "mine")

    deployment.run("dags", "delete", "sales", "--yes")

    assert deployment.rows("dags", "list") == []


def test_who_triggers_a_paused_dag_is_told_why_nothing_happens(
    deployment: CliDeployment, capsys: pytest.CaptureFixture[str]
) -> None:
    """A newcomer waits for the run otherwise (A5)."""
    deployment.publish(SALES, is_paused=True)

    main(["dags", "trigger", "sales", "-r", "r1", "-o", "json"])

    said = capsys.readouterr()
    assert json.loads(said.out)[0]["run_id"] == "r1"
    assert "until somebody says: tradewind dags unpause sales" in said.err
    main(["tasks", "explain", "sales", "a", "r1"])
    assert "tradewind dags unpause sales" in capsys.readouterr().err
    deployment.run("dags", "unpause", "sales", "--yes")
    main(["dags", "trigger", "sales"])
    assert capsys.readouterr().err == ""


def test_an_unknown_dag_brings_those_of_nearly_that_name_to_mind(
    deployment: CliDeployment, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["dags", "trigger", "sales"])
    assert "there are no DAGs at all" in capsys.readouterr().err
    deployment.publish(SALES, Dag("returns", tasks=(Task("a"),)))

    for words in (["dags", "trigger", "Slaes"], ["tasks", "list", "sale"], ["dags", "pause", "sales_"]):
        assert main(words) == 1
        assert "did you mean 'sales'?" in capsys.readouterr().err
    main(["dags", "trigger", "quite different"])
    assert "did you mean" not in capsys.readouterr().err
