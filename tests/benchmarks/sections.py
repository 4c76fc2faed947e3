"""The sections of the table, in the order they are printed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from . import draws, laws, limit, privacy, reading, sensitivities, serving, start
from .table import Row

SECTIONS: dict[str, Callable[[], Iterator[Row]]] = {
    "importing": start.importing,
    "listed": draws.listed,
    "sensitivities": sensitivities.enumerated,
    "laws": laws.exact,
    "unlisted": draws.unlisted,
    "epsilon": laws.next_epsilon,
    "growth": draws.growth,
    "mechanisms": draws.every_mechanism,
    "large_sensitivities": sensitivities.large,
    "large_laws": laws.unlisted,
    "loss": privacy.loss,
    "accountant": privacy.accountant,
    "nearer": limit.nearer,
    "limit": limit.growth,
    "files": reading.files,
    "hostile_files": reading.hostile,
    "first_sight": serving.first_sight,
    "reruns": serving.reruns,
    "room": serving.room,
    "memory": serving.memory,
}
