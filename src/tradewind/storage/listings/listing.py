"""Definitions of lists, and the statements that are made of them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.sql import visitors
from sqlalchemy.sql.util import ClauseAdapter

from tradewind.errors import InvalidRequest
from tradewind.model.listing import Condition, Order, Page, Query, Test
from tradewind.storage.listings.contains import contains
from tradewind.storage.listings.duration import SecondsBetween
from tradewind.storage.listings.latest import Latest
from tradewind.storage.listings.shape import LIMIT, MOST_COUNTED, OFFSET, Slot, is_common, shape_of
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
_MOST_REMEMBERED: Final = 500


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
    lowest: tuple[str, int] | None = None
    """A field of the key and its lowest value, which most rows have. Sorted by that field, those with the value are in
    the order of the rest of the key, so that the first of them are found without a look at all."""
    also_called: Mapping[str, sa.Column[Any]] = field(default_factory=dict)
    """Fields of the key that another table has as well, by whose index SQLite can read rows in their order. It does not
    see by itself that the two are the same."""
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
        shape, parameters = shape_of(query)
        dialect = connection.dialect.name
        asked = self._asked.get((dialect, shape)) or self._remembered(dialect, shape)
        order = asked.order
        found = connection.execute(asked.rows, parameters).all()
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
            self._total(connection, asked, query, parameters, len(rows), is_more=is_more),
            last=ends[1] if ends and (is_backward or is_more) else None,
            first=ends[0] if ends and (query.after is not None or (is_backward and is_more)) else None,
        )

    @property
    def columns(self) -> set[sa.ColumnElement[Any]]:
        """Of tables: those that are shown, or needed for it."""
        spoken_of = (*self._labels, *(same for _, same in self.joined))
        return {part for each in spoken_of for part in visitors.iterate(each) if isinstance(part, sa.Column)}

    def of_created(self, created: sa.CTE) -> tuple[list[sa.ColumnElement[Any]], sa.FromClause]:
        """What is shown of rows that the same statement makes, and where it comes from. `created` has all columns of
        the source, which does not have the rows before the statement ends."""
        adapted = ClauseAdapter(created).traverse
        source: sa.FromClause = created
        for table, same in self.joined:
            source = source.outerjoin(table, adapted(same))
        return [adapted(label) for label in self._labels], source

    def _remembered(self, dialect: str, shape: Query) -> "_Asked":
        order = self._full_order(shape.order or self.order)
        conditions = [self._condition(each) for each in shape.conditions]
        if self.where is not None:
            conditions.append(self.where)
        asked = _Asked(
            order,
            self._statement(order, conditions, shape, dialect),
            self._count(conditions, is_limited=shape.most_counted is not None),
        )
        if is_common(shape):
            if len(self._asked) >= _MOST_REMEMBERED:
                self._asked.clear()
            self._asked[dialect, shape] = asked
        return asked

    def _statement(
        self, order: Sequence[Order], conditions: Sequence[sa.ColumnElement[bool]], query: Query, dialect: str
    ) -> AnySelect:
        is_backward = query.before is not None
        edge = query.before if is_backward else query.after
        past = [] if edge is None else [self._is_past(order, edge, is_backward=is_backward)]
        sorting = self._sorted(order, dialect, is_backward=is_backward)

        def all_rows(columns: Iterable[sa.ColumnElement[Any]], source: sa.FromClause) -> AnySelect:
            return sa.select(*columns).select_from(source).where(*conditions, *past).order_by(*sorting)

        fields = self._selected(order)
        if query.limit is None:
            return _cut(all_rows(fields, self._full_source), query)
        if not self.joined:
            return _cut(all_rows(fields, self.source), query)
        # First which rows, then all of them: else each row of the list would be put together, only to be left out.
        keys = {name: self._column(name) for name in self.key}
        narrow = self._joined_for([*conditions, *past, *sorting])
        labels = [column.label(name) for name, column in keys.items()]
        if dialect == "sqlite" and self.lowest is not None and self._is_by_lowest(order):
            name, lowest = self.lowest
            column = keys[name]
            rows = sa.select(*labels).select_from(narrow)
            rest = self._sorted_like(narrow, order[1:], is_backward=is_backward)
            # What is asked first leaves hardly any rows of the second part: SQLite asks in this order.
            first = rows.where(column == lowest, *conditions, *past).order_by(*rest)
            others = rows.where(column > lowest, *conditions, *past).order_by(*sorting)
            is_highest_first = order[0].is_descending is not is_backward
            parts = (others, first) if is_highest_first else (first, others)
            found = _one_after_the_other(parts, query).subquery("found")
        else:
            found = _cut(all_rows(labels, narrow), query).subquery("found")
        # What was found comes first, and its rest is added to it. Said like this, SQLite passes by rows beyond the page
        # with no look at more than it sorts by; for a plain join, it would keep them, and take half as long again.
        same = sa.and_(*(column == found.c[name] for name, column in keys.items()))
        completed = self._with_joined(found.outerjoin(self.source, same), self._labels)
        return sa.select(*fields).select_from(completed).order_by(*sorting)

    def _is_by_lowest(self, order: Sequence[Order]) -> bool:
        """Whether rows are sorted by the field with the lowest value first, then by the rest of the key."""
        return self.lowest is not None and order[0].field == self.lowest[0] and {o.field for o in order} == {*self.key}

    def _joined_for(self, expressions: Iterable[sa.ColumnElement[Any]]) -> sa.FromClause:
        """The source with those other tables of which these speak."""
        return self._with_joined(self.source, expressions) if self.joined else self.source

    def _with_joined(self, source: sa.FromClause, expressions: Iterable[sa.ColumnElement[Any]]) -> sa.FromClause:
        tables = {table for each in expressions for table in _tables(each)}
        for table, same in reversed(self.joined):
            if table in tables:
                tables |= _tables(same)
        for table, same in self.joined:
            if table in tables:
                source = source.outerjoin(table, same)
        return source

    def _total(
        self,
        connection: sa.Connection,
        asked: "_Asked",
        query: Query,
        parameters: Mapping[str, object],
        found: int,
        *,
        is_more: bool,
    ) -> int:
        if not query.is_counted:
            return found
        is_by_offset = query.after is None and query.before is None
        if is_by_offset and not is_more and (found or not query.offset):
            return query.offset + found  # the last page: all that come before it are counted by where it begins
        return int(connection.execute(asked.count, parameters).scalar_one())

    def _count(self, conditions: Sequence[sa.ColumnElement[bool]], *, is_limited: bool) -> AnySelect:
        source = self._joined_for(conditions)
        if not is_limited:
            return sa.select(sa.func.count()).select_from(source).where(*conditions)
        most = sa.bindparam(MOST_COUNTED, type_=sa.BigInteger())
        some = sa.select(sa.literal(1)).select_from(source).where(*conditions).limit(most)
        return sa.select(sa.func.count()).select_from(some.subquery())

    def _column(self, name: str) -> sa.ColumnElement[Any]:
        column = None if name in self.secret else self.shown.get(name)
        if column is None:
            column = self.hidden.get(name)
        if column is None:
            raise InvalidRequest(f"Ordering with '{name}' is disallowed or the attribute does not exist on the model")
        return column

    @cached_property
    def _asked(self) -> dict[tuple[str, Query], "_Asked"]:
        """What was asked for before, as statements: to put one together and to work out which one it is that the
        database knows already takes longer than to run it."""
        return {}

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

    def _sorted(self, order: Sequence[Order], dialect: str, *, is_backward: bool) -> list[sa.ColumnElement[Any]]:
        made: list[sa.ColumnElement[Any]] = []
        for each in order:
            column = self._column(each.field)
            if not _tables(column):
                continue  # it is the same for all rows, and PostgreSQL does not sort by a constant
            turned = column.desc() if each.is_descending is not is_backward else column.asc()
            if not getattr(column, "nullable", True):
                made.append(turned)
            elif dialect == "mysql":
                made.extend((column.is_(None).desc() if is_backward else column.is_(None), turned))
            else:
                # Where it can be said like this, what rows are sorted by is worked out once, and an index may have it.
                made.append(turned.nulls_first() if is_backward else turned.nulls_last())
        return made

    def _sorted_like(
        self, source: sa.FromClause, order: Sequence[Order], *, is_backward: bool
    ) -> list[sa.ColumnElement[Any]]:
        """By fields of the key, in the words of the table that SQLite reads first, if it is among the source."""
        tables = set(_tables_of(source))
        made: list[sa.ColumnElement[Any]] = []
        for each in order:
            other = self.also_called.get(each.field)
            column = self._column(each.field) if other is None or other.table not in tables else other
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


@dataclass(frozen=True, slots=True)
class _Asked:
    order: tuple[Order, ...]
    rows: AnySelect
    count: AnySelect


def _cut(rows: AnySelect, query: Query) -> AnySelect:
    """Only the page that was asked for."""
    page = rows if query.limit is None else rows.limit(sa.bindparam(LIMIT, type_=sa.BigInteger()))
    return page.offset(sa.bindparam(OFFSET, type_=sa.BigInteger())) if query.offset else page


def _one_after_the_other(parts: Iterable[AnySelect], query: Query) -> sa.CompoundSelect[*tuple[Any, ...]]:
    """The page of all parts together, of each of which no more is read than could be on it. For SQLite, which does not
    even begin with the second part where the first one fills the page: to sort all of them would take both."""
    limit: sa.ColumnElement[int] = sa.bindparam(LIMIT, type_=sa.BigInteger())
    offset = sa.bindparam(OFFSET, type_=sa.BigInteger())
    most = limit + offset if query.offset else limit
    both = sa.union_all(*(sa.select(part.limit(most).subquery()) for part in parts)).limit(limit)
    return both.offset(offset) if query.offset else both


def _tested(column: sa.ColumnElement[Any], condition: Condition) -> sa.ColumnElement[bool]:
    value = condition.value
    if isinstance(value, Slot):
        value = sa.bindparam(value.name, type_=column.type, expanding=condition.test is Test.ONE_OF)
    match condition.test:
        case Test.IS:
            return _is(column, value)
        case Test.IS_NOT:
            return sa.not_(_is(column, value))
        case Test.ONE_OF if isinstance(value, sa.BindParameter):
            return column.in_(value)
        case Test.ONE_OF:
            assert isinstance(value, Sequence)
            present = [each for each in value if each is not None]
            found = column.in_(present)
            return sa.or_(found, column.is_(None)) if len(present) < len(value) else found
        case Test.MATCHES:
            return _any_of(str(value), lambda text: contains(column, text))
        case Test.STARTS_WITH:
            # As a range, for which an index can be used in every database and collation that we use.
            return _any_of(str(value), lambda text: sa.and_(column >= text, column < text + _HIGHEST))
        case comparison if isinstance(column, Latest | SecondsBetween):
            return column.compared(comparison, value)
        case comparison:
            return _COMPARISONS[comparison](column, value)


def _tables_of(source: sa.FromClause) -> Iterator[sa.FromClause]:
    if isinstance(source, sa.Join):
        yield from _tables_of(source.left)
        yield from _tables_of(source.right)
    else:
        yield source


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
