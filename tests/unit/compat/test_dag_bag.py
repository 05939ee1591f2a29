"""D2: `DagBag` and the functions around it, on which people build the tests of their DAG files."""

import zipfile
from pathlib import Path

import pytest

from tradewind.compat.adapters.dag_bag import DagBag
from tradewind.compat.adapters.dag_files import (
    correct_maybe_zipped,
    get_unique_dag_module_name,
    list_py_file_paths,
    might_contain_dag,
    open_maybe_zipped,
)

ETL = """
from airflow.sdk import DAG
from tradewind.sdk.standard.empty import EmptyOperator

with DAG("{dag_id}") as dag:
    EmptyOperator(task_id="one")
"""


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_bag_has_the_dags_of_a_folder(tmp_path: Path) -> None:
    write(tmp_path, "etl.py", ETL.format(dag_id="etl"))
    write(tmp_path, "below/load.py", ETL.format(dag_id="load"))
    write(tmp_path, "notes.py", "raise RuntimeError('it mentions neither')")

    bag = DagBag(tmp_path, include_examples=False)

    assert (bag.dag_ids, bag.import_errors, bag.size()) == (["etl", "load"], {}, 2)
    dag = bag.get_dag("etl")
    assert dag is not None
    assert dag.fileloc == str(tmp_path / "etl.py")
    assert bag.get_dag("nothing") is None
    assert [stat.dag_num for stat in bag.dagbag_stats] == [1, 1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import airflow\nraise RuntimeError('dag went wrong')", "dag went wrong"),
        ("import airflow; dag = (", "SyntaxError"),
        ("import airflow\nraise SystemExit('dag')", "SystemExit"),
    ],
)
def test_a_file_that_cannot_be_imported_is_an_error_and_no_more(tmp_path: Path, text: str, message: str) -> None:
    broken = write(tmp_path, "broken.py", text)
    write(tmp_path, "etl.py", ETL.format(dag_id="etl"))

    bag = DagBag(tmp_path)

    assert bag.dag_ids == ["etl"]
    assert message in bag.import_errors[str(broken)]


def test_two_files_with_one_id_are_an_error(tmp_path: Path) -> None:
    write(tmp_path, "a.py", ETL.format(dag_id="etl"))
    second = write(tmp_path, "b.py", ETL.format(dag_id="etl"))

    bag = DagBag(tmp_path)

    assert list(bag.import_errors) == [str(second)]


def test_a_circle_is_an_error(tmp_path: Path) -> None:
    file = write(tmp_path, "etl.py", ETL.format(dag_id="etl") + "    dag['one'] >> dag['one']\n")

    assert list(DagBag(tmp_path).import_errors) == [str(file)]


def test_files_import_what_lies_beside_them(tmp_path: Path) -> None:
    write(tmp_path, "names_of_dags_in_a_test.py", "NAME = 'etl'")
    text = "from names_of_dags_in_a_test import NAME\n" + ETL.format(dag_id="x").replace('"x"', "NAME")
    file = write(tmp_path, "etl.py", text)

    assert DagBag(file).dag_ids == ["etl"]


def test_a_zip_file_is_a_folder_of_dags(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as archive:
        archive.writestr("packed_dag_of_a_test.py", ETL.format(dag_id="packed"))

    bag = DagBag(tmp_path)

    assert (bag.dag_ids, bag.import_errors) == (["packed"], {})


def test_a_file_is_read_again_only_if_it_changed(tmp_path: Path) -> None:
    file = str(write(tmp_path, "etl.py", ETL.format(dag_id="etl")))
    bag = DagBag(tmp_path)

    assert bag.process_file(file) == []
    assert [dag.dag_id for dag in bag.process_file(file, only_if_updated=False)] == ["etl"]
    assert bag.process_file(str(tmp_path / "missing.py")) == []


def test_the_inner_dag_of_a_subdag_is_none_of_its_own(tmp_path: Path) -> None:
    write(
        tmp_path,
        "etl.py",
        ETL.format(dag_id="outer.section").replace(" as dag", " as inner")
        + "from tradewind.compat.adapters.subdag import SubDagOperator\n"
        "def build(inner):\n    with DAG('outer'):\n        SubDagOperator(task_id='section', subdag=inner)\n"
        "build(inner)\ndel inner\n",
    )

    bag = DagBag(tmp_path)

    assert (bag.dag_ids, bag.import_errors) == (["outer"], {})
    assert bag.dags["outer"].task_ids == ["section.one"]


def test_the_database_is_not_read(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="reads files only"):
        DagBag(tmp_path, read_dags_from_db=True)


@pytest.mark.parametrize(
    ("syntax", "pattern"), [("glob", "ignored/\n*_old.py"), ("regexp", "ignored\n.*_old\\.py # no")]
)
def test_ignore_files_are_heeded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, syntax: str, pattern: str) -> None:
    monkeypatch.setenv("AIRFLOW__CORE__DAG_IGNORE_FILE_SYNTAX", syntax)
    write(tmp_path, ".airflowignore", pattern)
    for name in ("etl.py", "etl_old.py", "ignored/load.py"):
        write(tmp_path, name, ETL.format(dag_id="etl"))

    assert list_py_file_paths(tmp_path) == [str(tmp_path / "etl.py")]


def test_only_files_that_may_have_dags_are_imported(tmp_path: Path) -> None:
    file = str(write(tmp_path, "plain.py", "x = 1"))

    assert not might_contain_dag(file, safe_mode=True)
    assert might_contain_dag(file, safe_mode=False)
    assert list_py_file_paths(tmp_path, safe_mode=False) == [file]
    assert list_py_file_paths(None) == []


def test_paths_into_zip_files_are_understood(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as archive:
        archive.writestr("etl.py", "x = 1")
    inner = str(tmp_path / "packed.zip" / "etl.py")

    assert correct_maybe_zipped(inner) == str(tmp_path / "packed.zip")
    assert correct_maybe_zipped("/dags/etl.py") == "/dags/etl.py"
    with open_maybe_zipped(inner) as file:
        assert file.read() == "x = 1"


def test_module_names_differ_for_files_of_one_name() -> None:
    assert get_unique_dag_module_name("/a/my-etl.py") != get_unique_dag_module_name("/b/my-etl.py")
    assert get_unique_dag_module_name("/a/my-etl.py").endswith("_my_etl")
