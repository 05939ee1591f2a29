"""What expressions of Python say, without running them: texts, numbers, lists, dictionaries, and what is put together
of these under names. Whatever else stands as it is written.
"""

import ast
from collections.abc import Mapping
from typing import Final

Names = Mapping[str, ast.expr]
_DEEPEST: Final = 20
"""Names that stand for names; also ends those that stand for themselves."""
_LONGEST: Final = 10_000


class AsWritten(str):
    """Source of something that would have to be run."""

    __slots__ = ()


def assigned(body: list[ast.stmt]) -> dict[str, ast.expr]:
    """What is assigned to names there. What a function would answer stands as a call of it."""
    found: dict[str, ast.expr] = {}
    for node in body:
        if isinstance(node, ast.Assign):
            found.update({target.id: node.value for target in node.targets if isinstance(target, ast.Name)})
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
            found[node.target.id] = node.value
        elif isinstance(node, ast.FunctionDef) and any(_is_property(each) for each in node.decorator_list):
            found[node.name] = ast.Call(ast.Name(node.name, ast.Load()), [], [])
    return found


def value_of(node: ast.expr, names: Names, depth: int = 0) -> object:
    """What it says. The parts of a list or a dictionary that cannot be known stand `AsWritten`, the others do not."""
    if depth > _DEEPEST:
        return AsWritten(_source(node))
    match node:
        case ast.Constant(value=str() | bool() | int() | float() | None as value):
            return value
        case ast.Name(id=name) if name in names:
            meant = value_of(names[name], names, depth + 1)
            # Said by its name: how a thing came about that is only named here is nobody's business.
            return AsWritten(name) if isinstance(meant, AsWritten) else meant
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return _list(elements, names, depth)
        case ast.Dict():
            return _dictionary(node, names, depth)
        case ast.JoinedStr(values=parts):
            return _joined(node, [value_of(part, names, depth + 1) for part in parts])
        case ast.FormattedValue(value=value, conversion=-1, format_spec=None):
            return value_of(value, names, depth + 1)
        case ast.BinOp(left=left, op=ast.Add() | ast.BitOr(), right=right):
            return _put_together(node, value_of(left, names, depth + 1), value_of(right, names, depth + 1))
        case _:
            return AsWritten(_source(node))


def _list(elements: list[ast.expr], names: Names, depth: int) -> list[object]:
    found: list[object] = []
    for element in elements:
        if isinstance(element, ast.Starred):
            inner = value_of(element.value, names, depth + 1)
            found.extend(inner if isinstance(inner, list) else [AsWritten(_source(element))])
        else:
            found.append(value_of(element, names, depth + 1))
    return found


def _dictionary(node: ast.Dict, names: Names, depth: int) -> object:
    found: dict[str, object] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        meant = value_of(value, names, depth + 1)
        if key is not None:
            found[str(value_of(key, names, depth + 1))] = meant
        elif isinstance(meant, dict):
            found.update(meant)
        else:
            return AsWritten(_source(node))
    return found


def _joined(node: ast.expr, parts: list[object]) -> object:
    is_known = all(isinstance(each, str | int) and not isinstance(each, AsWritten) for each in parts)
    return "".join(map(str, parts)) if is_known else AsWritten(_source(node))


def _put_together(node: ast.expr, left: object, right: object) -> object:
    if isinstance(left, list) and isinstance(right, list):
        return left + right
    if isinstance(left, dict) and isinstance(right, dict):
        return left | right
    if isinstance(left, str) and isinstance(right, str) and not isinstance(left, AsWritten):
        return AsWritten(_source(node)) if isinstance(right, AsWritten) else left + right
    return AsWritten(_source(node))


def _source(node: ast.expr) -> str:
    return ast.unparse(node)[:_LONGEST]


def _is_property(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Name) and decorator.id in (
        "property",
        "classmethod",
        "staticmethod",
        "cached_property",
    )
