"""Pictures of what leads where: as text, as a DOT file, as SVG. No other program is needed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Final

_ROW: Final = 34
_GAP: Final = 60
_LETTER: Final = 7.2
_MARGIN: Final = 20
_SEEN: Final = " (see above)"


@dataclass(frozen=True, slots=True)
class Graph:
    """Names, and what leads where. It has no circle."""

    name: str
    nodes: Sequence[str]
    edges: Sequence[tuple[str, str]]
    labels: Mapping[str, str] = field(default_factory=dict)
    """What else is to be shown of a node."""

    def following(self) -> dict[str, list[str]]:
        """What each node leads to."""
        found: dict[str, list[str]] = {node: [] for node in self.nodes}
        for source, target in self.edges:
            found[source].append(target)
        return found

    def layers(self) -> dict[str, int]:
        """How many steps lead to each node, by the longest way."""
        following = self.following()
        open_edges = dict.fromkeys(self.nodes, 0)
        for _, target in self.edges:
            open_edges[target] += 1
        depth = dict.fromkeys(self.nodes, 0)
        ready = [node for node in self.nodes if not open_edges[node]]
        while ready:
            node = ready.pop()
            for target in following[node]:
                depth[target] = max(depth[target], depth[node] + 1)
                open_edges[target] -= 1
                if not open_edges[target]:
                    ready.append(target)
        return depth


def as_tree(graph: Graph) -> str:
    """For a terminal: what a task leads to stands below it. What leads to one thing only stands in one line with it."""
    following = graph.following()
    targets = {target for _, target in graph.edges}
    lines: list[str] = []
    shown: set[str] = set()
    # (node, what stands before it, what stands before what follows from it)
    open_nodes = [(node, "", "") for node in reversed(graph.nodes) if node not in targets]
    while open_nodes:
        node, own, below = open_nodes.pop()
        line, end = _chain(node, following, shown)
        lines.append(own + line)
        children = [] if end is None else following[end]
        for number, child in reversed(list(enumerate(children))):
            is_last = number == len(children) - 1
            open_nodes.append((child, below + ("└── " if is_last else "├── "), below + ("    " if is_last else "│   ")))
    return "\n".join(lines)


def _chain(node: str, following: Mapping[str, Sequence[str]], shown: set[str]) -> tuple[str, str | None]:
    """A line from this node on, and the node from which the ways part; None if what follows is shown already."""
    words: list[str] = []
    while True:
        if node in shown:
            return " → ".join([*words, node + (_SEEN if following[node] else "")]), None
        shown.add(node)
        words.append(node)
        if len(following[node]) != 1:
            return " → ".join(words), node
        (node,) = following[node]


def as_dot(graph: Graph) -> str:
    """For Graphviz and others that read its language."""
    lines = [f"digraph {_quoted(graph.name)} {{", "  rankdir=LR;", "  node [shape=box, style=rounded];"]
    lines += [f"  {_quoted(node)} [label={_quoted(_label(graph, node))}];" for node in graph.nodes]
    lines += [f"  {_quoted(source)} -> {_quoted(target)};" for source, target in graph.edges]
    return "\n".join([*lines, "}", ""])


def as_svg(graph: Graph) -> str:
    """For a browser: from left to right, each node as far along as the longest way to it."""
    columns = _columns(graph)
    places: dict[str, tuple[float, float, float]] = {}
    left = float(_MARGIN)
    for column in columns:
        width = max(len(_label(graph, node)) for node in column) * _LETTER + 20
        for row, node in enumerate(column):
            places[node] = (left, _MARGIN + row * (_ROW + 16), width)
        left += width + _GAP
    height = _MARGIN * 2 + max((len(column) for column in columns), default=1) * (_ROW + 16)
    width = left - (_GAP if columns else 0) + _MARGIN
    parts = [_line(places[source], places[target]) for source, target in graph.edges]
    parts += [_box(places[node], _label(graph, node)) for node in graph.nodes]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}"'
        ' font-family="monospace" font-size="12">\n'
        f"<title>{escape(graph.name)}</title>\n"
        '<defs><marker id="end" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto">'
        '<path d="M0,0 L8,4 L0,8 z" fill="#666"/></marker></defs>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _columns(graph: Graph) -> list[list[str]]:
    """Nodes by layer; within one, near what leads to them, so that fewer lines cross."""
    depth = graph.layers()
    columns: list[list[str]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for node in graph.nodes:
        columns[depth[node]].append(node)
    before: dict[str, list[str]] = {node: [] for node in graph.nodes}
    for source, target in graph.edges:
        before[target].append(source)
    rows = {node: float(row) for column in columns[:1] for row, node in enumerate(column)}
    for column in columns[1:]:
        column.sort(key=lambda node: _mean(rows[source] for source in before[node]))
        rows |= {node: float(row) for row, node in enumerate(column)}
    return columns


def _mean(numbers: Iterable[float]) -> float:
    known = list(numbers)
    return sum(known) / len(known) if known else 0.0


def _box(place: tuple[float, float, float], text: str) -> str:
    x, y, width = place
    return (
        f'<rect x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{_ROW}" rx="6" fill="#fff" stroke="#333"/>'
        f'<text x="{x + width / 2:.0f}" y="{y + _ROW / 2 + 4:.0f}" text-anchor="middle">{escape(text)}</text>'
    )


def _line(source: tuple[float, float, float], target: tuple[float, float, float]) -> str:
    x1, y1 = source[0] + source[2], source[1] + _ROW / 2
    x2, y2 = target[0], target[1] + _ROW / 2
    middle = (x1 + x2) / 2
    return (
        f'<path d="M{x1:.0f},{y1:.0f} C{middle:.0f},{y1:.0f} {middle:.0f},{y2:.0f} {x2:.0f},{y2:.0f}"'
        ' fill="none" stroke="#666" marker-end="url(#end)"/>'
    )


def _label(graph: Graph, node: str) -> str:
    return graph.labels.get(node, node)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
