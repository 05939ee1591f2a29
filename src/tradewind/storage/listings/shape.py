"""What queries have in common that differ only in their values: those are asked for with the same statement."""

from dataclasses import dataclass, replace
from typing import Final

from tradewind.model.listing import Condition, Query, Test

LIMIT: Final = "page_limit"
OFFSET: Final = "page_offset"
MOST_COUNTED: Final = "most_counted"
_MOST_ROWS: Final = 2**62
"""More than there can be. Clients ask for more than databases can count to."""
_COMPARING: Final = frozenset({Test.IS, Test.IS_NOT, Test.AT_LEAST, Test.ABOVE, Test.AT_MOST, Test.BELOW})


@dataclass(frozen=True, slots=True)
class Slot:
    """In place of a value: the parameter of the statement that has it."""

    name: str


def shape_of(query: Query) -> tuple[Query, dict[str, object]]:
    """The query without its values, as far as statements do not depend on them, and the values by parameter."""
    parameters: dict[str, object] = {}
    conditions = tuple(_shape(each, f"value_{number}", parameters) for number, each in enumerate(query.conditions))
    if query.limit is not None:
        # One row more than asked for tells whether another page follows.
        parameters[LIMIT] = query.limit + 1
    if query.offset:
        parameters[OFFSET] = min(query.offset, _MOST_ROWS)
    if query.most_counted is not None:
        parameters[MOST_COUNTED] = query.most_counted
    shape = replace(
        query,
        conditions=conditions,
        limit=None if query.limit is None else 0,
        offset=1 if query.offset else 0,
        is_counted=True,
        most_counted=None if query.most_counted is None else 0,
    )
    return shape, parameters


def is_common(shape: Query) -> bool:
    """Whether it may be asked for again: it names no value but those that there are few of."""
    return (
        shape.after is None
        and shape.before is None
        and all(isinstance(each.value, Slot | bool | None) for each in shape.conditions)
    )


def _shape(condition: Condition, name: str, parameters: dict[str, object]) -> Condition:
    value = condition.value
    if condition.test is Test.ONE_OF and isinstance(value, list | tuple) and None not in value:
        parameters[name] = list(value)
    elif condition.test in _COMPARING and value is not None and not isinstance(value, bool):
        parameters[name] = value
    else:
        return replace(condition, value=tuple(value)) if isinstance(value, list) else condition
    return Condition(condition.field, condition.test, Slot(name))
