"""What plugins add to the pages, looked up again only when a file in their folder has changed."""

from pathlib import Path

from tradewind.api.plugin_sources import Plugin, find_plugins
from tradewind.api.plugin_views import PluginViews, views_of

Signature = tuple[tuple[str, int, int], ...]


class PluginLook:
    """Any thread may ask. What packages bring that are installed later is seen by the next server."""

    def __init__(self, folder: Path, base_url: str) -> None:
        self._folder = folder
        self._base_url = base_url
        self._known: tuple[Signature, PluginViews] | None = None

    def __call__(self) -> PluginViews:
        """As it is now."""
        signature = self._signature()
        known = self._known
        if known is None or known[0] != signature:
            plugins = [each for each in find_plugins(self._folder) if isinstance(each, Plugin)]
            known = self._known = (signature, views_of(plugins, self._folder, self._base_url))
        return known[1]

    def _signature(self) -> Signature:
        found = []
        for path in self._folder.rglob("*") if self._folder.is_dir() else ():
            try:
                about = path.stat()
            except OSError:  # gone, or a link to nothing
                continue
            found.append((str(path), about.st_mtime_ns, about.st_size))
        return tuple(sorted(found))
