"""How soon many processes can begin on this machine at all: a warm Python forks, each child notes the time and ends.

Nothing decides, stores, watches or reports: what tasks in processes of their own take beyond this is ours, the rest is
the system's.
"""

import subprocess
import sys
from statistics import median
from typing import Final

_PROGRAM: Final = """
import gc, os, time
from tradewind.compat import install
install()
import airflow.sdk
import tradewind.worker.child.attempt

forkers = os.cpu_count() or 1
start, ready = os.pipe()
noted, note = os.pipe()
gc.collect()
gc.freeze()
for number in range(forkers):
    if os.fork() == 0:
        os.close(ready)
        os.read(start, 1)
        children = [*range(number, {count}, forkers)]
        for _ in children:
            if os.fork() == 0:
                os.write(note, b"%.6f\\n" % time.time())
                os._exit(0)
        for _ in children:
            os.wait()
        os._exit(0)
os.close(note)
time.sleep(0.5)
print(time.time())
os.close(ready)
with open(noted) as lines:
    print(lines.read())
"""


def bare_lateness_s(count: int) -> float:
    """How long after the beginning half of so many children have come to their first line."""
    program = _PROGRAM.format(count=count)
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    began, *noted = map(float, done.stdout.split())
    return median(noted) - began
