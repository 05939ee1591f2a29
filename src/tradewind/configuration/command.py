"""Options whose text a command prints, such as one that asks a password store."""

import shlex
import subprocess

from tradewind.errors import SettingsError


def output_of(command: str, place: str) -> str:
    """What the command prints, to the letter. It is not given to a shell.

    Raises:
        SettingsError: it fails; the option is named by its place.
    """
    try:
        done = subprocess.run(shlex.split(command), capture_output=True, check=True, text=True)
    except subprocess.CalledProcessError as error:
        # Neither the command nor what it printed: either may hold a secret.
        raise SettingsError(f"the command of {place} ended with exit code {error.returncode}") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise SettingsError(f"the command of {place} cannot be run: {reason}") from None
    return done.stdout
