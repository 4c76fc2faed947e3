"""A plan: so many releases by one mechanism, fixed beforehand, so that their losses add up as ``compose`` has it."""

import dataclasses
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from dpbi import limits
from dpbi.mechanisms import Mechanism, name_of
from dpbi.mechanisms.guarantee import PureDP
from dpbi.mechanisms.mechanism import check_mechanism
from dpbi.mechanisms.printed_bound import added, printed_bound
from dpbi.privacy.composition import RELEASES_LARGEST, compose
from dpbi.releases.release import TIME, check_time, guarantee_of_release, mechanism_document, mechanism_of

_LONGEST = 200  # characters of a token or of whoever set it


@dataclass(frozen=True)
class Plan:
    """At most ``number`` releases by one mechanism about the same people, of k categories and n records each.

    mechanism: not calibrated, its draws exact, its epsilon proved; delta: in (0, 1), fixed with it; token: random;
    time: when it was set, UTC; who: set it. Validated when made: ValueError.
    All of it is fixed before the first release: which table is released when, and stopping early, are free.
    """

    token: str
    mechanism: Mechanism
    k: int
    n: int
    number: int
    delta: float
    time: str
    who: str = ""

    def __post_init__(self) -> None:
        limits.check_name("a plan's token", self.token, _LONGEST)
        limits.check_text("who", self.who, _LONGEST)
        check_time(self.time)
        check_mechanism(self.mechanism)
        object.__setattr__(self, "k", limits.whole_number("k", self.k, 2, limits.CATEGORIES_LARGEST))
        object.__setattr__(self, "n", limits.check_total(self.n))
        object.__setattr__(self, "number", limits.whole_number("the number of releases", self.number, 1,
                                                               RELEASES_LARGEST))
        object.__setattr__(self, "delta", limits.check_delta(self.delta))
        if not can_be_planned(self.mechanism, self.k, self.n):
            raise ValueError("A plan needs a mechanism that is private by theorem, is not calibrated, and is drawn "
                             f"without rounding, as noise on counts is: got {name_of(self.mechanism)}.")

    @property
    def epsilon(self) -> float:
        """What all of it costs at its delta: ``compose``, rounded up. Noise on counts depends on k and n alone, on
        nothing else of a prior.
        """
        return _cost(self.mechanism, self.k, self.n, self.number, self.delta)

    @property
    def total(self) -> float:
        """What all of it would cost by the plain sum."""
        return added([self.mechanism.epsilon] * self.number)

    def cost(self, made: int) -> tuple[float, float]:
        """(epsilon, delta) of so many of its releases: the plain sum, and at most what all of it costs.

        Sound for whoever chooses what else to release, and when to stop, after seeing releases, as long as the costs
        add up to at most e: E(1 - exp(e - loss))_+ <= delta. Where the plan counts at its plain sum the loss is at most
        e. Else what is off the plan loses at most e - ``epsilon``, so that the loss is at most that plus the loss of
        all ``number`` releases, drawn beforehand and shown later. Source: ours.
        """
        plain = added([self.mechanism.epsilon] * made)
        return (plain, 0.0) if plain <= self.epsilon else (self.epsilon, self.delta)

    @property
    def words(self) -> str:
        """What it is of and what it costs."""
        return (f"{self.number:,} {'release' if self.number == 1 else 'releases'} by {name_of(self.mechanism)} with "
                f"epsilon {printed_bound(self.mechanism.epsilon)} each, k = {self.k:,}, n = {self.n:,}: "
                f"({printed_bound(self.epsilon)}, {printed_bound(self.delta)})-DP for all of them")

    def counted(self, made: int) -> str:
        """How so many of its releases are counted, in sentences."""
        epsilon, delta = self.cost(made)
        so_far = "the whole plan, however many are made" if delta else (
            f"the plain sum of those that were made, {printed_bound(epsilon)}, which is not more so far")
        return f"{self.words}, by composing the laws of their losses. Counted is {so_far}."

    def covers(self, mechanism: Mechanism, k: int, n: int) -> bool:
        """Whether such a release is one of those that were planned."""
        return (mechanism, k, n) == (self.mechanism, self.k, self.n)

    def document(self) -> dict[str, Any]:
        """What a file holds of it; what it costs is computed anew when it is read."""
        plain = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {**plain, "mechanism": mechanism_document(self.mechanism), "epsilon": self.epsilon, "words": self.words}

    @staticmethod
    def read(item: Any) -> "Plan":
        """That of ``document``; ValueError for anything else."""
        names = [field.name for field in dataclasses.fields(Plan)]
        if not isinstance(item, dict) or not all(name in item for name in names):
            raise ValueError(f"A plan in the ledger must have {', '.join(names)}.")
        return Plan(**{name: item[name] for name in names} | {"mechanism": mechanism_of(item["mechanism"])})


def can_be_planned(mechanism: Mechanism, k: int, n: int) -> bool:
    """Whether its releases of k categories and n records lose the same under any prior: by a theorem, at its epsilon,
    without rounding, which depends on the prior.
    """
    try:
        held = guarantee_of_release(mechanism, (1.0,) * k, n)
    except ValueError:
        return False
    return isinstance(held, PureDP) and held.is_private and (held.epsilon, mechanism.calibration) == (
        mechanism.epsilon, None)


def new_plan(mechanism: Mechanism, k: int, n: int, number: int, delta: float, who: str = "") -> Plan:
    """A plan with a token of its own, of now. Arguments and errors as for ``Plan``."""
    return Plan(secrets.token_hex(16), mechanism, k, n, number, delta, datetime.now(UTC).strftime(TIME), who)


@lru_cache(maxsize=256)
def _cost(mechanism: Mechanism, k: int, n: int, number: int, delta: float) -> float:
    return compose([(mechanism, (1.0,) * k, n)] * number).epsilon(delta)
