"""The sections of the table, in the order they are printed."""

from collections.abc import Callable, Iterator

from . import draws, peers, processes, reading, sensitivities, serving
from .table import Row

SECTIONS: dict[str, Callable[[], Iterator[Row]]] = {
    "importing": processes.importing,
    "listed": draws.listed,
    "sensitivities": sensitivities.enumerated,
    "laws": processes.laws,
    "unlisted": draws.unlisted,
    "epsilon": processes.next_epsilon,
    "mechanisms": draws.every_mechanism,
    "loss": processes.losses,
    "limit": processes.limits,
    "files": reading.files,
    "hostile_files": reading.hostile,
    "first_sight": serving.first_sight,
    "reruns": serving.reruns,
    "room": serving.room,
    "memory": serving.memory,
}

SERVED = ("first_sight", "reruns", "room", "memory")


def obstacle(section: str) -> str:
    """What a section cannot be measured without and is not here, else ""."""
    if section in SERVED and not peers.installed("playwright"):
        return "playwright"
    return "Chromium" if section == "first_sight" and serving.chromium() is None else ""
