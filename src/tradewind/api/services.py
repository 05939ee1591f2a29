"""What routes work with."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, cast

from fastapi import Depends, Request

from tradewind.api.bundle_folders import bundle_folders
from tradewind.api.plugin_look import PluginLook
from tradewind.api.recent import Recent
from tradewind.api.remembered import Remembered
from tradewind.api.shared_look import SharedLook
from tradewind.api.task_names import TaskNames
from tradewind.api.versioned import VersionedAnswers
from tradewind.model.masking import MaskingRules
from tradewind.model.page_theme import PageTheme, read_theme
from tradewind.model.states import TaskState
from tradewind.model.task_answers import ConnectionResult
from tradewind.operations.cipher import Cipher
from tradewind.operations.structures import Structures
from tradewind.runtime.clock import Clock
from tradewind.secrets.chain import SecretsChain
from tradewind.settings import Settings, Sources, option_sources
from tradewind.storage.interface import ReadingStore
from tradewind.storage.interface.job_store import Heartbeats
from tradewind.task_logs.reader import LogReader
from tradewind.telemetry.hub import Hub
from tradewind.telemetry.scrape import MetricsPage

if TYPE_CHECKING:
    from tradewind.api.auth.access import Principal
    from tradewind.api.auth.tokens import Claim, Tokens
    from tradewind.api.oidc.sign_in import SignIn
    from tradewind.api.ui.live_changes import LiveChanges


log = logging.getLogger(__name__)


@dataclass(slots=True)
class Services:
    """All of it, made once for a server."""

    settings: Settings
    store: ReadingStore
    clock: Clock
    tokens: Tokens
    cipher: Cipher
    logs: LogReader
    find_principal: Callable[[Claim], Principal | None]
    """Who holds a token; None if there is nobody of that name any more, or if it was revoked."""
    find_token_holder: Callable[[str], Principal | None] = lambda _: None
    """The same for a token that somebody made for a program."""
    recent: Recent[Principal] = field(default_factory=Recent)
    """Whom tokens belonged to a moment ago."""
    sign_in: SignIn | None = None
    """With a provider of OpenID Connect, if there is one."""
    structures: Structures = field(default_factory=Structures)
    task_names: TaskNames = field(default_factory=TaskNames)
    versioned: VersionedAnswers = field(default_factory=VersionedAnswers)
    task_counts: Remembered[dict[TaskState, int]] = field(default_factory=lambda: Remembered(30))
    """By period and reach: task instances of runs of the last time."""
    executors: Mapping[str, str] = field(default_factory=dict)
    """The name of an executor, for each word by which it may be asked for."""
    try_connection: Callable[[ConnectionResult], tuple[bool, str]] | None = None
    """Whether a connection works, and a sentence about it; None: nobody can tell."""
    live: LiveChanges | None = None
    """For those who watch; None: this server does not follow changes."""
    hub: Hub = field(default_factory=Hub)
    metrics_page: MetricsPage | None = None
    """What Prometheus reads, if it shall."""
    option_sources: Sources = field(default_factory=option_sources)
    """Where the configuration comes from, for those who may look at it."""
    secrets: SecretsChain = field(default_factory=SecretsChain)
    """Where variables and connections of tasks elsewhere are looked up before the database is asked."""
    folders: Mapping[str, str] = field(init=False)
    """Where the files of bundles lie on this machine."""
    heartbeats: SharedLook[dict[str, Heartbeats]] = field(init=False)
    """When each kind of service was last heard of."""
    plugin_views: PluginLook = field(init=False)
    """What plugins add to the pages."""
    theme: PageTheme = field(init=False)
    """How pages look here."""

    def __post_init__(self) -> None:
        self.theme = _theme(self.settings.api.theme)
        self.plugin_views = PluginLook(self.settings.plugins_folder, self.settings.api.base_url)
        self.folders = bundle_folders(self.settings)
        self.heartbeats = SharedLook(lambda: self.store.read(lambda tx: tx.jobs.heartbeats()))

    @property
    def masking(self) -> MaskingRules:
        """What counts as secret in this deployment."""
        return MaskingRules.configured(
            self.settings.core.sensitive_var_conn_names,
            hides_by_name=self.settings.core.hide_sensitive_var_conn_fields,
            min_length=self.settings.logging.min_length_masked_secret,
        )


def _theme(text: str) -> PageTheme:
    """Pages in our colours are better than none."""
    try:
        return read_theme(text)
    except ValueError as error:
        log.warning("[api] theme is not used: %s", error)
        return PageTheme()


async def services_of(request: Request) -> Services:
    """Those of the server that got this request. (Async: else a thread would be asked to fetch them.)"""
    return cast("Services", request.app.state.services)


Given = Annotated[Services, Depends(services_of)]
"""How a route asks for them."""
