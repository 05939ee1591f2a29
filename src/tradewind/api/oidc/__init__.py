"""Logins with a provider of OpenID Connect: the authorization code flow, with PKCE.

`provider.py` knows the provider and asks it (`fetch.py`), `pending.py` remembers a login that has begun, in a cookie of
the browser that began it. `id_token.py` says whether the answer counts, `identity.py` who it is here. Start reading at
`sign_in.py`, which goes from one to the next; what it refuses is a `SignInRefused`.
"""
