"""Definitions of lists, and the statements that are made of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import sqlalchemy as sa

from tradewind.errors import InvalidRequest
from tradewind.model.listing import Condition, Order, Page, Query, Test

_COMPARISONS: Final[Mapping[Test, Callable[[Any, object], sa.ColumnElement[bool]]]] = {
    Test.AT_LEAST: lambda column, value: column >= value,
    Test.ABOVE: lambda column, value: column > value,
    Test.AT_MOST: lambda column, value: column <= value,
    Test.BELOW: lambda column, value: column < value,
}
_OR: Final = "|"
_ALL: Final = "~"
_HIGHEST: Final = "\U0010ffff"


@dataclass(frozen=True)
class Listing:
    """Where rows come from, and what may be asked of them."""

    source: sa.FromClause
    shown: Mapping[str, sa.ColumnElement[Any]]
    """The fields of a row, by their names for clients. All of them may be asked for and sorted by."""
    key: tuple[str, ...]
    """Fields that no two rows have in common."""
    order: tuple[Order, ...] = ()
    """If nobody asks for another one."""
    hidden: Mapping[str, sa.ColumnElement[Any]] = field(default_factory=dict)
    """More fields that may be asked for and sorted by."""
    where: sa.ColumnElement[bool] | None = None
    """What belongs to the list at all."""

    def page(self, connection: sa.Connection, query: Query) -> Page:
        """The rows that were asked for.

        Raises:
            InvalidRequest: there is no such field.
        """
        order = self._full_order(query.order or self.order)
        conditions = [self._condition(each) for each in query.conditions]
        if self.where is not None:
            conditions.append(self.where)
        statement = sa.select(*(column.label(name) for name, column in self._selected(order)))
        statement = statement.select_from(self.source).where(*conditions).order_by(*self._sorted(order))
        if query.after is not None:
            statement = statement.where(self._is_after(order, query.after))
        if query.limit is not None:
            statement = statement.limit(query.limit)
        rows = connection.execute(statement.offset(query.offset) if query.offset else statement).mappings().all()
        is_full = query.limit is not None and len(rows) >= max(query.limit, 1)
        return Page(
            [{name: row[name] for name in self.shown} for row in rows],
            self._count(connection, conditions) if query.is_counted else len(rows),
            tuple(rows[-1][each.field] for each in order) if is_full else None,
        )

    def _count(self, connection: sa.Connection, conditions: Sequence[sa.ColumnElement[bool]]) -> int:
        statement = sa.select(sa.func.count()).select_from(self.source).where(*conditions)
        return int(connection.execute(statement).scalar_one())

    def _column(self, name: str) -> sa.ColumnElement[Any]:
        column = self.shown.get(name)
        if column is None:
            column = self.hidden.get(name)
        if column is None:
            raise InvalidRequest(f"Ordering with '{name}' is disallowed or the attribute does not exist on the model")
        return column

    def _selected(self, order: Sequence[Order]) -> list[tuple[str, sa.ColumnElement[Any]]]:
        more = {each.field: self._column(each.field) for each in order if each.field not in self.shown}
        return [*self.shown.items(), *more.items()]

    def _full_order(self, order: tuple[Order, ...]) -> tuple[Order, ...]:
        named = {each.field for each in order}
        is_descending = order[-1].is_descending if order else False
        return (*order, *(Order(name, is_descending) for name in self.key if name not in named))

    def _sorted(self, order: Sequence[Order]) -> list[sa.ColumnElement[Any]]:
        made: list[sa.ColumnElement[Any]] = []
        for each in order:
            column = self._column(each.field)
            if getattr(column, "nullable", True):
                made.append(column.is_(None))
            made.append(column.desc() if each.is_descending else column.asc())
        return made

    def _is_after(self, order: Sequence[Order], values: tuple[object, ...]) -> sa.ColumnElement[bool]:
        """Equal in the first fields and beyond in the next, for each number of first fields."""
        if len(values) != len(order):
            raise InvalidRequest("the cursor is of another list or of another order")
        cases = []
        for position, (each, value) in enumerate(zip(order, values, strict=True)):
            equal = [_is(self._column(o.field), v) for o, v in zip(order[:position], values[:position], strict=True)]
            cases.append(sa.and_(*equal, _is_beyond(self._column(each.field), value, each.is_descending)))
        return sa.or_(*cases)

    def _condition(self, condition: Condition) -> sa.ColumnElement[bool]:
        column, value = self._column(condition.field), condition.value
        match condition.test:
            case Test.IS:
                return _is(column, value)
            case Test.IS_NOT:
                return sa.not_(_is(column, value))
            case Test.ONE_OF:
                assert isinstance(value, Sequence)
                present = [each for each in value if each is not None]
                found = column.in_(present)
                return sa.or_(found, column.is_(None)) if len(present) < len(value) else found
            case Test.MATCHES:
                return _any_of(str(value), lambda text: sa.func.lower(column).like(f"%{text.lower()}%"))
            case Test.STARTS_WITH:
                # As a range, for which an index can be used in every database and collation that we use.
                return _any_of(str(value), lambda text: sa.and_(column >= text, column < text + _HIGHEST))
            case comparison:
                return _COMPARISONS[comparison](column, value)


def _any_of(pattern: str, one: Any) -> sa.ColumnElement[bool]:
    texts = [text.strip() for text in pattern.split(_OR) if text.strip()]
    if pattern == _ALL or not texts:
        return sa.true()
    return sa.or_(*(one(text) for text in texts))


def _is(column: sa.ColumnElement[Any], value: object) -> sa.ColumnElement[bool]:
    return column.is_(None) if value is None else column == value


def _is_beyond(column: sa.ColumnElement[Any], value: object, is_descending: bool) -> sa.ColumnElement[bool]:
    if value is None:
        return sa.false()  # nothing comes after those without a value
    beyond = column < value if is_descending else column > value
    return sa.or_(beyond, column.is_(None)) if getattr(column, "nullable", True) else beyond
