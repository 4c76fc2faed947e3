"""The ledger: every claim of the papers that numbers can decide, in reading order."""

from dpbi.claims import sensitivity
from dpbi.claims.claim import Case, Claim, Reading, Setting, Verdict

CLAIMS: tuple[Claim, ...] = (*sensitivity.CLAIMS,)

__all__ = ["CLAIMS", "Case", "Claim", "Reading", "Setting", "Verdict"]
