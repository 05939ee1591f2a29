"""Airflow's safe mode: a file without certain words has no DAGs and is not worth running."""

from typing import Final

_WORDS: Final = ((b"dag",), (b"airflow", b"tradewind"))


def might_contain_dag(content: bytes) -> bool:
    """Whether the words are there, in any case."""
    lowered = content.lower()
    return all(any(word in lowered for word in words) for words in _WORDS)
