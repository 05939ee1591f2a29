"""Options whose text a command prints, such as one that asks a password store."""

import shlex
import subprocess

from tradewind.sdk.exceptions import AirflowConfigException


def output_of(command: str, section: str, key: str) -> str:
    """What the command prints, to the letter. It is not given to a shell."""
    try:
        done = subprocess.run(shlex.split(command), capture_output=True, check=True, text=True)
    except subprocess.CalledProcessError as error:
        # Neither the command nor what it printed: either may hold a secret.
        message = f"the command for [{section}] {key} ended with exit code {error.returncode}"
        raise AirflowConfigException(message) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise AirflowConfigException(f"the command for [{section}] {key} cannot be run: {reason}") from None
    return done.stdout
