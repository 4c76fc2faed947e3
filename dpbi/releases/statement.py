"""A release for people: a table of both posteriors, and a one-page statement in words.

Everything here is a function of a Release, of the categories' names and of what the ledger holds, all public.
"""

import dataclasses
import decimal
import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dpbi.accuracy.trials import release_errors
from dpbi.data.labels import visible
from dpbi.mechanisms import Mechanism, name_of
from dpbi.mechanisms.calibration import delta_of
from dpbi.mechanisms.guarantee import ApproximateDP, Guarantee, NotPrivate
from dpbi.mechanisms.printed_bound import printed_bound
from dpbi.posterior import dirichlet
from dpbi.privacy.guessing import guessing_risk
from dpbi.releases.ledger import STATED, ReadTogether, Standing, mean_and_interval
from dpbi.releases.release import Release, category_names
from dpbi.releases.usefulness import barely_private, points, useless

Row = dict[str, str | int | float | None]

_COUNTS_SHOWN = 12
TITLE = "Private release of counts"


@dataclass(frozen=True)
class Section:
    """A part of a statement: paragraphs, and a table whose first row is its head."""

    heading: str
    paragraphs: tuple[str, ...]
    table: tuple[tuple[str, ...], ...] = ()


def posterior_table(
    release: Release, labels: Sequence[str] | None = None, together: ReadTogether | None = None
) -> list[Row]:
    """One row a category: parameters of the naive posterior, means and equal-tailed 95 % intervals of both.

    labels: names of the categories, (k,); together: all releases of the same table, read as one, where there are
    several: three columns more. Returns k rows; the columns of a posterior that is not available are None.
    Raises ValueError for another number of labels. Source: ours.
    """
    means = dirichlet.mean(release.naive)
    low, high = dirichlet.interval(release.naive)
    rows: list[Row] = []
    for i, name in enumerate(category_names(labels, len(release.prior))):
        row: Row = {
            "category": name,
            "prior": release.prior[i],
            "released": release.released[i],
            "naive_parameter": release.naive[i],
            "naive_mean": float(means[i]),
            "naive_low": float(low[i]),
            "naive_high": float(high[i]),
        }
        others = {"noise_aware": release.noise_aware, **({"together": together.posterior} if together else {})}
        for kind, one in others.items():
            row |= {f"{kind}_{part}": value for part, value in mean_and_interval(one, i).items()}
        rows.append(row)
    return rows


def statement_markdown(
    release: Release, labels: Sequence[str] | None = None, together: ReadTogether | None = None,
    standing: Standing | None = None,
) -> str:
    """The statement as Markdown. Arguments and errors as ``posterior_table``. Source: ours.

    standing: what was asked of whom, and how the release stands in the ledger.
    """
    return markdown(TITLE, stamped(release, together), _sections(release, labels, together, standing))


def markdown(title: str, stamp: str, sections: Sequence[Section]) -> str:
    """A statement of these sections. Source: ours."""
    lines = [f"# {title}", ""]
    if stamp:
        lines += [f"**{escaped(stamp)}**", ""]
    for section in sections:
        lines += [f"## {section.heading}", ""]
        for paragraph in section.paragraphs:
            lines += [escaped(paragraph), ""]
        if section.table:
            head, *body = (f"| {' | '.join(map(escaped, row))} |" for row in section.table)
            lines += [head, "|" + " --- |" * len(section.table[0]), *body, ""]
    return "\n".join(lines)


def statement_html(
    release: Release, labels: Sequence[str] | None = None, together: ReadTogether | None = None,
    standing: Standing | None = None,
) -> str:
    """The statement as a page of its own that asks no host for anything. As ``statement_markdown``."""
    return page(TITLE, stamped(release, together), _sections(release, labels, together, standing))


def page(title: str, stamp: str, sections: Sequence[Section]) -> str:
    """A statement of these sections as a page of its own. Source: ours."""
    parts = [f"<h1>{html.escape(title)}</h1>"]
    if stamp:
        parts.append(f'<p class="stamp">{html.escape(stamp)}</p>')
    for section in sections:
        parts.append(f"<h2>{html.escape(section.heading)}</h2>")
        parts += [f"<p>{html.escape(paragraph)}</p>" for paragraph in section.paragraphs]
        if section.table:
            head, *body = section.table
            parts += ['<div class="wide"><table>', _html_row("th", head), *(_html_row("td", row) for row in body)]
            parts.append("</table></div>")
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{html.escape(title)}</title>\n'
        f'<meta name="viewport" content="width=device-width">\n<style>{_STYLE}</style>\n</head>\n<body>\n'
        + "\n".join(parts) + "\n</body>\n</html>\n"
    )


def stamped(release: Release, together: ReadTogether | None) -> str:
    """What goes on top of all that is written of a release and of those that are read together with it."""
    if release.stamp or together is None or not together.stamp:
        return release.stamp
    return f"One of the releases that are read together here is not private by theorem or check. {together.stamp}"


def _sections(
    release: Release, labels: Sequence[str] | None, together: ReadTogether | None, standing: Standing | None
) -> list[Section]:
    rows = [outwards(row) for row in posterior_table(release, labels, together)]
    asked = map(visible, standing.words) if standing else ()
    return [
        Section("What was released", (*asked, *_what(release)), _table(rows)),
        Section("What is promised", (*promised(release.guarantee), *(standing.cost if standing else ()))),
        _risk(release),
        Section("How exact it is", _how_exact(release)),
        Section("How to read it", (*_how_to_read(release), *_how_to_read_together(together))),
        Section("What is not covered", NOT_COVERED),
    ]


def _what(release: Release) -> tuple[str, ...]:
    return (
        f"Counts of n = {release.n:,} records in {len(release.prior)} categories, released once by the mechanism "
        f"{name_of(release.mechanism)} ({options_of(release.mechanism)}) on {release.time} with dpbi "
        f"{release.version}. The total n, the categories and the prior are public; the true counts are not in this "
        "statement.",
        sum_of(release),
    )


def options_of(mechanism: Mechanism) -> str:
    """What a person chose of the mechanism, as the app calls it. Source: ours."""
    said = [f"epsilon = {printed_bound(mechanism.epsilon, 10)}"]
    for field in dataclasses.fields(mechanism):
        value = getattr(mechanism, field.name)
        if "label" in field.metadata:
            label = field.metadata["label"]
            label = f"{label[0].lower()}{label[1:]}"
            if field.name == "delta" and delta_of(mechanism.calibration):
                label = "delta of the rule that was calibrated, which is not the one promised"
            if not isinstance(value, bool):
                said.append(f"{label}: {value}")
            elif value:  # what was not asked for can be so all the same
                said.append(label)
    return "; ".join(said)


def sum_of(release: Release) -> str:
    """Whether the released counts sum to n, and that it is no error where they do not. Source: ours."""
    total = sum(release.released)
    if total == release.n:
        return "The released counts sum to n."
    return (f"The released counts sum to {total:,} and not to n = {release.n:,}. This is no error: the noise and "
            "what is cut off change their sum, and nothing brings it back to n.")


def _table(rows: Sequence[Row]) -> tuple[tuple[str, ...], ...]:
    kinds = {"naive": "Naive", "noise_aware": "Noise-aware"}
    if "together_mean" in rows[0]:
        kinds["together"] = "All releases'"
    heads = (head for kind in kinds.values() for head in (f"{kind} mean", f"{kind} 95 % interval"))
    names = [visible(str(row["category"])) for row in rows]
    prior, released = [f"{row['prior']:.6g}" for row in rows], [f"{row['released']:,}" for row in rows]
    shares = [[mean_or_ends(*(row[f"{kind}_{part}"] for part in parts)) for row in rows]
              for kind in kinds for parts in (("mean",), ("low", "high"))]
    return ("Category", "Prior", "Released count", *heads), *zip(names, prior, released, *shares, strict=True)


def outwards(row: Row) -> Row:
    """The row of ``posterior_table`` with the ends of its intervals in four digits: these hold no less than it does."""
    ways = {"low": decimal.ROUND_FLOOR, "high": decimal.ROUND_CEILING}
    found = row.copy()
    for name, value in row.items():
        way = ways.get(name.rpartition("_")[2])
        if way and isinstance(value, float):
            found[name] = float(decimal.Context(4, way).create_decimal_from_float(value))
    return found


def mean_or_ends(*ends: object) -> str:
    """A mean, or the ends of an interval, in words. Source: ours."""
    return " to ".join(f"{share:#.4g}" for share in ends if isinstance(share, float)) or "not available"


def promised(guarantee: Guarantee) -> tuple[str, ...]:
    """What a guarantee says, in plain paragraphs. Source: ours."""
    if isinstance(guarantee, NotPrivate):
        return (f"Nothing: {guarantee.reason}.",)
    relation = (f"Two datasets are neighbours if they differ so: {guarantee.neighbours}. For any two neighbours, every "
                f"set of possible releases has a probability under the one of at most "
                f"e^{printed_bound(guarantee.epsilon)}")
    bound = f" times its probability under the other, plus {printed_bound(guarantee.delta)}." if isinstance(
        guarantee, ApproximateDP) else " times its probability under the other."
    basis = f"This is {guarantee.words}. Basis: {guarantee.basis}; {guarantee.reason}."
    if not guarantee.is_private:
        basis += " A claim is stated in a paper without a proof that holds; do not rely on it."
    return relation + bound, basis


def _risk(release: Release) -> Section:
    """What the promise means to someone who guesses, in cases of a hundred, each block standing for five of them."""
    risk = guessing_risk(release.mechanism, release.prior, release.n)
    basis = ("Computed from the exact laws of the release for this prior and n, for the worst pair of neighbours."
             if risk.exact else "A bound that follows from the promise.")
    rows = (("Before the release", 50), ("After it, on average, at most", risk.average_of_hundred),
            ("After the worst possible release, at most", risk.worst_of_hundred))
    judged = [sentence for sentence in (barely_private(risk, release.guarantee),) if sentence]
    table = (("Guesses of a person's answer", "Right of 100", "Each block is 5 cases"),
             *((name, str(right), "■" * -(-right // 5) + "□" * (20 - -(-right // 5))) for name, right in rows))
    return Section("What it means for one person", (risk.words, basis, *judged), table)


def _how_exact(release: Release) -> tuple[str, ...]:
    errors = release_errors(release.mechanism, release.prior, release.n)
    off = points(errors.share)
    said = (f"On made-up data of this size, drawn from the prior, a share was off by {off} on average "
            f"({len(errors.records):,} trials; ±: two standard errors). The true counts play no part in this.")
    return tuple(sentence for sentence in (said, useless(errors)) if sentence)


def _how_to_read(release: Release) -> tuple[str, ...]:
    naive = (
        "The naive posterior of the shares is a Dirichlet distribution with parameters prior + released counts. It "
        "takes the noisy counts for the true ones: its intervals are too narrow where noise matters."
    )
    aware = release.noise_aware
    if isinstance(aware, str):
        return naive, f"A noise-aware posterior is not available. {aware}"
    return naive, (
        "The noise-aware posterior averages over what the true counts may have been, by Bayes' rule, with the prior "
        "and the mechanism's noise, both public. It is computed from the released counts alone and costs no privacy. "
        "Where the two differ, use the noise-aware one: its intervals hold what they promise."
    ), *_nearest(release), (
        "The release's file (JSON) can be read on the page Read noisy counts of dpbi, or in Python with "
        "dpbi.read_release: both give back the noise-aware posterior, of several releases of the table where the file "
        "holds them."
    )


def _nearest(release: Release) -> tuple[str, ...]:
    nearest = release.nearest
    if isinstance(nearest, str):
        return ()
    same = "It is the naive one here." if nearest.posterior == release.naive else (
        f"Its parameters are prior + counts in the file's nearest_posterior, here {_some(nearest.counts)}.")
    return (
        "The nearest posterior is one Dirichlet distribution to work with: of all that n records could have led to, "
        f"the one that lies nearest to the true posterior as far as a reader can know. {same} It costs no privacy, and "
        "is good on average where the prior is right; its intervals do not allow for the noise.",
    )


def _how_to_read_together(together: ReadTogether | None) -> tuple[str, ...]:
    if together is None:
        return ()
    said = f"All releases of this table read together are not available. {together.unavailable}"
    if together.posterior is not None:
        said = (f"Last come {len(together.used)} releases of this table read together, by Bayes' rule with every "
                f"mechanism's noise. {STATED} {together.promise}")
        if not together.contradiction:
            said += " Their losses add up whether or not that is done, so use it before any single one."
    return tuple(filter(None, (" ".join((said, *together.left_out)), visible(together.contradiction))))


def _some(counts: Sequence[int]) -> str:
    shown = ", ".join(f"{count}" for count in counts[:_COUNTS_SHOWN])
    return f"({shown}{', …' if len(counts) > _COUNTS_SHOWN else ''})"


NOT_COVERED = (
    "The promise is about this one release. Any other release about the same people, in this or any other way, adds "
    "its own loss to it, whether or not a ledger knows of it.",
    "The draw used random bits of the operating system and whole-number arithmetic. How long it took, the memory of "
    "the computer it ran on, and pages that show raw counts are not covered; nor is the choice of mechanism or "
    "epsilon, if it was made by looking at results on the private counts.",
    "This file is not signed: it does not prove how it was made.",
)

_STYLE = Path(__file__).with_name("statement.css").read_text("utf-8")


def escaped(text: str) -> str:
    """The text as Markdown shows it unchanged, on one line, in a table too."""
    return re.sub(r"([\\`*_{}\[\]<>#|~$!&])", r"\\\1", " ".join(text.split()))


def _html_row(cell: str, values: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<{cell}>{html.escape(value)}</{cell}>" for value in values) + "</tr>"
