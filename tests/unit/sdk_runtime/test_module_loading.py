"""Objects by path, and paths of objects."""

from functools import partial
from typing import Any

import pytest

from tradewind.sdk import module_loading
from tradewind.sdk.entry_points import entry_points_with_dist
from tradewind.sdk.module_loading import (
    accepts_context,
    accepts_keyword_args,
    import_string,
    is_valid_dotpath,
    qualname,
)


class Outer:
    """Has a class inside."""

    class Inner:
        """Is one."""


def function(context: Any) -> Any:
    """Takes a context."""


def test_object_is_found_by_its_path() -> None:
    assert import_string("collections.abc.Mapping") is __import__("collections.abc").abc.Mapping
    assert import_string(f"{__name__}.Outer.Inner") is Outer.Inner


@pytest.mark.parametrize("path", ["nodots", "collections.NoName", "no_such_module.Name", "collections.abc.Mapping.x"])
def test_path_that_leads_nowhere_is_an_import_error(path: str) -> None:
    with pytest.raises(ImportError):
        import_string(path)


def test_missing_module_behind_an_existing_one_is_named(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "needs_more.py").write_text("import something_missing\n")
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(ModuleNotFoundError, match="something_missing"):
        import_string("needs_more.name")


def test_paths_of_objects() -> None:
    assert qualname(function) == f"{__name__}.function"
    assert qualname(partial(function, 1)) == f"{__name__}.function"
    assert qualname(Outer()) == f"{__name__}.Outer"
    assert qualname(Outer.Inner, use_qualname=True) == f"{__name__}.Outer.Inner"
    assert qualname(Outer.Inner(), exclude_module=True) == "Outer.Inner"
    assert import_string(qualname(module_loading.qualname)) is qualname


def test_what_looks_like_a_path() -> None:
    assert is_valid_dotpath("a.b_c.D1")
    assert not any(is_valid_dotpath(path) for path in ("", "a..b", "1a", "a b", "a.", 5))


def test_what_callbacks_take() -> None:
    assert accepts_context(function)
    assert accepts_context(lambda **kwargs: kwargs)
    assert not accepts_context(lambda other: other)
    assert accepts_keyword_args(function)
    assert not accepts_keyword_args(lambda *args: args)
    assert accepts_context(print) is False
    assert accepts_keyword_args(iter)


def test_entry_points_come_with_their_package() -> None:
    names = {distribution.name for _, distribution in entry_points_with_dist("pytest11")}

    assert "hypothesis" in names
    assert list(entry_points_with_dist("no_such_group")) == []
