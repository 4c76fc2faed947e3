"""What the papers call their mechanisms, and what those are called here."""

from typing import NamedTuple

from dpbi.mechanisms import EHD, EHDL, EHDNRS, EHDS, LSDim, LSHist, LSZhang


class Name(NamedTuple):
    """A paper's name, where it stands, and ours with the parameters that make it the same."""

    theirs: str
    where: str
    ours: str


NAMES = (
    Name("M_E, exponential mechanism, EHD", "[P17] 4.1.1; [N] 2.1; [D20] Algorithm 4, [P20] 3",
         f"{EHD.label}; with the papers' constant, its global sensitivity \"paper\""),
    Name("M_E^local, exponential mechanism with local sensitivity, EHDL",
         "[P17] 4.1.2; [N] 2.2; [D20] Algorithm 5, [P20] 4", EHDL.label),
    Name("M_H: Definition 6", "[P17] 5.2.4", f"{EHDS.label} at 2 epsilon with gamma = 1"),
    Name("M_H: Definition 3, Definition 2.1; M_H^D above two categories; M_E^S", "[P17] 4.2; [N] 2.3",
         f"{EHDNRS.label}, beta with the number of candidates"),
    Name("EHDS, gamma-smooth sensitivity", "[D20] Algorithm 6; [P20] 5, with gamma = 1", EHDS.label),
    Name("Laplace mechanism, baseline, LSDim",
         "[P17] 4.1.3 and, at k = 2, the formula of 3; [D20] Algorithm 2, [P20] 1", LSDim.label),
    Name("the baseline with consistent parameters", "[P17] 7.2.2", f"{LSDim.label}, consistent"),
    Name("improved Laplace mechanism, LSHist", "[P17] 4.1.4; [D20] Algorithm 3, [P20] 2", LSHist.label),
    Name("LSZhang", "[D20] Algorithm 1", f"{LSZhang.label}, scale 2k/epsilon"),
    Name("Laplace noise on every parameter, Lap(epsilon/2)", "[P17] 3, its sentence; [N] 3.1; [L17]; [D20] Theorem 4.5",
         f"{LSZhang.label}, scale 2/epsilon"),
    Name("S(x) with e^{-gamma d}, S_beta(x)", "[P17] equation 1; [N] Definition 2.1", "exponential smooth sensitivity"),
    Name("gamma-smooth sensitivity", "[P17] Theorem 5.1; [D20] section 1", "reciprocal smooth sensitivity"),
    Name("BI(x), DirP(x), the true posterior", "[P17]; [N]; [D20]", "Dir(alpha + c), the posterior"),
    Name("gamma of ELap(x)", "[D20] section 4", "delta of a claim's setting: the probability of a larger distance"),
)
