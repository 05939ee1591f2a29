"""What `airflow_local_settings.py` says on the first page. The web server reads the file without running it: see
`api/local_settings.py`. Where it is run, for the policies that it may have as well, its words must be known."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class UIAlert:
    """A sentence, and how urgent it is."""

    text: str
    category: str = "info"
