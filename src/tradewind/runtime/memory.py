"""The memory of a process that runs for long."""

import gc
import sys
from importlib import import_module
from types import ModuleType


def keep_for_good() -> None:
    """What is there now stays for as long as the process: nobody shall look through it for rubbish again and again.

    A full collection walks over every module that was ever imported, which takes longer than to schedule a task.
    """
    gc.collect()
    gc.freeze()


def load_for_good(name: str) -> ModuleType:
    """Import a module, with all that it imports, and keep that for good.

    To look for rubbish while hundreds of modules are loaded takes a quarter of the time of that, and finds hardly any.
    """
    if name in sys.modules or not gc.isenabled():
        return import_module(name)
    gc.disable()
    try:
        return import_module(name)
    finally:
        gc.freeze()
        gc.enable()
