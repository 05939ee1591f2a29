"""Definitions of lists, and the statements that are made of them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.sql import visitors

from tradewind.errors import InvalidRequest
from tradewind.model.listing import Condition, Order, Page, Query, Test
from tradewind.storage.listings.contains import Contains
from tradewind.storage.types import AnySelect

_COMPARISONS: Final[Mapping[Test, Callable[[Any, object], sa.ColumnElement[bool]]]] = {
    Test.AT_LEAST: lambda column, value: column >= value,
    Test.ABOVE: lambda column, value: column > value,
    Test.AT_MOST: lambda column, value: column <= value,
    Test.BELOW: lambda column, value: column < value,
}
_OR: Final = "|"
_ALL: Final = "~"
_HIGHEST: Final = "\U0010ffff"
_MOST_ROWS: Final = 2**62
"""More than there can be. Clients ask for more than databases can count to."""


@dataclass(frozen=True)
class Related:
    """What rows of another table have, any number of which belong to a row of the list, such as its tags."""

    column: sa.ColumnElement[Any]
    source: sa.FromClause
    where: sa.ColumnElement[bool]
    """Which of them belong to a row."""

    def condition(self, condition: Condition) -> sa.ColumnElement[bool]:
        """Whether one of them is like this; for `IS_NOT`, whether none is."""
        if condition.test is Test.IS_NOT:
            return sa.not_(self.condition(Condition(condition.field, Test.IS, condition.value)))
        found = sa.select(sa.literal(1)).select_from(self.source).where(self.where, _tested(self.column, condition))
        return found.exists()


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
    key_turns: bool = True
    """Whether rows that are equal come the other way round as well, where the order is descending. An index is read
    backwards like that. Without one, rows are seen in the order of their key, and it is quicker to keep the first."""
    hidden: Mapping[str, sa.ColumnElement[Any]] = field(default_factory=dict)
    """More fields that may be asked for and sorted by."""
    where: sa.ColumnElement[bool] | None = None
    """What belongs to the list at all."""
    related: Mapping[str, Related] = field(default_factory=dict)
    """What may be asked for, but not sorted by."""
    joined: tuple[tuple[sa.Table, sa.ColumnElement[bool]], ...] = ()
    """More tables, of which each row has at most one row, and how that is found; each may speak of those before it.
    Rows are searched and counted without them, unless something of them is asked for."""
    secret: frozenset[str] = frozenset()
    """Fields of a row that may not be asked for: by and by, the answers would tell what they are."""

    def page(self, connection: sa.Connection, query: Query) -> Page:
        """The rows that were asked for.

        Raises:
            InvalidRequest: there is no such field.
        """
        order = self._full_order(query.order or self.order)
        conditions = [self._condition(each) for each in query.conditions]
        if self.where is not None:
            conditions.append(self.where)
        # One row more than asked for tells whether another page follows.
        asked = query if query.limit is None else replace(query, limit=query.limit + 1)
        found = connection.execute(self._statement(order, conditions, asked)).all()
        is_backward = query.before is not None
        is_more = query.limit is not None and len(found) > query.limit
        page = found[: query.limit]
        rows = page[::-1] if is_backward else page
        ends = [
            tuple(row._mapping[each.field] for each in order)  # noqa: SLF001 - the public name of it
            for row in ((rows[0], rows[-1]) if rows else ())
        ]
        # One side is known: the page that the client came from.
        return Page(
            # What is shown is selected first.
            [dict(zip(self.shown, row, strict=False)) for row in rows],
            self._total(connection, conditions, query, len(rows), is_more=is_more),
            last=ends[1] if ends and (is_backward or is_more) else None,
            first=ends[0] if ends and (query.after is not None or (is_backward and is_more)) else None,
        )

    def _statement(
        self, order: Sequence[Order], conditions: Sequence[sa.ColumnElement[bool]], query: Query
    ) -> AnySelect:
        is_backward = query.before is not None
        edge = query.before if is_backward else query.after
        past = [] if edge is None else [self._is_past(order, edge, is_backward=is_backward)]
        sorting = self._sorted(order, is_backward=is_backward)

        def one_page(columns: Iterable[sa.ColumnElement[Any]], source: sa.FromClause) -> AnySelect:
            page = sa.select(*columns).select_from(source).where(*conditions, *past).order_by(*sorting)
            page = page if query.limit is None else page.limit(query.limit)
            return page.offset(min(query.offset, _MOST_ROWS)) if query.offset else page

        fields = self._selected(order)
        if query.limit is None:
            return one_page(fields, self._full_source)
        if not self.joined:
            return one_page(fields, self.source)
        # First which rows, then all of them: else each row of the list would be put together, only to be left out.
        keys = {name: self._column(name) for name in self.key}
        narrow = self._joined_for([*conditions, *past, *sorting])
        found = one_page((column.label(name) for name, column in keys.items()), narrow).subquery("found")
        same = sa.and_(*(column == found.c[name] for name, column in keys.items()))
        return sa.select(*fields).select_from(self._full_source.join(found, same)).order_by(*sorting)

    def _joined_for(self, expressions: Iterable[sa.ColumnElement[Any]]) -> sa.FromClause:
        """The source with those other tables of which these speak."""
        if not self.joined:
            return self.source
        tables = {table for each in expressions for table in _tables(each)}
        for table, same in reversed(self.joined):
            if table in tables:
                tables |= _tables(same)
        source = self.source
        for table, same in self.joined:
            if table in tables:
                source = source.outerjoin(table, same)
        return source

    def _total(
        self,
        connection: sa.Connection,
        conditions: Sequence[sa.ColumnElement[bool]],
        query: Query,
        found: int,
        *,
        is_more: bool,
    ) -> int:
        if not query.is_counted:
            return found
        is_by_offset = query.after is None and query.before is None
        if is_by_offset and not is_more and (found or not query.offset):
            return query.offset + found  # the last page: all that come before it are counted by where it begins
        return self._count(connection, conditions, query.most_counted)

    def _count(self, connection: sa.Connection, conditions: Sequence[sa.ColumnElement[bool]], most: int | None) -> int:
        source = self._joined_for(conditions)
        statement = sa.select(sa.func.count()).select_from(source).where(*conditions)
        if most is not None:
            some = sa.select(sa.literal(1)).select_from(source).where(*conditions).limit(most)
            statement = sa.select(sa.func.count()).select_from(some.subquery())
        return int(connection.execute(statement).scalar_one())

    def _column(self, name: str) -> sa.ColumnElement[Any]:
        column = None if name in self.secret else self.shown.get(name)
        if column is None:
            column = self.hidden.get(name)
        if column is None:
            raise InvalidRequest(f"Ordering with '{name}' is disallowed or the attribute does not exist on the model")
        return column

    @cached_property
    def _labels(self) -> list[sa.Label[Any]]:
        """Made once: to make them for each request would take longer than to find the rows."""
        return [column.label(name) for name, column in self.shown.items()]

    @cached_property
    def _full_source(self) -> sa.FromClause:
        return self._joined_for(self._labels)

    def _selected(self, order: Sequence[Order]) -> list[sa.Label[Any]]:
        more = {each.field: self._column(each.field) for each in order if each.field not in self.shown}
        return [*self._labels, *(column.label(name) for name, column in more.items())]

    def _full_order(self, order: tuple[Order, ...]) -> tuple[Order, ...]:
        named = {each.field for each in order}
        last = order[-1] if order else None
        is_descending = last is not None and last.is_descending and (self.key_turns or self._is_key(last.field))
        return (*order, *(Order(name, is_descending) for name in self.key if name not in named))

    def _is_key(self, name: str) -> bool:
        return any(self._column(name) is self._column(each) for each in self.key)

    def _sorted(self, order: Sequence[Order], *, is_backward: bool) -> list[sa.ColumnElement[Any]]:
        made: list[sa.ColumnElement[Any]] = []
        for each in order:
            column = self._column(each.field)
            if not _tables(column):
                continue  # it is the same for all rows, and PostgreSQL does not sort by a constant
            if getattr(column, "nullable", True):
                made.append(column.is_(None).desc() if is_backward else column.is_(None))
            made.append(column.desc() if each.is_descending is not is_backward else column.asc())
        return made

    def _is_past(
        self, order: Sequence[Order], values: tuple[object, ...], *, is_backward: bool
    ) -> sa.ColumnElement[bool]:
        """Equal in the first fields and beyond in the next, for each number of first fields."""
        if len(values) != len(order) or not all(
            _is_value_of(self._column(each.field), value) for each, value in zip(order, values, strict=True)
        ):
            raise InvalidRequest("the cursor is of another list or of another order")
        is_past = _is_before if is_backward else _is_beyond
        cases = []
        for position, (each, value) in enumerate(zip(order, values, strict=True)):
            equal = [_is(self._column(o.field), v) for o, v in zip(order[:position], values[:position], strict=True)]
            cases.append(sa.and_(*equal, is_past(self._column(each.field), value, each.is_descending)))
        return sa.or_(*cases)

    def _condition(self, condition: Condition) -> sa.ColumnElement[bool]:
        related = self.related.get(condition.field)
        return _tested(self._column(condition.field), condition) if related is None else related.condition(condition)


def _tested(column: sa.ColumnElement[Any], condition: Condition) -> sa.ColumnElement[bool]:
    value = condition.value
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
            return _any_of(str(value), lambda text: Contains(column, text))
        case Test.STARTS_WITH:
            # As a range, for which an index can be used in every database and collation that we use.
            return _any_of(str(value), lambda text: sa.and_(column >= text, column < text + _HIGHEST))
        case comparison:
            return _COMPARISONS[comparison](column, value)


def _tables(expression: sa.ColumnElement[Any]) -> set[sa.FromClause]:
    found = (getattr(part, "table", None) for part in visitors.iterate(expression))
    return {table for table in found if table is not None}


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


def _is_before(column: sa.ColumnElement[Any], value: object, is_descending: bool) -> sa.ColumnElement[bool]:
    if value is None:
        return column.is_not(None)
    return column > value if is_descending else column < value


def _is_value_of(column: sa.ColumnElement[Any], value: object) -> bool:
    """Whether the database can compare them: a cursor comes from outside."""
    if value is None:
        return True
    kind = getattr(column.type, "impl", column.type).python_type  # types of our own wrap one that says it
    if isinstance(value, datetime):
        return issubclass(kind, datetime) and value.tzinfo is not None
    if isinstance(value, bool):
        return kind is bool
    return isinstance(value, int | float if kind is float else kind)
