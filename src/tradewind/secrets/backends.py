"""Secrets backends by their dotted paths, and the chain that they are part of."""

import importlib
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from tradewind.errors import SettingsError
from tradewind.secrets.chain import BackendSource, EnvironmentSource, SecretsChain, Source


class BackendChoice(NamedTuple):
    """What the configuration says."""

    option: str
    """Where it says so, for the reader of an error."""
    path: str
    """Of a class; empty: none."""
    arguments: str
    """A JSON object, or nothing."""


def make_chain(environ: Mapping[str, str], backend: BackendChoice, worker_backend: BackendChoice) -> SecretsChain:
    """Who is asked before the database. A worker with a backend of its own asks the deployment's last.

    Raises:
        SettingsError: there is no such class, or it cannot be made with these arguments.
    """
    own, common = _load(worker_backend), _load(backend)
    environment = EnvironmentSource(environ)
    order = [common, environment] if own is None else [own, environment, common]
    sources: list[Source] = [source for source in order if source is not None]
    return SecretsChain(sources)


def _load(choice: BackendChoice) -> BackendSource | None:
    if not choice.path:
        return None
    module, _, name = choice.path.rpartition(".")
    try:
        backend_class: Any = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise SettingsError(f"{choice.option} is {choice.path!r}, which cannot be imported: {error}") from error
    arguments = json.loads(choice.arguments) if choice.arguments else {}
    try:
        return BackendSource(backend_class(**arguments))
    except Exception as error:  # it is somebody else's code, and may name its arguments, which may be secret
        message = f"{choice.option} is {choice.path!r}, which cannot be made with its arguments: {type(error).__name__}"
        raise SettingsError(message) from None
