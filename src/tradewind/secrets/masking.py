"""Hides the secrets that one attempt came to know, in what its processes print past the SDK."""

from tradewind.model.masking import MaskingRules, hide


class Mask:
    """A function from text to text. It knows nothing at first, and then costs nothing."""

    def __init__(self, rules: MaskingRules | None = None) -> None:
        self._rules = rules or MaskingRules()
        self._forms: frozenset[str] = frozenset()

    def add(self, secret: object, name: str | None = None) -> None:
        """Hide a value from now on. With a name, only if the name sounds secret; in a mapping, each key is a name."""
        for text in self._rules.texts_of(secret, name):
            self._forms |= self._rules.forms_of(text)

    def __call__(self, text: str) -> str:
        return hide(text, self._forms) if self._forms else text
