"""Pictures of what leads where."""

from itertools import pairwise
from xml.etree import ElementTree as ET

from tradewind.cli.graphs import Graph, as_dot, as_svg, as_tree


def test_what_was_shown_is_not_shown_again() -> None:
    graph = Graph("a", ("a", "b", "c", "d", "e"), (("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("d", "e")))

    assert as_tree(graph).splitlines() == ["a", "├── b → d → e", "└── c → d (see above)"]


def test_several_beginnings_stand_below_each_other() -> None:
    assert as_tree(Graph("a", ("a", "b", "c"), (("a", "c"), ("b", "c")))).splitlines() == ["a → c", "b → c"]


def test_a_graph_without_nodes_is_empty() -> None:
    assert as_tree(Graph("a", (), ())) == ""
    assert "digraph" in as_dot(Graph("a", (), ()))
    ET.fromstring(as_svg(Graph("a", (), ())))


def test_chains_of_ten_thousand_do_not_end_on_the_stack() -> None:
    nodes = tuple(f"t{number}" for number in range(10_000))
    graph = Graph("long", nodes, tuple(pairwise(nodes)))

    assert as_tree(graph).startswith("t0 → t1 → ")
    assert graph.layers()["t9999"] == 9_999


def test_layers_follow_the_longest_way() -> None:
    graph = Graph("a", ("a", "b", "c"), (("a", "b"), ("b", "c"), ("a", "c")))

    assert graph.layers() == {"a": 0, "b": 1, "c": 2}


def test_names_are_escaped() -> None:
    graph = Graph("<a>", ('say "hi"', "<b>&"), (('say "hi"', "<b>&"),))

    assert '"say \\"hi\\"" -> "<b>&";' in as_dot(graph)
    texts = [each.text for each in ET.fromstring(as_svg(graph)).iter("{http://www.w3.org/2000/svg}text")]
    assert texts == ['say "hi"', "<b>&"]
