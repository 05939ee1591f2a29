"""Where the files of bundles lie on this machine."""

from pathlib import Path
from typing import Final

from tradewind.settings import Settings

_LOCAL: Final = ("LocalDagBundle", "LocalBundle")


def bundle_folders(settings: Settings) -> dict[str, str]:
    """By the names of bundles, as far as that is configured."""
    return {
        each.name: str(Path(str(each.kwargs.get("path") or settings.dags_folder)).expanduser().absolute())
        for each in settings.dag_processor.dag_bundle_config_list
        if each.classpath.rpartition(".")[2] in _LOCAL
    }
