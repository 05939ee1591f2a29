"""What a method can be called with by name. Who waits leaves such arguments, and anybody may leave something else."""

from collections.abc import Mapping


def problem_with_arguments(what: str, given: object) -> str | None:
    """Why nothing can be called with these; None: nothing is wrong with them. `what` they are, for the author."""
    needed = f"{what} have to be a dict with texts as keys"
    if not isinstance(given, Mapping):
        return f"{needed}, not a value of type {type(given).__name__}"
    odd = [name for name in given if not isinstance(name, str)]
    return f"{needed}, not with a key of type {type(odd[0]).__name__}" if odd else None
