"""Keeping secrets out of the logs, by the names of Airflow's module for it."""

from typing import Any

from tradewind.sdk.log import mask_secret
from tradewind.sdk.secrets_masker import (
    DEFAULT_SENSITIVE_FIELDS,
    SecretsMasker,
    redact,
    reset_secrets_masker,
    secrets_masker,
    should_hide_value_for_key,
)

Redactable = Any
Redacted = Any
_secrets_masker = secrets_masker

__all__ = [
    "DEFAULT_SENSITIVE_FIELDS",
    "Redactable",
    "Redacted",
    "SecretsMasker",
    "mask_secret",
    "redact",
    "reset_secrets_masker",
    "should_hide_value_for_key",
]
