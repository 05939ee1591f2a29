"""What is loaded for good is loaded without a look for rubbish."""

import gc
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tradewind.runtime.memory import load_for_good

MANY = "kept = [[] for _ in range(100_000)]\n"


@pytest.fixture
def collections(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """How often rubbish was looked for. Modules can be put into `tmp_path`."""
    monkeypatch.syspath_prepend(str(tmp_path))
    begun: list[str] = []

    def note(phase: str, _info: object) -> None:
        if phase == "start":
            begun.append(phase)

    gc.callbacks.append(note)
    yield begun
    gc.callbacks.remove(note)
    for name in ("outer_of_test", "inner_of_test"):
        sys.modules.pop(name, None)


def test_nothing_that_is_loaded_is_looked_through(tmp_path: Path, collections: list[str]) -> None:
    """B6: neither meanwhile nor afterwards, and also not for what a module loads so itself."""
    (tmp_path / "inner_of_test.py").write_text(MANY)
    (tmp_path / "outer_of_test.py").write_text(
        "from tradewind.runtime.memory import load_for_good\n"
        "inner = load_for_good('inner_of_test')\n" + MANY
    )  # fmt: skip
    before = gc.get_freeze_count()

    module = load_for_good("outer_of_test")

    assert collections == []
    assert gc.isenabled()
    assert gc.get_freeze_count() > before + 200_000
    assert len(module.kept) == len(module.inner.kept) == 100_000


def test_rubbish_is_looked_for_again_also_after_a_module_that_fails(tmp_path: Path, collections: list[str]) -> None:
    (tmp_path / "outer_of_test.py").write_text("raise ValueError('no')\n")

    with pytest.raises(ValueError, match="no"):
        load_for_good("outer_of_test")

    assert gc.isenabled()


def test_what_is_loaded_already_is_only_handed_out(collections: list[str]) -> None:
    before = gc.get_freeze_count()

    assert load_for_good("tradewind.runtime.memory").load_for_good is load_for_good

    assert gc.get_freeze_count() <= before  # less, where something that is kept for good went meanwhile
