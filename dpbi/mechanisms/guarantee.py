"""What a mechanism promises: which privacy, for which neighbours, on what basis."""

import math
from dataclasses import dataclass
from typing import Literal, get_args

from dpbi import limits
from dpbi.mechanisms.printed_bound import printed_bound
from dpbi.problem.neighbours import RELATION

Basis = Literal["theorem", "claim", "exhaustive check"]
_TEXT = 2_000  # characters


class _Promise:
    """What all of them are checked for, and whether they are known to hold: a claim is not."""

    basis: Basis
    reason: str
    neighbours: str

    def __post_init__(self) -> None:
        # Of a sum or a multiple epsilon may be beyond the largest of a mechanism
        for name, largest in (("epsilon", math.inf), ("delta", 1.0)):
            if hasattr(self, name):
                object.__setattr__(self, name, limits.between(name, getattr(self, name), 0.0, largest))
        limits.one_of("basis", self.basis, get_args(Basis))
        limits.check_name("reason", self.reason, _TEXT)
        limits.check_name("neighbours", self.neighbours, _TEXT)

    @property
    def is_private(self) -> bool:
        return self.basis != "claim" and not isinstance(self, NotPrivate)

    @property
    def called(self) -> str:
        """What it is, in a word."""
        return "claim" if self.basis == "claim" else "promise"


@dataclass(frozen=True)
class PureDP(_Promise):
    """P(M(c) in S) <= e^epsilon P(M(c') in S) for all neighbours c, c' and all sets S.

    epsilon: the privacy loss promised; basis: theorem, claim or exhaustive check; reason: where it comes from.
    """

    epsilon: float
    basis: Basis
    reason: str
    neighbours: str = RELATION

    @property
    def words(self) -> str:
        return f"{printed_bound(self.epsilon)}-DP ({self.basis})"


@dataclass(frozen=True)
class ApproximateDP(_Promise):
    """P(M(c) in S) <= e^epsilon P(M(c') in S) + delta for all neighbours c, c' and all sets S."""

    epsilon: float
    delta: float
    basis: Basis
    reason: str
    neighbours: str = RELATION

    @property
    def words(self) -> str:
        return f"({printed_bound(self.epsilon)}, {printed_bound(self.delta)})-DP ({self.basis})"


@dataclass(frozen=True)
class NotPrivate(_Promise):
    """No bound on the privacy loss is promised; the reason says why the mechanism is kept."""

    reason: str
    basis: Basis = "theorem"
    neighbours: str = RELATION

    @property
    def words(self) -> str:
        return "not private in general"


Guarantee = PureDP | ApproximateDP | NotPrivate
