"""Which files a bundle has, and which have changed: by content, at the cost of a look (A5)."""

import os
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tradewind.dag_processor.folder import Folder, Look

DAG_TEXT = "from airflow.sdk import DAG\n"
SECOND = 1_000_000_000


@dataclass
class Files:
    """A folder whose files were all written a good while ago, unless the test says otherwise."""

    root: Path
    folder: Folder
    now_ns: int = 1_800_000_000 * SECOND
    ticks: int = field(default=0)

    def write(self, path: str, text: str = DAG_TEXT, *, age_s: float = 100) -> Path:
        full = self.root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_text(text, encoding="utf-8")
        self.date(full, age_s)
        return full

    def date(self, full: Path, age_s: float = 100) -> None:
        """Each date once only, so that a change of the folder shows."""
        self.ticks += 1
        at = self.now_ns - int(age_s * SECOND) + self.ticks
        os.utime(full, ns=(at, at), follow_symlinks=False)
        for parent in full.parents:
            if parent == self.root.parent:
                break
            os.utime(parent, ns=(at, at))

    def remove(self, path: str) -> None:
        (self.root / path).unlink()
        self.date((self.root / path).parent)

    def look(self) -> Look:
        return self.folder.look(self.now_ns)

    def changed(self) -> list[str]:
        return sorted(self.look().changed)


@pytest.fixture
def files(tmp_path: Path) -> Files:
    root = tmp_path / "dags"
    root.mkdir()
    return Files(root, Folder(root))


def test_files_are_found_at_any_depth_and_only_by_their_kind(files: Files) -> None:
    for path in ("a.py", "etl/b.py", "etl/deep/c.py", "notes.txt", "etl/__pycache__/d.py", ".git/e.py", "..data/f.py"):
        files.write(path)

    assert files.changed() == ["a.py", "etl/b.py", "etl/deep/c.py"]
    assert sorted(files.folder.dag_files) == ["a.py", "etl/b.py", "etl/deep/c.py"]
    assert files.changed() == []


@pytest.mark.parametrize(
    ("text", "has_dags"),
    [
        ("from airflow.sdk import DAG", True),
        ("import TRADEWIND  # Dag", True),
        ("import airflow", False),
        ("class Dag: ...", False),
        ("x = 1", False),
    ],
)
def test_safe_mode_passes_over_files_without_the_words(files: Files, text: str, has_dags: bool) -> None:
    files.write("a.py", text)
    careless = Folder(files.root, safe_mode=False)

    files.look()
    careless.look(files.now_ns)

    assert ("a.py" in files.folder.dag_files) == has_dags
    assert "a.py" in careless.dag_files


def test_a_zip_file_is_judged_by_the_modules_at_its_top(files: Files) -> None:
    for name, member in (("with.zip", "dags.py"), ("without.zip", "below/dags.py")):
        with zipfile.ZipFile(files.root / name, "w") as archive:
            archive.writestr(member, DAG_TEXT)
    (files.root / "broken.zip").write_bytes(b"not a zip")

    files.look()

    assert sorted(files.folder.dag_files) == ["broken.zip", "with.zip"]


def test_a_changed_file_is_told_once_and_a_touched_one_never(files: Files) -> None:
    files.write("a.py")
    files.write("b.py")
    files.look()

    files.write("a.py", DAG_TEXT + "# new")
    files.write("b.py", DAG_TEXT)

    assert files.changed() == ["a.py"]
    assert files.changed() == []


def test_files_that_come_and_go_are_told(files: Files) -> None:
    files.write("a.py")
    files.look()

    files.write("b.py")
    files.remove("a.py")

    assert files.changed() == ["a.py", "b.py"]
    assert sorted(files.folder.dag_files) == ["b.py"]


def test_what_was_just_written_is_read_again_although_nothing_shows(files: Files) -> None:
    """Two saves within a tick of the file system's clock."""
    full = files.write("a.py", DAG_TEXT + "# 1", age_s=0.1)
    status = full.stat()
    assert files.look().needs_another

    full.write_text(DAG_TEXT + "# 2", encoding="utf-8")
    os.utime(full, ns=(status.st_mtime_ns, status.st_mtime_ns))

    assert files.changed() == ["a.py"]

    files.now_ns += 2 * SECOND
    files.look()
    assert not files.look().needs_another


def test_a_file_from_the_future_is_not_looked_at_for_ever(files: Files) -> None:
    files.write("a.py", age_s=-1_000_000)
    files.look()

    assert not files.look().needs_another


def test_ignored_files_are_passed_over_and_come_back_with_the_rules(files: Files) -> None:
    files.write("a.py")
    files.write("old/b.py")
    files.write(".airflowignore", "old/\n")
    assert files.changed() == ["a.py"]

    files.write(".airflowignore", "a.py\n")
    assert files.changed() == ["a.py", "old/b.py"]
    assert sorted(files.folder.dag_files) == ["old/b.py"]

    files.remove(".airflowignore")
    assert files.changed() == ["a.py"]


def test_an_ignore_file_that_makes_no_sense_is_a_problem_and_ignores_nothing(files: Files) -> None:
    files.folder = Folder(files.root, syntax="regexp")
    files.write("a.py")
    files.write(".airflowignore", "(\n")

    assert files.changed() == ["a.py"]
    assert "correct it" in files.folder.problems[".airflowignore"]


def test_a_linked_folder_belongs_to_the_bundle(files: Files, tmp_path: Path) -> None:
    outside = tmp_path / "shared"
    outside.mkdir()
    (outside / "a.py").write_text(DAG_TEXT)
    (files.root / "linked").symlink_to(outside)

    assert files.changed() == ["linked/a.py"]
    assert files.folder.linked_folders == {str(outside)}


def test_links_that_lead_in_a_circle_are_a_problem_and_end(files: Files) -> None:
    """A5, bad input: a symlink loop."""
    files.write("etl/a.py")
    (files.root / "etl" / "again").symlink_to(files.root)
    (files.root / "one.py").symlink_to(files.root / "two.py")
    (files.root / "two.py").symlink_to(files.root / "one.py")
    (files.root / "nothing.py").symlink_to(files.root / "gone.py")

    assert files.changed() == ["etl/a.py"]
    problems = files.folder.problems
    assert sorted(problems) == ["etl/again", "nothing.py", "one.py", "two.py"]
    assert "following it would never end" in problems["etl/again"]
    assert all("What to do:" in problem for problem in problems.values())


def test_a_path_that_is_too_long_is_a_problem(files: Files) -> None:
    files.write("/".join(["f" * 100] * 5) + "/a.py")

    assert files.changed() == []
    (problem,) = files.folder.problems.values()
    assert "shorten" in problem


def test_a_name_that_is_no_text_is_a_problem_that_can_be_stored(files: Files) -> None:
    root = os.fsencode(files.root)
    Path(os.fsdecode(root + b"/\xff.py")).write_text(DAG_TEXT)
    Path(os.fsdecode(root + b"/\xfe")).mkdir()
    Path(os.fsdecode(root + b"/\xfe/a.py")).write_text(DAG_TEXT)

    assert files.changed() == []
    assert {path: "rename" in problem for path, problem in files.folder.problems.items()} == {"?.py": True, "?": True}


def test_a_folder_that_is_not_there_is_an_error_and_nothing_is_forgotten(files: Files) -> None:
    """A volume that is not mounted must not look like DAGs that were deleted."""
    files.write("a.py")
    files.look()
    files.root.rename(files.root.with_name("away"))

    with pytest.raises(FileNotFoundError):
        files.look()

    files.root.with_name("away").rename(files.root)
    assert files.changed() == []


def test_what_else_a_file_depends_on_is_told_when_it_changes(files: Files, tmp_path: Path) -> None:
    outside = tmp_path / "plugin.py"
    assert files.folder.content_hash("conf.yaml") == ""
    assert files.folder.content_hash(str(outside)) == ""
    before = files.folder.content_hash("configs")
    assert files.changed() == []

    files.write("conf.yaml", "a: 1")
    outside.write_text("X = 1")
    files.write("configs/new.yaml", "b: 1")

    assert files.changed() == [str(outside), "conf.yaml", "configs"]
    assert files.folder.content_hash("configs") != before
    assert files.changed() == []

    files.folder.forget_others(["conf.yaml"])
    outside.unlink()
    assert files.changed() == []


def test_after_a_move_only_other_contents_count_as_changed(files: Files, tmp_path: Path) -> None:
    """D6: each version of a git bundle has a folder of its own."""
    files.write("a.py")
    files.write("b.py")
    files.look()
    newer = tmp_path / "newer"
    newer.mkdir()
    (newer / "a.py").write_text(DAG_TEXT)
    (newer / "b.py").write_text(DAG_TEXT + "# new")

    files.folder.move(newer)

    assert files.changed() == ["b.py"]
