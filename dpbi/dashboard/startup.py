"""Once per process: load what later pages need, and take it out of the garbage collector's sight."""

from __future__ import annotations

import functools
import gc
import importlib
import pkgutil


@functools.cache
def settle() -> None:
    """Imports the figures and freezes all that is loaded by then.

    A full collection of garbage walks every object of numpy, pandas and plotly, while everybody's page waits. Called
    before the first chart, so that words and tables do not wait for it, or at the end of a first page that has none.
    """
    figures = importlib.import_module("dpbi.figures")
    for module in pkgutil.iter_modules(figures.__path__):
        importlib.import_module(f"{figures.__name__}.{module.name}")
    gc.collect()
    gc.freeze()
