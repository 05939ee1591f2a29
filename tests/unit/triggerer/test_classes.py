"""Where classes of triggers come from, and what happens when their files change (E9)."""

import os
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tradewind.compat import install
from tradewind.compat.adapters.listeners import get_listener_manager
from tradewind.dag_files.load import module_name
from tradewind.sdk.standard.temporal_triggers import DateTimeTrigger
from tradewind.triggerer.protocol import Code
from tradewind.triggerer.runner.classes import TriggerClasses


@pytest.fixture
def classes() -> Iterator[TriggerClasses]:
    """Nothing of it is left afterwards: the process of tests lives on."""
    before = (list(sys.path), list(sys.path_hooks), list(sys.meta_path), set(sys.modules))
    yield TriggerClasses()
    sys.path[:], sys.path_hooks[:], sys.meta_path[:] = before[0], before[1], before[2]
    for name in set(sys.modules) - before[3]:
        del sys.modules[name]
    sys.path_importer_cache.clear()


def code(root: Path, path: str = "dag.py") -> Code:
    """That of a DAG in a folder."""
    return Code("dags-folder", str(root), path, "")


def write(root: Path, name: str, number: int) -> None:
    """A module with a class that has that number."""
    root.mkdir(exist_ok=True)
    (root / name).write_text(f"class Bell:\n    number = {number}\n")


def test_installed_packages_are_found_with_and_without_a_bundle(classes: TriggerClasses, tmp_path: Path) -> None:
    path = f"{DateTimeTrigger.__module__}.DateTimeTrigger"

    assert classes.find(path, None) is DateTimeTrigger
    assert classes.find(path, code(tmp_path)) is DateTimeTrigger


def test_modules_beside_the_dag_and_the_dag_file_itself_have_classes(classes: TriggerClasses, tmp_path: Path) -> None:
    write(tmp_path, "bells_beside.py", 1)
    (tmp_path / "dag.py").write_text("from bells_beside import Bell\n\nclass Own(Bell):\n    own = True\n")
    inside = f"{module_name('dags-folder', 'dag.py')}.Own"

    assert classes.find("bells_beside.Bell", code(tmp_path)).number == 1
    assert classes.find(inside, code(tmp_path)).own
    with pytest.raises(ImportError):
        classes.find("bells_beside.Gong", code(tmp_path))


def test_changed_files_count_for_new_triggers_only(classes: TriggerClasses, tmp_path: Path) -> None:
    write(tmp_path, "bells_changing.py", 1)
    old = classes.find("bells_changing.Bell", code(tmp_path))
    assert classes.find("bells_changing.Bell", code(tmp_path)) is old

    write(tmp_path, "bells_changing.py", 1000)

    assert (classes.find("bells_changing.Bell", code(tmp_path)).number, old.number) == (1000, 1)


def test_what_could_not_be_imported_is_tried_again_when_it_changed(classes: TriggerClasses, tmp_path: Path) -> None:
    (tmp_path / "bells_mended.py").write_text("raise ValueError('broken')")
    with pytest.raises(ValueError, match="broken"):
        classes.find("bells_mended.Bell", code(tmp_path))

    write(tmp_path, "bells_mended.py", 2)

    assert classes.find("bells_mended.Bell", code(tmp_path)).number == 2


def test_bundles_have_modules_of_their_own(classes: TriggerClasses, tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    write(one, "bells_twice.py", 1)
    write(other, "bells_twice.py", 2)

    found = [classes.find("bells_twice.Bell", code(root)).number for root in (one, other, one, other)]

    assert found == [1, 2, 1, 2]


def test_the_dags_of_a_file_are_those_that_it_says_now(classes: TriggerClasses, tmp_path: Path) -> None:
    """E3, E9: imported once for all its tasks; an error once, too, until the file is another."""
    file = tmp_path / "dag.py"
    text = "from tradewind.sdk import DAG\nwith DAG({name!r}, schedule=None) as dag:\n    pass\n"
    file.write_text(text.format(name="one"))
    first = classes.dags(code(tmp_path))
    assert list(first) == ["one"]
    assert classes.dags(code(tmp_path)) is first

    file.write_text("raise ValueError('not today')  # changed\n")
    errors = []
    for _ in range(2):
        with pytest.raises(ImportError, match=r"dag\.py cannot be imported") as caught:
            classes.dags(code(tmp_path))
        errors.append(caught.value.__cause__)
    assert errors[0] is errors[1]
    assert str(errors[0]) == "not today"

    file.write_text(text.format(name="another"))
    assert list(classes.dags(code(tmp_path))) == ["another"]


def test_the_dags_of_a_zip_file_are_found(classes: TriggerClasses, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "dags.zip", "w") as archive:
        archive.writestr(
            "one.py", "from bells_zipped import NAME\nfrom tradewind.sdk import DAG\ndag = DAG(NAME, schedule=None)\n"
        )
        archive.writestr("bells_zipped.py", "NAME = 'zipped'\n")
        archive.writestr("inner/other.py", "raise AssertionError('not at the top')\n")

    assert list(classes.dags(code(tmp_path, "dags.zip"))) == ["zipped"]


def test_files_that_were_only_written_anew_are_the_same(classes: TriggerClasses, tmp_path: Path) -> None:
    """E9: who checks out a branch and comes back must not have every watcher started once more."""
    write(tmp_path, "bells_touched.py", 1)
    first = classes.find("bells_touched.Bell", code(tmp_path))

    (tmp_path / "bells_touched.py").unlink()
    write(tmp_path, "bells_touched.py", 1)
    os.utime(tmp_path / "bells_touched.py", ns=(1, 1))
    assert classes.find("bells_touched.Bell", code(tmp_path)) is first

    write(tmp_path, "bells_touched.py", 2)
    assert classes.find("bells_touched.Bell", code(tmp_path)).number == 2


def test_a_file_that_is_saved_while_it_is_imported_counts_as_changed(classes: TriggerClasses, tmp_path: Path) -> None:
    """E9: what ran is what was read, whatever the file is a moment later."""
    new = "class Bell:\n    number = 2\n"
    saves_itself = f"from pathlib import Path\nPath(__file__).write_text({new!r})\n"
    (tmp_path / "bells_saved.py").write_text(f"class Bell:\n    number = 1\n{saves_itself}")

    assert classes.find("bells_saved.Bell", code(tmp_path)).number == 1
    assert classes.find("bells_saved.Bell", code(tmp_path)).number == 2


def test_half_a_dag_file_is_not_taken_for_all_of_it(classes: TriggerClasses, tmp_path: Path) -> None:
    """A file that could not be imported because of something else is tried again, and says the same again."""
    (tmp_path / "dag.py").write_text("import os\nclass Bell:\n    number = int(os.environ['BELLS_NUMBER'])\n")
    inside = f"{module_name('dags-folder', 'dag.py')}.Bell"
    for _ in range(2):
        with pytest.raises(KeyError, match="BELLS_NUMBER"):
            classes.find(inside, code(tmp_path))

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BELLS_NUMBER", "3")
        assert classes.find(inside, code(tmp_path)).number == 3


def test_whether_anybody_listens_to_tasks_the_plugins_say(classes: TriggerClasses, tmp_path: Path) -> None:
    """D4, E4: they are loaded with the first end that a trigger tells, and once."""
    plugins = tmp_path / "plugins"
    plugins.mkdir()
    (plugins / "ears_of_triggers.py").write_text(
        "from airflow.plugins_manager import AirflowPlugin\n\n"
        "class Ears(AirflowPlugin):\n    name = 'ears of triggers'\n    listeners = [object()]\n"
    )
    install()
    manager = get_listener_manager()
    manager.clear()
    try:
        assert not classes.are_tasks_listened_to(code(tmp_path))
        assert not classes.are_tasks_listened_to(None)
        for _ in range(2):
            assert classes.are_tasks_listened_to(Code("dags-folder", str(tmp_path), "dag.py", str(plugins)))
        assert len(manager.pm.get_plugins()) == 1
    finally:
        manager.clear()
