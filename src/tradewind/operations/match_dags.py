"""Which DAGs a person means by a pattern."""

import re

from tradewind.errors import InvalidRequest, UnknownDag
from tradewind.storage.interface import Transaction


def match_dags(tx: Transaction, word: str, *, is_pattern: bool) -> list[str]:
    """The DAG of this id; or those in whose ids the regular expression is found, by id.

    Raises:
        UnknownDag: there is none.
        InvalidRequest: it is no regular expression.
    """
    if not is_pattern:
        if tx.dags.find(word) is None:
            raise UnknownDag(word)
        return [word]
    try:
        pattern = re.compile(word)
    except re.error as error:
        raise InvalidRequest(f"{word!r} is no regular expression: {error}") from error
    found = [record.dag_id for record in tx.dags.all() if not record.is_stale and pattern.search(record.dag_id)]
    if not found:
        raise UnknownDag(word)
    return found
