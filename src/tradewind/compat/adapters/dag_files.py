"""Finding DAG files, as people's tests import it from `airflow.utils.file`."""

import hashlib
import os
import re
import zipfile
from collections.abc import Iterator
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any, Final

from tradewind.sdk.configuration import conf
from tradewind.sdk.notset import NOTSET, is_arg_set

_IGNORE_FILE: Final = ".airflowignore"
_IN_ZIP: Final = re.compile(rf"(?P<zip>.+\.zip)(?:{re.escape(os.sep)}(?P<inner>.*))?")
_MODULE_PREFIX: Final = "unusual_prefix_"


def list_py_file_paths(
    directory: str | os.PathLike[str] | None, safe_mode: Any = NOTSET, include_examples: Any = None
) -> list[str]:
    """The files below a folder that may hold DAGs; or the file itself."""
    if directory is None:
        return []
    path = Path(directory)
    if path.is_file():
        return [str(path)]
    is_safe = (
        conf.getboolean("core", "dag_discovery_safe_mode", fallback=True) if not is_arg_set(safe_mode) else safe_mode
    )
    return [str(found) for found in _below(path) if might_contain_dag(str(found), is_safe)]


def find_dag_file_paths(directory: str | os.PathLike[str], safe_mode: bool = True) -> list[str]:
    """The files below a folder that may hold DAGs."""
    return list_py_file_paths(directory, safe_mode)


def might_contain_dag(file_path: str, safe_mode: bool, zip_file: zipfile.ZipFile | None = None) -> bool:
    """Whether it is worth importing: it mentions both "dag" and "airflow", "tradewind" or "asset"."""
    if not safe_mode or zipfile.is_zipfile(file_path):
        return True
    content = (zip_file.read(file_path) if zip_file else Path(file_path).read_bytes()).lower()
    return (b"dag" in content or b"asset" in content) and (b"airflow" in content or b"tradewind" in content)


def correct_maybe_zipped(fileloc: str | None) -> str | None:
    """The path of the zip file, for a path inside one; any other path as it is."""
    if not fileloc:
        return fileloc
    found = _IN_ZIP.fullmatch(fileloc)
    return found["zip"] if found and found["inner"] and zipfile.is_zipfile(found["zip"]) else fileloc


def open_maybe_zipped(fileloc: str, mode: str = "r") -> IO[str] | TextIOWrapper:
    """Open a file, or a file inside a zip file, for reading."""
    found = _IN_ZIP.fullmatch(fileloc)
    if found and found["inner"] and zipfile.is_zipfile(found["zip"]):
        return TextIOWrapper(zipfile.ZipFile(found["zip"]).open(found["inner"]))
    return Path(fileloc).open(mode, encoding="utf-8")


def get_unique_dag_module_name(file_path: str) -> str:
    """A module name for a DAG file that no other file has."""
    digest = hashlib.sha1(file_path.encode("utf-8"), usedforsecurity=False).hexdigest()
    return f"{_MODULE_PREFIX}{digest}_{re.sub(r'[.-]', '_', Path(file_path).stem)}"


def _below(folder: Path) -> Iterator[Path]:
    """The Python and zip files below a folder, sorted, without what `.airflowignore` files name."""
    ignored = _IgnoreFiles(conf.get("core", "dag_ignore_file_syntax", fallback="glob"))
    for here, folders, files in os.walk(folder, followlinks=True):
        current = Path(here)
        ignored.read(current)
        folders[:] = sorted(
            name for name in folders if name != "__pycache__" and not ignored.names(current / name, True)
        )
        for name in sorted(files):
            path = current / name
            if path.suffix in {".py", ".zip"} and not ignored.names(path, False):
                yield path


class _IgnoreFiles:
    """The patterns of all ignore files read so far, each for what is below it."""

    def __init__(self, syntax: str) -> None:
        self._is_glob = syntax == "glob"
        self._globs: list[tuple[Path, Any]] = []
        self._patterns: list[tuple[Path, re.Pattern[str]]] = []

    def read(self, folder: Path) -> None:
        file = folder / _IGNORE_FILE
        if not file.is_file():
            return
        lines = file.read_text(encoding="utf-8").splitlines()
        if self._is_glob:
            # Few folders have such a file.
            spec = import_module("pathspec").GitIgnoreSpec
            self._globs.append((folder, spec.from_lines(lines)))
        else:
            texts = [re.sub(r"\s*#.*", "", line).strip() for line in lines]
            self._patterns += [(folder, re.compile(text)) for text in texts if text]

    def names(self, path: Path, is_folder: bool) -> bool:
        def below(folder: Path) -> str | None:
            return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else None

        end = "/" if is_folder else ""
        return any((part := below(folder)) and spec.match_file(part + end) for folder, spec in self._globs) or any(
            (part := below(folder)) and pattern.search(part) for folder, pattern in self._patterns
        )
