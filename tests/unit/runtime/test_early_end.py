"""A service that is ended as soon as its PID file names it (D7)."""

import subprocess
import sys
from pathlib import Path

ENDED_AT_ONCE = """
import os, signal, sys
from pathlib import Path
from tradewind.runtime.pid_file import pid_file
from tradewind.runtime.service import left_on_termination
with left_on_termination(), pid_file(Path(sys.argv[1])):
    os.kill(os.getpid(), signal.SIGTERM)
    print("went on")
"""


def test_it_leaves_no_pid_file_behind(tmp_path: Path) -> None:
    file = tmp_path / "service.pid"

    ran = subprocess.run(
        [sys.executable, "-c", ENDED_AT_ONCE, str(file)], capture_output=True, text=True, check=False, timeout=60
    )

    assert (ran.returncode, ran.stdout, ran.stderr) == (128 + 15, "", "")
    assert not file.exists()
