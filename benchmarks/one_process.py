"""What the tasks of `computing` take when they are called one after the other in one process."""

import subprocess
import sys
from typing import Final

_PROGRAM: Final = """
import time
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
began = time.perf_counter()
for _ in range({times}):
    fib(33)
print(time.perf_counter() - began)
"""


def seconds_of_fib(times: int) -> float:
    """In a fresh process."""
    program = _PROGRAM.format(times=times)
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    return float(done.stdout)
