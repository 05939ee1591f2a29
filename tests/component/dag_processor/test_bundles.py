"""Bundles: local folders, and git repositories with versions (D6)."""

import json
import os
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tradewind.bundles.git import GitBundle
from tradewind.bundles.interface import Bundle, Versioned
from tradewind.bundles.local import LocalBundle
from tradewind.bundles.registry import make_bundles
from tradewind.errors import BundleError, SettingsError
from tradewind.settings import load_settings

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FAR = datetime(2999, 1, 1, tzinfo=UTC)
ENVIRON = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    **{f"GIT_{who}_{what}": "tester@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}


class Repository:
    """A git repository that people push to."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir()
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *words: str) -> str:
        done = subprocess.run(["git", *words], cwd=self.path, env=ENVIRON, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def commit(self, **files: str) -> str:
        """Files by name, without `.py`; a double underscore is a slash. Returns the id of the commit."""
        for name, text in files.items():
            file = self.path / f"{name.replace('__', '/')}.py"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "a change")
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository")


def bundle_of(repository: Repository, tmp_path: Path, **values: Any) -> GitBundle:
    plain: dict[str, Any] = {"repo_url": str(repository.path), "tracking_ref": "main", "environ": ENVIRON}
    return GitBundle("ours", storage=tmp_path / "storage", **{**plain, **values})


def test_a_branch_is_followed_and_each_version_keeps_its_folder(repository: Repository, tmp_path: Path) -> None:
    first = repository.commit(a="1", b="1")
    bundle = bundle_of(repository, tmp_path)
    bundle.initialize()
    former = bundle.path
    assert (bundle.get_current_version(), (former / "a.py").read_text()) == (first, "1")

    (repository.path / "b.py").unlink()
    second = repository.commit(a="2")
    bundle.refresh()

    assert bundle.get_current_version() == second
    assert (bundle.path / "a.py").read_text() == "2"
    assert not (bundle.path / "b.py").exists()
    assert (former / "a.py").read_text() == (former / "b.py").read_text() == "1"
    assert not (bundle.path / ".git").exists()


def test_a_branch_that_was_rewritten_is_followed_all_the_same(repository: Repository, tmp_path: Path) -> None:
    repository.commit(a="1")
    bundle = bundle_of(repository, tmp_path)
    bundle.initialize()

    (repository.path / "a.py").write_text("rewritten")
    repository.git("commit", "--quiet", "--all", "--amend", "--message", "another history")
    bundle.refresh()

    assert (bundle.path / "a.py").read_text() == "rewritten"


@pytest.mark.parametrize("annotated", [True, False])
def test_a_tag_can_be_followed(repository: Repository, tmp_path: Path, annotated: bool) -> None:
    tagged = repository.commit(a="1")
    repository.git("tag", "v1", *(["--annotate", "--message", "one"] if annotated else []))
    repository.commit(a="2")
    bundle = bundle_of(repository, tmp_path, tracking_ref="v1")

    bundle.initialize()

    assert bundle.get_current_version() == tagged


def test_only_a_subfolder_and_some_folders_may_be_wanted(repository: Repository, tmp_path: Path) -> None:
    repository.commit(dags__a="1", lib__b="1", docs__c="1")
    bundle = bundle_of(repository, tmp_path, subdir="dags", sparse_dirs=["dags", "lib"])

    bundle.initialize()

    assert [path.name for path in bundle.path.iterdir()] == ["a.py"]
    assert sorted(path.name for path in bundle.path.parent.iterdir()) == ["dags", "lib"]


def test_an_old_version_can_be_had_again(repository: Repository, tmp_path: Path) -> None:
    """D6: a run keeps the version it started with, also on a machine that never saw it."""
    first = repository.commit(a="1")
    repository.commit(a="2")
    bundle = bundle_of(repository, tmp_path)
    bundle.initialize()

    assert (bundle.path_of(first) / "a.py").read_text() == "1"
    assert (bundle.path / "a.py").read_text() == "2"


def test_a_version_that_was_made_since_the_last_fetch_is_fetched(repository: Repository, tmp_path: Path) -> None:
    repository.commit(a="1")
    bundle = bundle_of(repository, tmp_path)
    bundle.initialize()

    newer = repository.commit(a="2")

    assert (bundle.path_of(newer) / "a.py").read_text() == "2"


@pytest.mark.parametrize("version", ["main", "../../etc", "-x", "f" * 40])
def test_a_version_that_is_none_is_refused(repository: Repository, tmp_path: Path, version: str) -> None:
    repository.commit(a="1")
    bundle = bundle_of(repository, tmp_path)
    bundle.initialize()

    with pytest.raises(BundleError):
        bundle.path_of(version)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"tracking_ref": "nothing"}, "no branch, tag or commit 'nothing'; correct tracking_ref"),
        ({"tracking_ref": "--help"}, "no branch, tag or commit '--help'"),
        ({"subdir": "nothing"}, "no folder 'nothing'; correct subdir"),
        ({"repo_url": "/nowhere"}, "git clone failed: .*/nowhere"),
        ({"environ": {"PATH": "/nowhere"}}, "needs the program git"),
    ],
)
def test_what_is_wrong_is_said(repository: Repository, tmp_path: Path, values: dict[str, Any], message: str) -> None:
    repository.commit(a="1")
    bundle = bundle_of(repository, tmp_path, **values)

    with pytest.raises(BundleError, match=message):
        bundle.initialize()


def test_a_failed_refresh_leaves_everything_as_it_was(repository: Repository, tmp_path: Path) -> None:
    """B10."""
    first = repository.commit(a="1")
    bundle = bundle_of(repository, tmp_path)
    bundle.initialize()
    repository.path.rename(tmp_path / "away")

    with pytest.raises(BundleError):
        bundle.refresh()

    assert bundle.get_current_version() == first
    assert (bundle.path / "a.py").read_text() == "1"


def test_a_password_in_the_address_is_not_told(repository: Repository, tmp_path: Path) -> None:
    bundle = bundle_of(repository, tmp_path, repo_url="https://me:hunter2@127.0.0.1:1/none.git")

    with pytest.raises(BundleError) as refused:
        bundle.initialize()

    assert "hunter2" not in str(refused.value)


def test_versions_that_nobody_used_for_long_are_thrown_away(repository: Repository, tmp_path: Path) -> None:
    bundle = bundle_of(repository, tmp_path)
    versions = []
    used = tmp_path / "storage" / "ours" / "used"
    for number in range(4):
        versions.append(repository.commit(a=str(number)))
        bundle.refresh()
        os.utime(used / versions[-1], (number, number))

    assert bundle.prune(EPOCH, keep=0) == []
    assert bundle.prune(FAR, keep=3) == [versions[0]]
    assert bundle.prune(EPOCH + timedelta(seconds=2), keep=0) == [versions[1]]
    assert bundle.prune(FAR, keep=0) == [versions[2]]
    assert (bundle.path / "a.py").read_text() == "3"
    assert isinstance(bundle, Versioned)


def configured(tmp_path: Path, *entries: dict[str, Any], names: tuple[str, ...] = ()) -> list[Bundle]:
    environ = {
        "TRADEWIND_HOME": str(tmp_path),
        "TRADEWIND__DAG_PROCESSOR__DAG_BUNDLE_CONFIG_LIST": json.dumps(entries),
    }
    return make_bundles(load_settings(environ), ENVIRON, names)


LOCAL = "airflow.dag_processing.bundles.local.LocalDagBundle"
GIT = "airflow.providers.git.bundles.git.GitDagBundle"


def test_bundles_are_made_by_the_names_of_airflow(tmp_path: Path) -> None:
    kwargs = {"repo_url": "x", "tracking_ref": "main", "subdir": "dags", "refresh_interval": 7}
    default, local, git = configured(
        tmp_path,
        {"name": "default", "classpath": LOCAL},
        {"name": "local", "classpath": LOCAL, "kwargs": {"path": "/srv/dags"}},
        {"name": "git", "classpath": GIT, "kwargs": kwargs},
    )

    assert isinstance(default, LocalBundle)
    assert (default.path, local.path) == (tmp_path / "dags", Path("/srv/dags"))
    assert isinstance(git, GitBundle)
    assert (git.name, git.refresh_interval, git.supports_versioning) == ("git", 7, True)


def test_bundles_can_be_chosen_by_name(tmp_path: Path) -> None:
    entries = [{"name": name, "classpath": LOCAL} for name in ("a", "b")]

    assert [bundle.name for bundle in configured(tmp_path, *entries, names=("b",))] == ["b"]
    with pytest.raises(SettingsError, match="no bundle 'c'"):
        configured(tmp_path, *entries, names=("c",))


class OwnBundle:
    """A class of somebody's, with the methods of Airflow's bundles."""

    supports_versioning = False

    def __init__(self, name: str, refresh_interval: float, folder: str) -> None:
        self.name = name
        self.refresh_interval = refresh_interval
        self.path = Path(folder)

    def initialize(self) -> None: ...
    def refresh(self) -> None: ...
    def get_current_version(self) -> str | None:
        return None


def test_a_class_of_ones_own_may_be_named(tmp_path: Path) -> None:
    entry = {"name": "own", "classpath": f"{__name__}.OwnBundle", "kwargs": {"folder": "/srv"}}

    (bundle,) = configured(tmp_path, entry)

    assert (bundle.name, bundle.path, bundle.refresh_interval) == ("own", Path("/srv"), 300.0)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"classpath": GIT, "kwargs": {"tracking_ref": "main"}}, "needs 'repo_url'"),
        ({"classpath": GIT, "kwargs": {"git_conn_id": "x"}}, "'git_conn_id' is not supported"),
        ({"classpath": LOCAL, "kwargs": {"colour": "red"}}, "'colour' is not supported"),
        ({"classpath": "nowhere.Bundle"}, "nowhere.Bundle cannot be used: No module named 'nowhere'"),
        ({"classpath": "Bundle"}, "Bundle cannot be used"),
        ({"classpath": f"{__name__}.Repository"}, "cannot be used"),
    ],
)
def test_a_bundle_that_cannot_be_made_is_an_error_with_its_name(
    tmp_path: Path, entry: dict[str, Any], message: str
) -> None:
    with pytest.raises(SettingsError, match=message) as refused:
        configured(tmp_path, {"name": "mine", **entry})

    assert "'mine'" in str(refused.value)


def test_a_minute_is_not_long(repository: Repository, tmp_path: Path) -> None:
    """Versions are kept by when they were last used, not by when they were made."""
    first = repository.commit(a="1")
    bundle = bundle_of(repository, tmp_path)
    bundle.refresh()
    repository.commit(a="2")
    bundle.refresh()
    marker = tmp_path / "storage" / "ours" / "used" / first
    long_ago = marker.stat().st_mtime - 3600
    os.utime(marker, (long_ago, long_ago))
    threshold = datetime.fromtimestamp(long_ago, UTC) + timedelta(minutes=30)
    bundle.path_of(first)

    assert bundle.prune(threshold, keep=0) == []
