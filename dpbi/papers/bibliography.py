"""All sources in one place: the papers this library answers to, by their marks, and others by name and year.

``python -m dpbi.papers.bibliography`` prints what the Bibliography of dpbi/README.md holds.
"""

import textwrap
from typing import NamedTuple

_WIDTH = 120


class Paper(NamedTuple):
    """One of the papers whose statements are checked here.

    mark: how it is cited; authors, date: as its own text says, "" where it says nothing; about: what it is.
    """

    mark: str
    authors: str
    title: str
    date: str
    about: str

    @property
    def words(self) -> str:
        """One entry, without the mark."""
        return f"{self.authors or 'No author named'}. {self.title}. {self.date or 'Undated'}. {self.about}."


class Source(NamedTuple):
    """Anything else that is cited, by name and year; year and where: "" where there is none."""

    authors: str
    year: str
    title: str
    where: str

    @property
    def words(self) -> str:
        """One entry, which begins as it is cited."""
        cited = f"{self.authors} {self.year}".strip()
        return ". ".join(filter(None, (cited, self.title, self.where))) + "."


PAPERS = (
    Paper("[D20]", "", "Differentially private Bayesian inference", "",
          "A draft with six algorithms, the first of them LSZhang"),
    Paper("[P20]", "", "Differentially private Bayesian inference", "12 March 2020",
          "The same draft in a version with five algorithms, without LSZhang and with gamma = 1"),
    Paper("[P17]", "Jiawen Liu, Mark Bun, Gian Pietro Farina and Marco Gaboardi",
          "Tailoring differentially private Bayesian inference to distance between distributions", "",
          "The long paper: M_H, its proofs and experiments"),
    Paper("[N]", "", "Notes of DP - Bayesian inference", "", "Notes on M_H, with figures of their own"),
    Paper("[L17]", "Jiawen Liu", "Proof of DP - Bayesian inference", "14 November 2017",
          "A short proof that Laplace noise on both counts under a Beta prior is epsilon-DP"),
)
MARKS = tuple(paper.mark for paper in PAPERS)
DATES = "A paper that bears no date is called undated; the digits in its mark are part of a name."

OTHERS = (
    Source("Awan and Slavkovic", "2021",
           "Structure and sensitivity in differential privacy: comparing K-norm mechanisms", "JASA 116"),
    Source("Balinski and Young", "1982", "Fair representation", "Yale University Press"),
    Source("Balle, Barthe and Gaboardi", "2018", "Privacy amplification by subsampling", "NeurIPS"),
    Source("Bayes", "1763", "An essay towards solving a problem in the doctrine of chances", "Phil. Trans. R. Soc. 53"),
    Source("Bentley and Floyd", "1987", "Programming pearls: a sample of brilliance", "CACM 30"),
    Source("Bernstein and Sheldon", "2018",
           "Differentially private Bayesian inference for exponential families", "NeurIPS"),
    Source("Bun and Steinke", "2016",
           "Concentrated differential privacy: simplifications, extensions, and lower bounds", "TCC"),
    Source("Canonne, Kamath and Steinke", "2020", "The discrete Gaussian for differential privacy", "NeurIPS"),
    Source("Cornish and Fisher", "1937",
           "Moments and cumulants in the specification of distributions", "Rev. Int. Stat. Inst. 5"),
    Source("Dekker", "1971", "A floating-point technique for extending the available precision", "Numer. Math. 18"),
    Source("DLMF", "", "NIST Digital Library of Mathematical Functions", ""),
    Source("Dong, Roth and Su", "2022", "Gaussian differential privacy", "J. R. Stat. Soc. B 84"),
    Source("Dwork, McSherry, Nissim and Smith", "2006",
           "Calibrating noise to sensitivity in private data analysis", "TCC"),
    Source("Dwork, Kenthapadi, McSherry, Mironov and Naor", "2006", "Our data, ourselves", "EUROCRYPT"),
    Source("Dwork and Roth", "2014",
           "The algorithmic foundations of differential privacy", "Found. Trends Theor. Comput. Sci. 9"),
    Source("Ghosh, Roughgarden and Sundararajan", "2009", "Universally utility-maximizing privacy mechanisms", "STOC"),
    Source("Golub and Welsch", "1969", "Calculation of Gauss quadrature rules", "Mathematics of Computation 23"),
    Source("Hardt and Talwar", "2010", "On the geometry of differential privacy", "STOC"),
    Source("Jeffreys", "1946",
           "An invariant form for the prior probability in estimation problems", "Proc. R. Soc. A 186"),
    Source("Kairouz, Oh and Viswanath", "2015", "The composition theorem for differential privacy", "ICML"),
    Source("Machado, Oliveira and Fernandes", "2009",
           "A physiologically-based model for simulation of color vision deficiency", "IEEE TVCG 15"),
    Source("McSherry and Talwar", "2007", "Mechanism design via differential privacy", "FOCS"),
    Source("McSherry", "2009", "Privacy integrated queries", "SIGMOD"),
    Source("von Neumann", "1951",
           "Various techniques used in connection with random digits", "Natl. Bur. Stand. Appl. Math. Ser. 12"),
    Source("Neyman", "1937", "Outline of a theory of statistical estimation", "Phil. Trans. R. Soc. A 236"),
    Source("Nissim, Raskhodnikova and Smith", "2007",
           "Smooth sensitivity and sampling in private data analysis", "STOC"),
    Source("Oliveira and Takahashi", "2020",
           "An enhancement of the bisection method average performance", "ACM TOMS 47"),
    Source("Perks", "1947",
           "Some observations on inverse probability including a new indifference rule", "J. Inst. Actuaries 73"),
    Source("Sommer, Meiser and Mohammadi", "2019",
           "Privacy loss classes: the central limit theorem in differential privacy", "PoPETs"),
    Source("Steele, Lea and Flood", "2014", "Fast splittable pseudorandom number generators", "OOPSLA"),
    Source("Takahasi and Mori", "1974", "Double exponential formulas for numerical integration", "Publ. RIMS 9"),
    Source("Wasserman and Zhou", "2010", "A statistical framework for differential privacy", "JASA 105"),
    Source("Zhang, Rubinstein and Dimitrakakis", "2016", "On the differential privacy of Bayesian inference", "AAAI"),
)


def section() -> str:
    """The text of the Bibliography of dpbi/README.md, in Markdown."""
    papers = [f"**{paper.mark}** {paper.words}" for paper in PAPERS]
    begins = f"Made of `papers/bibliography.py`, which the pages Papers and Methods show. {DATES} Of the papers:"
    others = [other.words for other in OTHERS]
    return "\n\n".join((_wrapped(begins), _list(papers), "Others, by name and year:", _list(others))) + "\n"


def _list(entries: list[str]) -> str:
    return "\n".join(_wrapped(entry, "- ", "  ") for entry in entries)


def _wrapped(text: str, first: str = "", other: str = "") -> str:
    return textwrap.fill(text, _WIDTH, initial_indent=first, subsequent_indent=other, break_on_hyphens=False,
                         break_long_words=False)  # fmt: skip


if __name__ == "__main__":
    print(section(), end="")
