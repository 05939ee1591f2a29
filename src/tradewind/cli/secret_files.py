"""Files with variables and connections (JSON, YAML, or lines of `KEY=value`), and what of them is shown."""

import json
import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from tradewind.errors import InvalidRequest
from tradewind.model.masking import MaskingRules

if TYPE_CHECKING:
    from tradewind.settings import Settings


def masking_rules(settings: "Settings") -> MaskingRules:
    """What counts as secret in this deployment."""
    return MaskingRules.configured(
        settings.core.sensitive_var_conn_names,
        hides_by_name=settings.core.hide_sensitive_var_conn_fields,
        min_length=settings.logging.min_length_masked_secret,
    )


def read_mapping(path: Path) -> dict[str, object]:
    """Names and what they stand for.

    Raises:
        InvalidRequest: the file is no such file. What is in it is not shown.
    """
    text = path.read_text(encoding="utf-8")
    try:
        if path.suffix.lower() in (".yaml", ".yml"):
            # Only those who write YAML pay for reading it.
            content = import_module("yaml").safe_load(text)
        elif path.suffix.lower() == ".env":
            content = _read_lines(text)
        else:
            content = json.loads(text)
    except Exception as error:
        raise InvalidRequest(f"{path} cannot be read as {path.suffix or 'JSON'}: {type(error).__name__}") from None
    if not isinstance(content, dict):
        raise InvalidRequest(f"{path} has to hold an object")
    return {str(name): value for name, value in content.items()}


def write_private(path: Path, text: str) -> None:
    """For the owner's eyes only, from the first moment on."""
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)


def _read_lines(text: str) -> dict[str, object]:
    found: dict[str, object] = {}
    for line in text.splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            name, equals, value = line.partition("=")
            if not equals or not name.strip() or name.strip() in found:
                raise ValueError(name)
            found[name.strip()] = value
    return found
