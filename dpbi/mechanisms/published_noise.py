"""What a release's file says of the noise on its counts, for readers who know no mechanism."""

from dataclasses import dataclass
from typing import Any

from dpbi.problem.neighbours import RELATION

CUT_IN_TURN = "each ceiling is what the released counts before it left of n"
REMAINDER = "the last count, which carries no noise, is what the others left of n, at least 0"


@dataclass(frozen=True)
class PublishedNoise:
    """Released are r_i = min(max(c_i + D_i, floor), ceiling_i) where a count carries noise, from public things alone.

    law: the class of ``dpbi.noise`` with that scale, or where there is none, a name; formula: P(D = d), as Python
    writes it; scale: in records, the double next to the exact one; independent: whether the D_i are, else the formula
    is of all of them together; carries_noise, ceiling: for each category, (k,), a ceiling of None: no cut; floor;
    post_processing: what else was done, none of which says more about the counts.
    unit: the neighbours for whom the scale was chosen. Made by ``Mechanism.published_noise``.
    """

    law: str
    formula: str
    scale: float
    independent: bool
    carries_noise: tuple[bool, ...]
    floor: int
    ceiling: tuple[int | None, ...]
    post_processing: tuple[str, ...] = ()
    unit: str = RELATION

    def document(self) -> dict[str, Any]:
        """What a file holds of it."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in vars(self).items()}
