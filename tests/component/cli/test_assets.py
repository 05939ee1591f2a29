"""`tradewind assets` (A7)."""

import pytest

from tests.component.cli.deployment import CliDeployment
from tradewind.model.asset import AssetAliasRef, AssetRef
from tradewind.model.dag import Dag, Task

RAW = AssetRef("raw", "s3://raw", extra={"team": "sales"})
SALES = Dag("sales", tasks=(Task("a", outlets=(RAW, AssetAliasRef("all"))),))


def test_assets_and_aliases_are_listed(deployment: CliDeployment) -> None:
    deployment.publish(SALES)

    (row,) = deployment.rows("assets", "list")
    assert (row["name"], row["uri"], row["group"]) == ("raw", "s3://raw", "asset")
    assert deployment.rows("assets", "list", "--columns", "uri") == [{"uri": "s3://raw"}]
    assert deployment.rows("assets", "list", "--alias") == [{"name": "all", "group": "asset"}]


def test_one_is_shown_by_name_or_uri(deployment: CliDeployment) -> None:
    deployment.publish(SALES)

    (by_name,) = deployment.rows("assets", "details", "--name", "raw")
    (by_uri,) = deployment.rows("assets", "details", "--uri", "s3://raw")
    assert by_name == by_uri
    assert deployment.rows("assets", "details", "--alias", "--name", "all")[0]["name"] == "all"


def test_an_asset_is_materialized_by_the_dag_that_updates_it(deployment: CliDeployment) -> None:
    deployment.publish(SALES)

    (row,) = deployment.rows("assets", "materialize", "--name", "raw")

    assert (row["dag_id"], row["state"], row["run_type"]) == ("sales", "queued", "asset_materialization")
    assert [run["run_id"] for run in deployment.rows("dags", "list-runs", "sales")] == [row["run_id"]]


@pytest.mark.parametrize(
    ("words", "code", "reason"),
    [
        (["details"], 2, "give --name or --uri"),
        (["details", "--alias"], 2, "give --name"),
        (["details", "--alias", "--uri", "x"], 2, "an alias has no URI"),
        (["details", "--name", "x"], 1, "there is no asset with the name 'x'"),
        (["materialize", "--uri", "x"], 1, "there is no asset with the uri 'x'"),
        (["list", "--columns", "colour"], 2, "there is no column 'colour'"),
    ],
)
def test_what_makes_no_sense_is_refused(deployment: CliDeployment, words: list[str], code: int, reason: str) -> None:
    assert reason in " ".join(deployment.run("assets", *words, code=code).split())
