"""`tradewind dags list | details | report | show`: what is known of DAGs, with and without a database (A5)."""

from pathlib import Path

import pytest

from tests.component.cli.deployment import CliDeployment
from tests.component.dag_processor.processors import dag_file
from tradewind.model.asset import AssetRef
from tradewind.model.dag import Dag, Task
from tradewind.model.timetable import CronTrigger

DIAMOND = Dag(
    "sales",
    tasks=(
        Task("extract", outlets=(AssetRef("raw", "s3://raw"),)),
        Task("left", upstream=("extract",)),
        Task("right", upstream=("extract",)),
        Task("load", upstream=("left", "right")),
    ),
    timetable=CronTrigger("0 * * * *"),
    description="What was sold",
    tags=("money",),
)


@pytest.fixture
def dags_folder(deployment: CliDeployment) -> Path:
    folder = deployment.home / "dags"
    folder.mkdir()
    (folder / "a.py").write_text(dag_file("sales"))
    (folder / "b.py").write_text(dag_file("stock") + "\n1 / 0\n")
    return folder


def test_columns_of_the_list_are_chosen(deployment: CliDeployment) -> None:
    deployment.publish(DIAMOND)

    assert deployment.rows("dags", "list", "--columns", "dag_id, max_active_runs,timetable_summary") == [
        {"dag_id": "sales", "max_active_runs": 16, "timetable_summary": "0 * * * *"}
    ]
    assert "there is no column 'colour'" in deployment.run("dags", "list", "--columns", "colour", code=2)


@pytest.mark.usefixtures("dags_folder")
def test_files_are_read_without_a_database(deployment: CliDeployment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRADEWIND__DATABASE__SQL_ALCHEMY_CONN", f"sqlite:///{deployment.home}/none.db")

    (row,) = deployment.rows("dags", "list", "--local")
    assert (row["dag_id"], row["fileloc"], row["bundle_name"]) == ("sales", "a.py", "dags-folder")
    assert deployment.run("dags", "list-import-errors", "--local", "-o", "json", code=1) == ""

    report = {row["file"]: row for row in deployment.rows("dags", "report")}
    assert (report["a.py"]["dags"], report["a.py"]["task_num"], report["a.py"]["error_num"]) == ("sales", 1, 0)
    assert (report["b.py"]["dag_num"], report["b.py"]["error_num"]) == (0, 1)
    assert "there is no bundle 'x'" in deployment.run("dags", "report", "-B", "x", code=2)


def test_details_of_a_dag_are_told(deployment: CliDeployment) -> None:
    deployment.publish(DIAMOND)

    (row,) = deployment.rows("dags", "details", "sales")

    assert (row["description"], row["tags"], row["task_count"], row["is_paused"]) == (
        "What was sold",
        "money",
        4,
        False,
    )
    assert row["next_dagrun_run_after"] == "2026-01-01T00:00:00+00:00"
    assert "max_active_runs" in deployment.run("dags", "details", "sales")
    assert "there is no DAG 'x'" in deployment.run("dags", "details", "x", code=1)


def test_a_dag_is_shown_as_a_tree(deployment: CliDeployment) -> None:
    deployment.publish(DIAMOND)

    assert deployment.run("dags", "show", "sales").splitlines() == [
        "extract",
        "├── left → load",
        "└── right → load",
    ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.svg", '<text x="'),
        ("a.dot", '"extract" -> "left";'),
        ("a.txt", "└── right → load"),
    ],
)
def test_a_dag_is_drawn_to_a_file(deployment: CliDeployment, name: str, expected: str) -> None:
    deployment.publish(DIAMOND)

    deployment.run("dags", "show", "sales", "--save", str(deployment.home / name))

    assert expected in (deployment.home / name).read_text()


def test_a_picture_that_cannot_be_drawn_is_refused(deployment: CliDeployment) -> None:
    assert "ends in none of .svg" in deployment.run("dags", "show", "sales", "--save", "a.png", code=2)
    assert "there is no DAG" in deployment.run("dags", "show", "sales", code=1)
    deployment.publish(DIAMOND)
    assert "No such file" in deployment.run("dags", "show", "sales", "-s", str(deployment.home / "x" / "a.svg"), code=1)


def test_dags_that_have_to_do_with_each_other_are_shown(deployment: CliDeployment) -> None:
    assert deployment.run("dags", "show-dependencies") == ""
    trigger = Task("go", details={"arguments": {"trigger_dag_id": "sales"}})
    report = Dag("report", tasks=(Task("wait", details={"arguments": {"external_dag_id": "sales"}}), Task("b")))
    deployment.publish(DIAMOND, Dag("nightly", tasks=(trigger,)), report)

    assert deployment.run("dags", "show-dependencies").splitlines() == [
        "dag:nightly → dag:sales",
        "├── asset:raw",
        "└── dag:report",
    ]
