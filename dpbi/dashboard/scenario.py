"""The scenario that a page shows, as one value."""

from dataclasses import dataclass

from dpbi import Mechanism, Problem


@dataclass(frozen=True)
class Scenario:
    """What the sidebar says, checked: prior and counts, the categories' labels, the ticked mechanisms, the seed.

    title, source: what the data are called and where they come from, plain text; epsilon, gamma: as entered, which
    the mechanisms hold too; beta: the smoothness that epsilon and delta give the exponential kind of sensitivity.
    """

    problem: Problem
    labels: tuple[str, ...]
    mechanisms: tuple[Mechanism, ...]
    seed: int
    epsilon: float
    gamma: float
    beta: float
    title: str
    source: str
