"""A real provider of OpenID Connect on this machine: it signs RS256, checks PKCE, and can be told to misbehave."""

import base64
import hashlib
import json
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, parse_qsl, unquote, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.web_server import serving

CLIENT_ID, CLIENT_SECRET = "tradewind", "a secret: of the client"
LIFETIME_S = 300


@cache
def _key(number: int) -> rsa.RSAPrivateKey:
    """Made once for all tests: to find one takes a while."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@dataclass
class Granted:
    """What a code stands for."""

    challenge: str
    redirect_uri: str
    nonce: str


@dataclass
class OidcProvider:
    """What it says, and what it was asked."""

    now: Callable[[], datetime]
    port: int = 0
    subject: str = "248289761001"
    claims: dict[str, Any] = field(default_factory=lambda: {"preferred_username": "anna"})
    """What it says about whoever logs in."""
    changed: dict[str, Any] = field(default_factory=dict)
    """Claims of an id token that are not what they should be; None: it has none."""
    header: dict[str, Any] = field(default_factory=dict)
    key_number: int = 1
    """Which of its keys signs, and is shown."""
    forged_with: int | None = None
    """Another key, which signs in the name of that."""
    places: dict[str, Any] = field(default_factory=dict)
    """What discovery says that is not so."""
    takes_basic: bool = True
    user_info: dict[str, Any] | None = None
    """What else it says about whoever logs in; None: it offers nothing of that kind."""
    ends_sessions: bool = False
    asked: list[str] = field(default_factory=list)
    codes: dict[str, Granted] = field(default_factory=dict)

    @property
    def issuer(self) -> str:
        """Its name."""
        return f"http://127.0.0.1:{self.port}"

    def discovery(self) -> dict[str, Any]:
        """What it says about itself."""
        method = "client_secret_basic" if self.takes_basic else "client_secret_post"
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize?tenant=one",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "token_endpoint_auth_methods_supported": [method],
            **({} if self.user_info is None else {"userinfo_endpoint": f"{self.issuer}/userinfo"}),
            **({"end_session_endpoint": f"{self.issuer}/logout"} if self.ends_sessions else {}),
            **self.places,
        }

    def keys(self) -> dict[str, Any]:
        """What everybody may know of its key, and one of a kind that nobody here has heard of."""
        public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(_key(self.key_number).public_key()))
        own = {**public, "kid": f"key {self.key_number}", "use": "sig", "alg": "RS256"}
        return {"keys": [{"kty": "unheard-of", "kid": "x"}, own]}

    def authorize(self, asked: dict[str, str]) -> str:
        """Where it sends the browser of somebody who has logged in there."""
        assert (asked["response_type"], asked["client_id"]) == ("code", CLIENT_ID)
        assert (asked["code_challenge_method"], asked["tenant"]) == ("S256", "one")
        assert "openid" in asked["scope"].split()
        code = secrets.token_urlsafe()
        self.codes[code] = Granted(asked["code_challenge"], asked["redirect_uri"], asked["nonce"])
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state'], 'iss': self.issuer})}"

    def token(self, form: dict[str, str], authorization: str | None) -> tuple[int, dict[str, Any]]:
        """What a code is worth: an id token, once."""
        if not self._is_client(form, authorization):
            return 401, {"error": "invalid_client"}
        granted = self.codes.pop(form["code"], None)
        digest = hashlib.sha256(form["code_verifier"].encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if granted is None or challenge != granted.challenge or form["redirect_uri"] != granted.redirect_uri:
            return 400, {"error": "invalid_grant"}
        return 200, {
            "access_token": "an access token",
            "token_type": "Bearer",
            "id_token": self.id_token(granted.nonce),
        }

    def id_token(self, nonce: str) -> str:
        """Who logged in."""
        now = int(self.now().timestamp())
        claims = {
            "iss": self.issuer,
            "sub": self.subject,
            "aud": CLIENT_ID,
            "nonce": nonce,
            "iat": now,
            "exp": now + LIFETIME_S,
            **self.claims,
            **self.changed,
        }
        said = {name: value for name, value in claims.items() if value is not None}
        header = {"kid": f"key {self.key_number}", **self.header}
        return jwt.encode(said, _key(self.forged_with or self.key_number), "RS256", header)

    def _is_client(self, form: dict[str, str], authorization: str | None) -> bool:
        if not self.takes_basic:
            return (form.get("client_id"), form.get("client_secret")) == (CLIENT_ID, CLIENT_SECRET)
        pair = base64.b64decode((authorization or "").removeprefix("Basic ")).decode()
        return [unquote(part) for part in pair.split(":")] == [CLIENT_ID, CLIENT_SECRET]


@contextmanager
def oidc_provider(now: Callable[[], datetime]) -> Iterator[OidcProvider]:
    """A provider on a port of its own, with a thread of its own."""
    provider = OidcProvider(now)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            provider.asked.append(parts.path)
            match parts.path:
                case "/.well-known/openid-configuration":
                    self._answer(200, provider.discovery())
                case "/keys":
                    self._answer(200, provider.keys())
                case "/authorize":
                    self._answer(302, {}, provider.authorize(dict(parse_qsl(parts.query))))
                case "/userinfo" if self.headers["Authorization"] == "Bearer an access token":
                    self._answer(200, {"sub": provider.subject, **(provider.user_info or {})})
                case "/moved":
                    self._answer(302, {}, f"{provider.issuer}/keys")
                case _:
                    self._answer(404, {})

        def do_POST(self) -> None:
            provider.asked.append(self.path)
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            form = {name: values[0] for name, values in parse_qs(body).items()}
            self._answer(*provider.token(form, self.headers.get("Authorization")))

        def _answer(self, status: int, content: dict[str, Any], location: str | None = None) -> None:
            body = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            if location is not None:
                self.send_header("Location", location)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Not to the terminal of the tests."""

    with serving(Handler) as port:
        provider.port = port
        yield provider
