"""The sections of the table, in the order they are printed."""

from collections.abc import Callable, Iterator

from . import draws, noisy, peers, processes, reading, sensitivities, serving
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
    "noisy_counts": noisy.noisy_counts,
    "files": reading.files,
    "hostile_files": reading.hostile,
    "first_sight": serving.first_sight,
    "jumps": serving.jumps,
    "reruns": serving.reruns,
    "lecture": serving.lecture,
    "room": serving.room,
    "memory": serving.memory,
}

SEEN = ("first_sight", "jumps")
SERVED = (*SEEN, "reruns", "lecture", "room", "memory")


def obstacle(section: str) -> str:
    """What a section cannot be measured without and is not here, else ""."""
    if section in SERVED and not peers.installed("playwright"):
        return "playwright"
    return "Chromium" if section in SEEN and serving.chromium() is None else ""
