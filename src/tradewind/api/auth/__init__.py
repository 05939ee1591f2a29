"""Who asks, and what they may do.

`access.py` is the one place that says who may do what. `principal.py` finds who sent a request, by their token:
`tokens.py` makes and reads signed ones with the secret of `signing_secret.py`, `identities.py` knows whom they belong
to. `origin.py` says where requests come from, `login.py` lets people in; `browser.py` and `pages.py` are for those who
come with a browser. Logins with a provider outside are in `api/oidc`.
"""
