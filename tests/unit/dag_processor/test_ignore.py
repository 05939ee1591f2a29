"""`.airflowignore` in both of its syntaxes (A5)."""

import pytest

from tradewind.dag_processor.ignore import IgnoreRules, InvalidPattern


@pytest.mark.parametrize(
    ("lines", "ignored", "kept"),
    [
        pytest.param(["*.tmp.py"], ["a.tmp.py", "x/b.tmp.py"], ["a.py"], id="a pattern holds at any depth"),
        pytest.param(["/top.py"], ["top.py"], ["x/top.py"], id="a slash ties it to the folder"),
        pytest.param(["old/"], ["old/", "x/old/"], ["old.py"], id="a slash behind means folders only"),
        pytest.param(["x/**/y.py"], ["x/y.py", "x/1/2/y.py"], ["y.py"], id="two stars are any number of folders"),
        pytest.param(["*.py", "!keep.py"], ["a.py"], ["keep.py"], id="an exclamation mark takes it back"),
        pytest.param(["# a.py", "", "  "], [], ["a.py"], id="comments and empty lines say nothing"),
        pytest.param(["a?.py", "[bc].py"], ["a1.py", "b.py"], ["a.py", "d.py"], id="single characters"),
    ],
)
def test_globs_work_as_in_gitignore(lines: list[str], ignored: list[str], kept: list[str]) -> None:
    rules = IgnoreRules("glob").within("", lines)

    assert [path for path in ignored if not rules.ignores(path)] == []
    assert [path for path in kept if rules.ignores(path)] == []


def test_globs_of_a_folder_hold_below_it_and_win_over_those_around_it() -> None:
    outer = IgnoreRules("glob").within("", ["*.py"])
    inner = outer.within("etl/", ["!keep.py", "/local.txt"])

    assert outer.ignores("etl/keep.py")
    assert not inner.ignores("etl/keep.py")
    assert inner.ignores("etl/other.py")
    assert inner.ignores("etl/local.txt")


@pytest.mark.parametrize(
    ("lines", "ignored", "kept"),
    [
        pytest.param(["tenant_[0-9]"], ["tenant_1.py", "x/tenant_2/a.py"], ["tenant_x.py"], id="searched anywhere"),
        pytest.param(["^old/"], ["old/a.py"], ["x/old/a.py"], id="anchored at the bundle"),
        pytest.param(["project_a  # ours"], ["project_a/x.py"], ["ours.py"], id="comments are cut off"),
    ],
)
def test_regular_expressions_are_searched_for_in_the_path(
    lines: list[str], ignored: list[str], kept: list[str]
) -> None:
    rules = IgnoreRules("regexp").within("", lines)

    assert [path for path in ignored if not rules.ignores(path)] == []
    assert [path for path in kept if rules.ignores(path)] == []


@pytest.mark.parametrize(("syntax", "line"), [("glob", "[z-a]"), ("regexp", "(")])
def test_what_is_no_pattern_is_refused(syntax: str, line: str) -> None:
    with pytest.raises(InvalidPattern):
        IgnoreRules(syntax).within("", [line])
