"""What is refused."""


class SignInRefused(Exception):
    """Somebody is not let in. The text may be shown to them; `detail` is for whoever runs the server."""

    def __init__(self, text: str, detail: str = "", *, status: int = 403) -> None:
        super().__init__(text)
        self.detail = detail
        self.status = status


class ProviderAway(SignInRefused):
    """It does not answer, or not as a provider does."""

    def __init__(self, detail: str) -> None:
        super().__init__("The service that you sign in with does not answer. Try again later.", detail, status=503)
