"""Map indexes in paths."""

from typing import Final

from starlette.convertors import Convertor, register_url_convertor


class _WholeNumber(Convertor[str]):
    """Digits, perhaps with a sign: `/taskInstances/load/links` is no instance of a mapped task.

    Left as text, which is checked with all other parameters: who knows how many digits there are.
    """

    regex = "-?[0-9]+"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("whole", _WholeNumber())

MAP_INDEX: Final = "{map_index:whole}"
"""As a part of a path. Other paths of the same length need not be declared before it."""
