"""The claims: every statement of the papers that numbers can decide, in reading order."""

from dpbi.papers.claims import accuracy, conclusions, definitions, laplace_error, levels, noise, privacy, sensitivity
from dpbi.papers.claims.claim import KINDS, Case, Claim, Finding, Reading, Setting, shown

CLAIMS: tuple[Claim, ...] = (
    *definitions.CLAIMS,
    *sensitivity.CLAIMS,
    *privacy.CLAIMS,
    *levels.CLAIMS,
    *noise.CLAIMS,
    *accuracy.CLAIMS,
    *laplace_error.CLAIMS,
    *conclusions.CLAIMS,
)

__all__ = ["CLAIMS", "KINDS", "Case", "Claim", "Finding", "Reading", "Setting", "shown"]
