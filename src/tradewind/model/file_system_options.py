"""What a file system of fsspec needs to know of a connection."""

from collections.abc import Mapping
from typing import Final

_AWS_EXTRA: Final = {
    "aws_access_key_id": "key",
    "aws_secret_access_key": "secret",
    "aws_session_token": "token",
    "endpoint_url": "endpoint_url",
    "profile_name": "profile",
}


def file_system_options(
    conn_type: str | None, login: str | None, password: str | None, extra: Mapping[str, object]
) -> dict[str, object]:
    """What is in `extra`, under fsspec's names. Connections to S3 have more names for it than others."""
    if conn_type not in {"aws", "s3"}:
        return dict(extra)
    options: dict[str, object] = {name: extra[key] for key, name in _AWS_EXTRA.items() if extra.get(key)}
    options |= {name: given for name, given in (("key", login), ("secret", password)) if given}
    if extra.get("region_name"):
        options["client_kwargs"] = {"region_name": extra["region_name"]}
    return options
