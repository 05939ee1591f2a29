"""Makes the bundles that the configuration names."""

import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tradewind.bundles.git import GitBundle
from tradewind.bundles.interface import Bundle
from tradewind.bundles.local import LocalBundle
from tradewind.errors import SettingsError
from tradewind.settings import BundleSettings, Settings

_LOCAL: Final = ("airflow.dag_processing.bundles.local.LocalDagBundle", "LocalBundle")
_GIT: Final = ("airflow.providers.git.bundles.git.GitDagBundle", "GitBundle")
_GIT_WORDS: Final = frozenset(
    {
        "repo_url",
        "tracking_ref",
        "subdir",
        "sparse_dirs",
        "refresh_interval",
        "prune_dotgit_folder",
        "view_url_template",
    }
)
_NEEDED: Final = ("repo_url", "tracking_ref")


def make_bundles(settings: Settings, environ: Mapping[str, str], names: Sequence[str] = ()) -> list[Bundle]:
    """The bundles of these names, or all. `environ` is what programs such as git get to see.

    Raises:
        SettingsError: a bundle is unknown, or is not described as its kind needs it.
    """
    configured = settings.dag_processor.dag_bundle_config_list
    unknown = set(names) - {each.name for each in configured}
    if unknown:
        known = ", ".join(each.name for each in configured)
        raise SettingsError(f"there is no bundle {min(unknown)!r} in dag_bundle_config_list; known: {known}")
    return [_make(each, settings, environ) for each in configured if not names or each.name in names]


def _make(each: BundleSettings, settings: Settings, environ: Mapping[str, str]) -> Bundle:
    if each.classpath in _LOCAL:
        _refuse_others(each, {"path", "refresh_interval", "view_url_template"})
        path = each.kwargs.get("path")
        return LocalBundle(each.name, Path(str(path)).expanduser().absolute() if path else settings.dags_folder)
    if each.classpath in _GIT:
        return _make_git(each, settings, environ)
    return _import(each, settings)


def _make_git(each: BundleSettings, settings: Settings, environ: Mapping[str, str]) -> GitBundle:
    _refuse_others(each, _GIT_WORDS)
    kwargs: dict[str, Any] = {key: value for key, value in each.kwargs.items() if value is not None}
    for word in _NEEDED:
        if not isinstance(kwargs.get(word), str) or not kwargs[word]:
            raise SettingsError(f"bundle {each.name!r} needs {word!r} in its kwargs")
    for word in ("prune_dotgit_folder", "view_url_template"):
        kwargs.pop(word, None)  # there never is a .git folder; a view is the affair of whoever shows it
    kwargs.setdefault("refresh_interval", settings.dag_processor.refresh_interval)
    return GitBundle(each.name, storage=settings.bundle_storage, environ=environ, **kwargs)


def _refuse_others(each: BundleSettings, known: set[str] | frozenset[str]) -> None:
    unknown = sorted(set(each.kwargs) - known)
    if unknown:
        raise SettingsError(
            f"bundle {each.name!r}: {unknown[0]!r} is not supported for {each.classpath}; known: "
            + ", ".join(sorted(known))
        )


def _import(each: BundleSettings, settings: Settings) -> Bundle:
    """A class of somebody else's, with the methods of Airflow's bundles."""
    module_name, _, class_name = each.classpath.rpartition(".")
    try:
        made: Bundle = getattr(importlib.import_module(module_name), class_name)(
            name=each.name, **{"refresh_interval": settings.dag_processor.refresh_interval, **each.kwargs}
        )
    except (ImportError, AttributeError, ValueError, TypeError) as error:
        raise SettingsError(f"bundle {each.name!r}: {each.classpath} cannot be used: {error}") from error
    missing = [word for word in ("path", "refresh", "get_current_version", "initialize") if word not in dir(made)]
    if missing:
        raise SettingsError(f"bundle {each.name!r}: {each.classpath} has no {missing[0]!r}, so it is no bundle")
    return made
