"""The method page: each mechanism's rule, source and guarantee in words, and the terms of these pages explained."""

import math
from collections.abc import Callable
from typing import NamedTuple

import streamlit as st

from dpbi import MECHANISMS, Mechanism, limits, name_of, printed_bound
from dpbi.dashboard.answers import average, library
from dpbi.dashboard.answers.cache import kept
from dpbi.dashboard.scenario import Scenario
from dpbi.dashboard.session import address
from dpbi.dashboard.shown import charts, tables
from dpbi.dashboard.sidebar import menu, privacy
from dpbi.dashboard.words import bridge, guard, sources, words
from dpbi.inference.plain_reading import Line, plain_reading
from dpbi.papers.bibliography import DATES
from dpbi.problem.candidates import number_of_candidates
from dpbi.problem.neighbours import RELATION

_SENTENCES = 1000  # characters at most

SOURCES = (
    f"Sources: {sources.MARKS} are the papers, others are cited by name and year; [all are listed below](#sources). "
    "*Ours*: beyond them."
)
NOTATION = (
    "All release whole numbers $r$ in place of the counts $c$ of $n$ records in $k$ categories; the private posterior "
    r"is $\mathrm{Dir}(\alpha + r)$. $\lfloor x \rfloor_0^n$ is $x$ rounded down and cut to $0 \dots n$, "
    r"$\mathrm{Lap}(b)$ noise with density $e^{-|y|/b} / 2b$, $H(r)$ the Hellinger distance of a candidate from the "
    "true posterior. The sensitivities are explained below."
)
PROMISES = (
    f"Two datasets are neighbours if they differ so: {RELATION}. **epsilon-DP**: every set of releases is at most "
    r"$e^\varepsilon$ times as probable under a dataset as under any of its neighbours. **(epsilon, delta)-DP**: at "
    r"most so and $\delta$ more."
)

NOISY_COUNTS = (
    "Many tables are published as counts with noise. This one is made up, and its true shares are known. Whoever takes "
    "the values for true counts goes wrong in three ways. **A negative value, and one that was cut at 0,** stand for "
    "counts that may well be above 0: taken for 0, their shares come out too small, and too sure. **A withheld value** "
    "was below a threshold, and not 0: left out, all other shares come out too large. **Intervals are too narrow,** "
    "for they know the chance in who was counted, and not that in the noise."
)


class Term(NamedTuple):
    """A term, its symbol in LaTeX, its meaning and source in plain text, and what it comes to in a scenario."""

    name: str
    symbol: str
    meaning: str
    source: str
    here: Callable[[Scenario], str] | None = None


def draw(scenario: Scenario) -> None:
    """All mechanisms, then all terms, with the numbers they have for the scenario."""
    line = words.scenario_line(scenario.title, scenario.labels, scenario.problem, scenario.epsilon, scenario.gamma)
    st.markdown(f"{SOURCES} Numbers *here* are those of {line}.")
    st.header("Mechanisms")
    st.markdown(NOTATION)
    st.markdown(PROMISES)
    st.caption(words.BASES)
    for mechanism in _mechanisms(scenario):
        _mechanism(mechanism, scenario)
    st.header("The papers' names")
    st.markdown(bridge.table())
    st.header("Noisy counts that others published", anchor="noisy-counts")
    with guard.part("The picture"):
        _noisy_counts()
    st.header("Glossary", anchor="glossary")
    for term in TERMS:
        _term(term, scenario)
    st.header("Columns of the tables", anchor="columns-of-the-tables")
    rows = [f"| {words.escape(name)} | {words.escape(said, _SENTENCES)} |" for name, said in tables.meanings().items()]
    st.markdown("\n".join(["| column | what it means |", "|---|---|", *sorted(rows, key=str.casefold)]))
    st.header("Sources", anchor="sources")
    st.markdown(sources.papers())
    st.caption(DATES)
    st.markdown(f"Others, by name and year:\n\n{sources.others()}")


def _mechanisms(scenario: Scenario) -> list[Mechanism]:
    """One of every class: as it is ticked, else as it is by default."""
    plain = {type(mechanism): mechanism for mechanism in scenario.mechanisms if not mechanism.calibration}
    numbers = {"epsilon": scenario.epsilon, "gamma": scenario.gamma}
    return [plain.get(kind) or privacy.make(kind, numbers) for kind in MECHANISMS]


def _mechanism(mechanism: Mechanism, scenario: Scenario) -> None:
    promise = mechanism.guarantee(scenario.problem.prior, scenario.problem.n)
    with st.container(border=True):
        st.subheader(words.stamped(mechanism.label, promise))
        st.markdown(mechanism.idea)
        st.latex(mechanism.formula)
        reason = words.escape(limits.opened(promise.reason), _SENTENCES)
        st.markdown(f"**Guarantee here: {words.guarantee(promise)}.** {reason}.")
        st.caption(f"Source: {words.escape(mechanism.source, _SENTENCES)}.")


def _noisy_counts() -> None:
    from dpbi.figures import plain_reading as picture

    st.markdown(NOISY_COUNTS)
    charts.draw(picture.both_readings(_both_readings()), "plain-reading")
    st.page_link(menu.page("Read noisy counts").path, label="Read noisy counts of your own",
                 query_params=address.elsewhere(on_tour=False))  # fmt: skip


@kept(1, said="Reading a made-up table")
def _both_readings() -> tuple[Line, ...]:
    return plain_reading()


def _term(term: Term, scenario: Scenario) -> None:
    with st.container(gap="xxsmall"):
        st.markdown(f"**{term.name}** &ensp; ${term.symbol}$\n\n{term.meaning}")
        with guard.part(term.name):
            here = f"**Here:** {term.here(scenario)}. " if term.here and scenario.problem.n else ""
            st.caption(f"{here}Source: {words.escape(term.source, _SENTENCES)}.")


# --- what a term comes to ---


def _prior(scenario: Scenario) -> str:
    prior = scenario.problem.prior
    return f"{words.prior_words(prior)}, worth {words.number(sum(prior))} records"


def _neighbours(scenario: Scenario) -> str:
    """A record of any category that has one goes to any other."""
    counts = scenario.problem.counts
    return f"{words.number(sum(c > 0 for c in counts) * (len(counts) - 1))} different counts"


def _sensitivities(scenario: Scenario) -> library.Sensitivities:
    return library.sensitivities(scenario.problem, scenario.gamma, scenario.beta)


def _global(scenario: Scenario) -> str:
    found = _sensitivities(scenario)
    exact, paper = words.number(found.exact), words.number(found.paper)
    constant = "the constant of [D20] and [P20]"
    return f"{exact}, as {constant}" if exact == paper else f"{exact}; {constant} is {paper}"


def _smooth(scenario: Scenario) -> str:
    found = _sensitivities(scenario)
    return (
        f"reciprocal {words.number(found.reciprocal)} with gamma = {words.number(scenario.gamma)}, exponential "
        f"{words.number(found.exponential)} with beta = {words.number(scenario.beta)}"
    )


def _factor(scenario: Scenario) -> str:
    """What the odds can be multiplied by, as long as that is a number."""
    epsilon = scenario.epsilon
    factor = f"at most {printed_bound(math.exp(epsilon))}" if epsilon < math.log(1e9) else f"e^{printed_bound(epsilon)}"
    return f"{printed_bound(epsilon)}, a factor of {factor}"


def _limit(scenario: Scenario) -> str:
    asked = scenario.problem.prior, scenario.problem.n, scenario.epsilon
    if scenario.problem.k > 2 and not average.limit.holds(*asked):  # a linear programme: the glossary does not wait
        return "looked for on Home"
    found = average.limit(*asked)
    return "not known" if found.value is None else words.number(found.value)


def _ignoring(scenario: Scenario) -> str:
    rows = [library.comparison(scenario.problem, mechanism) for mechanism in scenario.mechanisms]
    shares = [f"{name_of(row.mechanism)} {words.number(row.probability_of_ignoring)}" for row in rows]
    return words.listed(shares) if shares else "no mechanism is chosen"


TERMS = (
    Term(
        "Prior",
        r"\mathrm{Dir}(\alpha)",
        "What is believed about the proportions before any data: a pseudo-count for each category. It is public. With "
        "two categories it is a Beta distribution.",
        "[P17] section 2",
        _prior,
    ),
    Term(
        "Uniform, Jeffreys, Perks",
        r"\alpha_i = 1,\; 1/2,\; 1/k",
        "Priors that treat all categories alike, by their pseudo-count for each. Perks's comes to one record in all, "
        "however many categories there are.",
        "Bayes 1763; Jeffreys 1946; Perks 1947",
    ),
    Term(
        "Posterior",
        r"\mathrm{Dir}(\alpha + c)",
        "The prior with the counts added to it: what is believed after the data. It is private, since it gives the "
        "counts away.",
        "[P17] section 2",
        lambda scenario: words.prior_words(scenario.problem.posterior),
    ),
    Term(
        "Neighbours",
        "c' = c - e_j + e_i",
        "Two datasets that differ in one person's record, which changes its category; n stays as it is. A private "
        "release hardly tells them apart.",
        "[P17] section 3",
        _neighbours,
    ),
    Term(
        "Candidates",
        r"r \in \mathbb{N}^k,\; \textstyle\sum r_i = n",
        "All counts that n records could have had, and the posteriors that belong to them. Selection by distance "
        "releases one of them, a near one more likely.",
        "[P17] section 4.2, whose number is right for two categories only",
        lambda scenario: words.number(number_of_candidates(scenario.problem.n, scenario.problem.k)),
    ),
    Term(
        "Hellinger distance",
        r"H = \sqrt{1 - \int \sqrt{p(\theta)\, q(\theta)}\, d\theta}",
        "How far apart two posteriors p and q are: 0 if they are equal, 1 if they do not overlap. The error of a "
        "release is measured in it.",
        "[D20] section 1",
    ),
    Term(
        "Local sensitivity, LS(x)",
        r"LS(c) = \max_{c'} H(c, c')",
        "How far one replaced record can move the posterior of these very counts, c or x. It depends on private data.",
        "[D20] section 1; [P17] section 4.1.2; computed in closed form, ours",
        lambda scenario: words.number(_sensitivities(scenario).local),
    ),
    Term(
        "Global sensitivity",
        r"GS = \max_c LS(c)",
        "The largest local sensitivity of all datasets, for this prior and n. It is public, and often far above the "
        "local one.",
        "[D20] section 1; the exact value is ours",
        _global,
    ),
    Term(
        "Smooth sensitivity",
        r"S_\gamma(c) = \max_{c'} \frac{1}{1 / LS(c') + \gamma\, d(c, c')},\quad "
        r"S_\beta(c) = \max_{c'} LS(c')\, e^{-\beta\, d(c, c')}",
        "A bound on the local sensitivity that changes little from a dataset to its neighbour, so that noise scaled to "
        "it does not give the data away. The first kind is called reciprocal, the second exponential; d counts the "
        "records in which two datasets differ.",
        "reciprocal [P17] Theorem 5.1; exponential [N] section 2.3, Nissim, Raskhodnikova and Smith 2007",
        _smooth,
    ),
    Term(
        "epsilon",
        r"\varepsilon",
        "The privacy loss that is promised: between neighbours, the probability of any set of releases differs by a "
        "factor of at most e^epsilon. Smaller is more private, and less accurate.",
        "Dwork, McSherry, Nissim and Smith 2006",
        _factor,
    ),
    Term(
        "delta",
        r"\delta",
        "How far that factor may be exceeded: a probability that is added to it. 0 is pure privacy; where it is not, "
        "it should be far below 1/n.",
        "Dwork, Kenthapadi, McSherry, Mironov and Naor 2006",
    ),
    Term(
        "Privacy loss",
        r"\max_{c, c', r} \log \dfrac{P(r \mid c)}{P(r \mid c')}",
        "What a mechanism really gives away: the largest log ratio over all datasets, their neighbours and all "
        "outputs. It is computed here, not bounded.",
        "[P17] section 7.3 for given data; over all datasets, ours",
    ),
    Term(
        "Calibration",
        r"\mathrm{rate} \times m",
        "A mechanism's rate is set so that its exact privacy loss is epsilon, which usually brings it nearer to the "
        "truth. Every pair of neighbours and every output is checked, for one prior and n, and nothing is promised "
        "elsewhere.",
        "ours; [P17] section 8 proposes it, its second direction",
    ),
    Term(
        "Law of the distance: exact; exact, in bins; sampled",
        r"P(H \le t)",
        words.LAW_KINDS_SAID,
        "ours; [P17] section 7.2.1 lists the distances",
    ),
    Term(
        "P(blind): the probability of ignoring the data",
        "a_0 Z_0 / Z",
        "Selection by distance is a mixture whose first part picks any candidate, whatever the counts are. This is the "
        "share of releases that come from it. At a given rate it grows with the number of candidates.",
        "ours",
        _ignoring,
    ),
    Term(
        "K-norm noise",
        r"P(t) \propto e^{-\varepsilon \lVert t - c \rVert_1 / 2}",
        "Noise on all counts together that falls off with the number of records moved, which is what one person can "
        "change by one. Noise on each count apart is fitted to moves that no single person can make. With two "
        "categories it is two-sided geometric noise. It spends all of epsilon: calibration has nothing to give.",
        "Hardt and Talwar 2010; Awan and Slavkovic 2021; on whole numbers of fixed sum, ours",
    ),
    Term(
        "The limit of privacy, and times the limit",
        r"L = \min_M \textstyle\sum_c P(c)\, E[H(c, r)]",
        "The least mean distance, averaged over the data that the public prior expects, of all epsilon-DP mechanisms "
        "that release a candidate posterior. With two categories by a theorem, with more by a linear programme where "
        "that is small enough; elsewhere it is not known, and no bound is called the limit. It uses no private count, "
        "so it may be used to choose. With three categories, n = 12 and epsilon 0.5, 1 and 2, K-norm noise read as the "
        "nearest posterior lies at 1.02, 1.02 and 1.04 times the limit under the uniform prior, at 1.04, 1.06 and 1.08 "
        "under a prior of 0.1 each.",
        "Ghosh, Roughgarden and Sundararajan 2009 for losses that rise with the distance of counts; ours",
        _limit,
    ),
    Term(
        "P(truth)",
        "P(r = c)",
        "The probability that the release is the true posterior itself. Near 1 it protects next to nobody.",
        "ours",
    ),
    Term(
        "Score",
        r"D(c, r)",
        "What selection goes by: candidates with a low score are released more often. The papers' is the Hellinger "
        "distance.",
        "McSherry and Talwar 2007; [P17] section 4.2",
    ),
    Term(
        "Rate, scale",
        r"e^{-\mathrm{rate}\, D},\quad \mathrm{Lap}(b)",
        "How sharply a mechanism selects, or how wide its noise is. A higher rate, or a smaller scale b, is nearer to "
        "the truth and less private.",
        "[P17] section 4.2",
    ),
    Term(
        "delta(epsilon), delta(0)",
        r"\delta(\varepsilon) = \max_{c, c'} \textstyle\sum_r (P_c(r) - e^\varepsilon P_{c'}(r))_+",
        "What must still be allowed for if only this epsilon is granted. delta(0) is the largest total variation "
        "distance between two neighbours' releases: how much of a guess it can set right.",
        "Dwork and Roth 2014; the exact values are ours",
    ),
    Term(
        "Cases of 100",
        r"\tfrac{1}{2}(1 + \delta(0)),\; e^{\mathrm{loss}} / (1 + e^{\mathrm{loss}})",
        "Of 100 guesses of one person's answer 50 are right before the release. So many at most are right after it: "
        "averaged over releases, and after the worst possible one.",
        "Wasserman and Zhou 2010",
    ),
    Term(
        "Clouds",
        r"P(r \mid c),\; P(r \mid c')",
        "All posteriors that a mechanism may release of a table, and of a neighbour, each drawn as strong as it is "
        "probable; where they are too many, some draws of each. If both tables lead to each posterior about as often, "
        "a release tells little of the one answer in which they differ.",
        "ours",
    ),
    Term(
        "Best guess",
        r"\tfrac{1}{2}(1 + TV)",
        "Of two neighbouring tables that are equally likely before, the one under which the release is more probable. "
        "No guess is right more often; TV is the total variation distance of what the two tables release: 0 if it is "
        "the same, 1 if nothing is released of both.",
        "Wasserman and Zhou 2010",
    ),
    Term(
        "Trade-off curve",
        r"\beta(\alpha)",
        "An attacker tells two neighbouring datasets apart by the release. The curve has the least share of missed "
        "alarms for every share of false ones; on the diagonal a release tells nothing.",
        "Dong, Roth and Su 2022",
    ),
    Term(
        "Ledger, budget",
        r"\textstyle\sum_j \varepsilon_j",
        "Losses of several releases of the same data add up. The ledger keeps the sum; the budget is what it may come "
        "to, and a release beyond it is refused.",
        "Dwork and Roth 2014, theorem 3.16",
    ),
    Term(
        "Naive posterior",
        r"\mathrm{Dir}(\alpha + r)",
        "The released counts taken for the true ones. Its intervals are too narrow where the noise matters.",
        "[P17] section 2",
    ),
    Term(
        "Covers, coverage",
        r"P(\theta \in I)",
        "How often an interval holds what it is about. A 95 % interval should in 95 of 100 cases; one that does so "
        "less often is too sure of itself.",
        "Neyman 1937",
    ),
    Term(
        "Nearest posterior",
        r"r^* = \arg\min_{r^*} E[H(c, r^*) \mid r]",
        "A third way to read a release: of all candidate posteriors the one that lies nearest to the true one as far "
        "as a reader can know, by Bayes' rule with what is public. It costs no privacy; it is best on average where "
        "the prior is right and poor where it is wrong. " + words.WHICH_READING,
        "ours",
    ),
    Term(
        "Noise-aware posterior",
        r"p(\theta \mid r) \propto p(\theta) \textstyle\sum_c P(r \mid c)\, P(c \mid \theta)",
        "What a release tells about the proportions once the noise is reckoned with, by Bayes' rule. It costs no "
        "privacy; the released posterior alone takes the noisy counts for true ones, and is too sure of itself where "
        "the noise matters.",
        "ours; for the idea, Bernstein and Sheldon 2018",
    ),
    Term(
        "Noisy counts",
        r"v_i = c_i + D_i",
        "What somebody published: each count with noise of a stated law. Values may be negative, and their sum is not "
        "the total.",
        "Dwork, McSherry, Nissim and Smith 2006",
    ),
    Term(
        "Cut, withheld",
        r"\max(v_i, 0),\quad v_i < t",
        "A value below 0 that was published as 0 is cut; one below a threshold t that was not published is withheld. "
        "What is left is too large on average, unless one reckons with all that may have stood there.",
        "ours",
    ),
    Term(
        "Two-sided geometric, discrete Gaussian and Laplace noise",
        r"P(d) \propto e^{-|d| / s},\quad P(d) \propto e^{-d^2 / 2 \sigma^2},\quad f(d) \propto e^{-|d| / s}",
        "Laws of the noise that published tables have, the first two of whole numbers, of scale s or variance sigma^2. "
        "The wider the noise, the less a value tells of its count.",
        "Ghosh, Roughgarden and Sundararajan 2009; Canonne, Kamath and Steinke 2020; Dwork, McSherry, Nissim and Smith "
        "2006",
    ),
    Term(
        "Misfit",
        r"\max_i |v_i - E[c_i \mid v]| / \sigma_i",
        "How far noisy counts are from what is believed of the true ones, in standard deviations of the noise; sums of "
        "them too. Beyond 5 or so, noise or total are not as stated.",
        "ours",
    ),
)
