"""The mechanisms, in screen order. A new one is a small class in a family's file and one line here."""

from dpbi.mechanisms.exponential import EHD, EHDL, EHDNRS, EHDS
from dpbi.mechanisms.guarantee import ApproximateDP, Guarantee, NotPrivate, PureDP
from dpbi.mechanisms.k_norm import KNorm
from dpbi.mechanisms.mechanism import Mechanism, check_mechanism, check_released, name_of
from dpbi.mechanisms.noisy_counts import Geometric, LSDim, LSHist, LSZhang

MECHANISMS: tuple[type[Mechanism], ...] = (LSZhang, LSDim, LSHist, Geometric, KNorm, EHD, EHDL, EHDS, EHDNRS)

__all__ = ["EHD", "EHDL", "EHDNRS", "EHDS", "MECHANISMS", "ApproximateDP", "Geometric", "Guarantee", "KNorm", "LSDim",
           "LSHist", "LSZhang", "Mechanism", "NotPrivate", "PureDP", "check_mechanism", "check_released", "name_of"]
