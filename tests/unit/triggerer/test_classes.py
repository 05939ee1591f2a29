"""Where classes of triggers come from, and what happens when their files change (E9)."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

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
