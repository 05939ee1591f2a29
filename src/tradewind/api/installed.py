"""What installed packages offer, by their metadata alone: nothing of them is imported, for they are others' code."""

from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Final, NamedTuple

_DOCUMENTATION: Final = "documentation"


class Offer(NamedTuple):
    """Something that a package offers under a name."""

    name: str
    module: str
    file: Path | None
    """Where the module is, if it is a plain file."""


class Package(NamedTuple):
    """A package that offers something."""

    name: str
    version: str
    summary: str
    documentation_url: str | None
    offers: tuple[Offer, ...]


@cache
def packages_offering(group: str) -> tuple[Package, ...]:
    """Those with entry points of that group, by name. What is installed later is seen by the next server."""
    found = {
        distribution.name: _package(distribution, group)
        for distribution in metadata.distributions()
        if any(each.group == group for each in distribution.entry_points)
    }
    return tuple(found[name] for name in sorted(found))


def _package(distribution: metadata.Distribution, group: str) -> Package:
    about = distribution.metadata
    links = dict(_link(text) for text in about.get_all("Project-URL") or ())
    return Package(
        distribution.name,
        distribution.version,
        " ".join((about["Summary"] or "").split()),
        links.get(_DOCUMENTATION),
        tuple(
            Offer(each.name, each.module, _file(distribution, each.module))
            for each in distribution.entry_points
            if each.group == group
        ),
    )


def _link(text: str) -> tuple[str, str]:
    """`Documentation, https://...`."""
    label, _, url = text.partition(",")
    return label.strip().lower(), url.strip()


def _file(distribution: metadata.Distribution, module: str) -> Path | None:
    stem = module.replace(".", "/")
    places = (Path(str(distribution.locate_file(f"{stem}{end}"))) for end in (".py", "/__init__.py"))
    return next((place for place in places if place.is_file()), None)
