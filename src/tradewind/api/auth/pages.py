"""The pages of those who are not logged in yet. They need no script, and take nothing from anywhere else."""

import base64
import hashlib
import html
from collections.abc import Mapping
from typing import Final

from fastapi import Response
from fastapi.responses import HTMLResponse

_STYLE: Final = """
:root { color-scheme: light dark; --ink: #1b2430; --ground: #f4f6f8; --card: #fff; --line: #c4ccd6; --deed: #0b5cab; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8edf2; --ground: #10161d; --card: #19222c; --line: #3b4857; --deed: #7db8f5; }
}
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--ground); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; }
main { box-sizing: border-box; width: min(22rem, 100vw); padding: 2rem; background: var(--card);
  border: 1px solid var(--line); border-radius: .75rem; }
h1 { margin: 0 0 1rem; font-size: 1.5rem; }
label, input, button, a.deed { display: block; box-sizing: border-box; width: 100%; }
label { margin-bottom: 1rem; }
input { margin-top: .25rem; padding: .5rem; font: inherit; border: 1px solid var(--line); border-radius: .375rem; }
button, a.deed { padding: .6rem; font: inherit; text-align: center; text-decoration: none; cursor: pointer;
  border: 1px solid var(--deed); border-radius: .375rem; }
button { background: var(--deed); color: var(--card); }
a, a.deed { color: var(--deed); }
a.deed { margin-bottom: 1.5rem; }
:focus-visible { outline: 3px solid var(--deed); outline-offset: 2px; }
[role=alert] { padding: .5rem .75rem; border-left: 4px solid #c62828; }
"""
_STYLE_HASH: Final = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_POLICY: Final = (
    f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_PAGE: Final = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{title}}: Tradewind</title>
<style>{_STYLE.replace("{", "{{").replace("}", "}}")}</style>
</head>
<body>
<main>
<h1>Tradewind</h1>
{{content}}
</main>
</body>
</html>
"""
_FORM: Final = """{problem}{provider}
<form method="post" action="/auth/login{query}">
<label>Name <input name="username" autocomplete="username" autocapitalize="none" required autofocus></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required></label>
<button>Log in</button>
</form>"""
_PROVIDER: Final = '<a class="deed" href="/auth/oidc/login{query}">Sign in with {name}</a>'
_PROBLEM: Final = '<p role="alert">{problem}</p>'
_REFUSAL: Final = """{problem}
<p><a href="/auth/login">Back to the login</a></p>"""


def login_page(
    query: str,
    *,
    provider: str | None = None,
    problem: str = "",
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Where people type their names, or go on to the provider. `query` says where they want to go afterwards."""
    safe_query = html.escape(query)
    content = _FORM.format(
        query=safe_query,
        problem=_problem(problem) if problem else "",
        provider=_PROVIDER.format(query=safe_query, name=html.escape(provider)) if provider else "",
    )
    return _page("log in", content, status, headers)


def refusal_page(problem: str, status: int) -> Response:
    """Why somebody is not let in."""
    return _page("not logged in", _REFUSAL.format(problem=_problem(problem)), status)


def _problem(text: str) -> str:
    return _PROBLEM.format(problem=html.escape(text))


def _page(title: str, content: str, status: int, headers: Mapping[str, str] | None = None) -> Response:
    policy = {"Content-Security-Policy": _POLICY}
    return HTMLResponse(_PAGE.format(title=title, content=content), status, {**policy, **(headers or {})})
