"""The one page of the application in the dress of a deployment: its name, its icon, its colours, and what it may load.

Written into the page, so that nobody sees ours first and theirs a moment later.
"""

import hashlib
from html import escape

from tradewind.api.security import policy_of_pages
from tradewind.api.services import Services
from tradewind.model.page_theme import PageTheme
from tradewind.settings import ApiSettings

_TITLE = "<title>Tradewind</title>"
_END = "</head>"


def dressed(page: str, settings: ApiSettings, theme: PageTheme, live_mark: int) -> str:
    """The page, with what its script reads from it (`ui/src/lib/instance.ts`, `ui/src/lib/live.ts`)."""
    name = settings.instance_name
    facts = {
        "instance-name": name,
        "instance-icon": theme.icon,
        "instance-icon-dark": theme.dark_icon,
        "api-reference": "" if settings.enable_swagger_ui else "hidden",
        "live-mark": str(live_mark or ""),
    }
    lines = [f'<meta name="{key}" content="{escape(value)}">' for key, value in facts.items() if value]
    if theme.css:
        lines.append(f'<link rel="stylesheet" href="{theme_address(theme)}">')
    titled = page.replace(_TITLE, f"<title>{escape(name)}</title>") if name else page
    return titled.replace(_END, "".join(lines) + _END, 1)


def theme_address(theme: PageTheme) -> str:
    """Another one for each content, so that browsers may keep it."""
    return f"/theme.css?{hashlib.sha256(theme.css.encode()).hexdigest()[:16]}"


def policy(services: Services) -> str:
    """What the page may load here. Looks at the files of plugins."""
    views = services.plugin_views()
    return policy_of_pages(views.frame_origins, views.icon_origins | services.theme.icon_origins)
