"""Imports a DAG file, and the modules beside it that it imports, straight from their source.

Compiled files beside the sources are not used: Python tells them apart from the source by whole seconds, and two saves
within a second are common. What was imported is noted with the hash of the very bytes that ran.
"""

import hashlib
import io
import os
import re
import sys
import zipfile
from collections.abc import Iterator, Sequence
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, FileFinder, ModuleSpec, SourceFileLoader
from importlib.util import decode_source, module_from_spec, spec_from_file_location
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any, Final

from tradewind.dag_files.fingerprint import ABSENT, hash_bytes
from tradewind.dag_files.observe import IMPORT_SYSTEM

_NO_LETTER: Final = re.compile(r"\W")

compiled_files: Final[dict[tuple[str, str], CodeType]] = {}
"""By (path, content hash): local modules that many DAG files import, compiled once by the warm process."""


def module_name(bundle: str, path: str) -> str:
    """A name that no other file has, and that stays when the bundle moves. DAG files look at its beginning."""
    stem = _NO_LETTER.sub("_", Path(path).stem)
    return f"unusual_prefix_{hashlib.sha1(f'{bundle}/{path}'.encode(), usedforsecurity=False).hexdigest()}_{stem}"


def source_text(data: bytes) -> str:
    """The source as people read it, whatever its encoding."""
    try:
        return decode_source(data)
    except (SyntaxError, UnicodeDecodeError, LookupError):
        return data.decode("utf-8", "replace")


def members_of(path: Path, data: bytes) -> Iterator[tuple[str, bytes]]:
    """(name of the file, content) of the modules to run: one, or those at the top of a zip file."""
    if path.suffix != ".zip":
        yield str(path), data
        return
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for member in sorted(archive.namelist()):
            if member.endswith(".py") and "/" not in member:
                yield f"{path}/{member}", archive.read(member)


class _GivenCode(SourceFileLoader):
    """Runs code that was compiled already."""

    def __init__(self, name: str, path: str, code: CodeType) -> None:
        super().__init__(name, path)
        self._code = code

    def get_code(self, fullname: str) -> CodeType:
        """See `SourceFileLoader`."""
        return self._code


def run_module(name: str, file: str, code: CodeType) -> ModuleType:
    """Import code as the module of that name and file."""
    spec = spec_from_file_location(name, file, loader=_GivenCode(name, file, code))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]  # nobody shall take half of it for all of it
        raise
    return module


class LocalImports:
    """Makes the author's folders importable, and notes what is imported from them."""

    def __init__(self, roots: Sequence[str]) -> None:
        self.roots = tuple(roots)
        self.files: dict[str, str] = {}
        """By path: the hash of each module's source, or `ABSENT` for those that were looked for in vain."""

    def install(self) -> None:
        """Only for a process that ends soon: nothing is taken back."""
        sys.path_hooks.insert(0, self._finder)
        sys.meta_path.append(self)
        sys.path.extend(root for root in self.roots if root not in sys.path)

    def has(self, name: str) -> bool:
        """Whether the module of that name is one of the author's."""
        file = getattr(sys.modules.get(name), "__file__", None)
        return isinstance(file, str) and self._is_local(str(Path(file).parent))

    def find_spec(self, fullname: str, path: Sequence[str] | None, _target: object = None) -> ModuleSpec | None:
        """Last in line: whoever is asked for here was found nowhere. Should it appear, the file is read again."""
        if not self._is_asked_by_author():
            return None
        stem = fullname.rpartition(".")[2]
        for folder in self.roots if path is None else path:
            if self._is_local(folder):
                self.files.setdefault(f"{folder}/{stem}.py", ABSENT)
                self.files.setdefault(f"{folder}/{stem}/__init__.py", ABSENT)
        return None

    def _is_asked_by_author(self) -> bool:
        """Libraries often look for what need not be there."""
        frame: FrameType | None = sys._getframe(2)  # noqa: SLF001 - Python's own way to ask who calls
        while frame is not None and frame.f_code.co_filename.startswith(IMPORT_SYSTEM):
            frame = frame.f_back
        return frame is not None and self._is_local(str(Path(frame.f_code.co_filename).parent))

    def _finder(self, folder: str) -> FileFinder:
        if not self._is_local(folder) or not os.path.isdir(folder):  # noqa: PTH112
            raise ImportError(f"{folder} is not a folder of the author")
        # A function does where the type stubs want a class.
        from_source: Any = self._loader
        return FileFinder(folder, (from_source, [".py"]), (ExtensionFileLoader, EXTENSION_SUFFIXES))

    def _loader(self, name: str, path: str) -> SourceFileLoader:
        return _FromSource(name, path, self.files)

    def _is_local(self, folder: str) -> bool:
        return any(folder == root or folder.startswith(f"{root}/") for root in self.roots)


class _FromSource(SourceFileLoader):
    """A loader that neither reads nor writes compiled files, and notes what it reads."""

    def __init__(self, name: str, path: str, noted: dict[str, str]) -> None:
        super().__init__(name, path)
        self._noted = noted

    def get_code(self, fullname: str) -> CodeType:
        """See `SourceFileLoader`."""
        data = Path(self.path).read_bytes()
        content_hash = hash_bytes(data)
        self._noted[self.path] = content_hash
        known = compiled_files.get((self.path, content_hash))
        return compile(data, self.path, "exec", dont_inherit=True) if known is None else known
