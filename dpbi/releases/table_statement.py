"""The statement of a table that was released at once: one page for all of its parts."""

from dpbi.data.labels import visible
from dpbi.inference.noise_aware import CountMixture
from dpbi.inference.tree_posterior import TreePosterior
from dpbi.mechanisms import name_of
from dpbi.releases.ledger import Standing
from dpbi.releases.release import Release
from dpbi.releases.statement import (
    NOT_COVERED,
    Row,
    Section,
    markdown,
    mean_or_ends,
    options_of,
    outwards,
    page,
    promised,
)
from dpbi.releases.table_release import TableRelease, TablesTogether

TITLE = "Private release of a table"
Posterior = CountMixture | TreePosterior


def table_rows(released: TableRelease, together: TablesTogether | None = None) -> list[Row]:
    """One row a cell: question, group, n, category, released count, mean and 95 % interval of the share in the group.

    together: of all releases of the table, where mean and interval are to be of them, and released is None. n: of the
    group where sizes are public, else None, and its mean is estimated_n; those of a posterior that is not available
    are None. Source: ours.
    """
    rows: list[Row] = []
    for q, question in enumerate(released.questions):
        k = len(released.labels[q])
        for g, group in enumerate(released.groups):
            made = released.release_of(question, group)
            first = g * k if released.membership == "private" else 0
            posterior = _posterior(together or released, question, group)
            for i, label in enumerate(released.labels[q]):
                rows.append({
                    "question": question, "group": group, "n": made.n if released.membership == "public" else None,
                    "estimated_n": _size(posterior), "category": label,
                    "released": None if together else made.released[first + i],
                    **_share(posterior, i),
                })  # fmt: skip
    return rows


def _posterior(released: TableRelease | TablesTogether, question: str, group: str) -> Posterior | None:
    try:
        return released.posterior(question, group)
    except ValueError:
        return None


def _size(posterior: Posterior | None) -> float | None:
    """The mean of a group's size where it is private."""
    return posterior.total.mean if isinstance(posterior, TreePosterior) else None


def _share(posterior: Posterior | None, category: int) -> Row:
    if posterior is None:
        return dict.fromkeys(("mean", "low", "high"))
    low, high = posterior.interval(0.95, category)
    return {"mean": float(posterior.mean[category]), "low": low, "high": high}


def table_statement_markdown(released: TableRelease, people: str = "", standing: Standing | None = None) -> str:
    """The statement as Markdown. people: whose answers they are; standing: of the table in the ledger, which names them
    and knows what else was released about them. Source: ours.
    """
    return markdown(TITLE, released.stamp, _sections(released, people, standing))


def table_statement_html(released: TableRelease, people: str = "", standing: Standing | None = None) -> str:
    """The statement as a page of its own that asks no host for anything. As ``table_statement_markdown``."""
    return page(TITLE, released.stamp, _sections(released, people, standing))


def _sections(released: TableRelease, people: str, standing: Standing | None) -> list[Section]:
    assumed = (f"Assumed of groups: {released.assumed}",) if released.assumed else ()
    costs = standing.cost if standing else ()
    return [
        Section("What was released", tuple(map(visible, _what(released, people, standing))), _table(released)),
        Section("What is promised", (*promised(released.guarantee), released.composition, *assumed, *costs)),
        Section("Who is protected against what", (released.protected, *_lists(released))),
        Section("How to read it", _how_to_read(released)),
        Section("What is not covered", NOT_COVERED),
    ]


def _lists(released: TableRelease) -> tuple[str, ...]:
    """Which lists of names are public, and which tell something about the data."""
    found = ["the groups"] if released.groups_found else []
    if of := released.categories_found:
        every = len(of) == len(released.questions)
        found.append("the categories" if every else f"the categories of {', '.join(map(visible, of))}")
    if not found:
        return ("The names of the groups and categories are public: they were given, and not found in the data.",)
    return (f"Found in the data, and so not protected, is the list of {' and of '.join(found)}: that a name is on it "
            "tells that somebody has it. All other names are public.",)


def _what(released: TableRelease, people: str, standing: Standing | None) -> list[str]:
    groups = f", in {len(released.groups):,} groups: {', '.join(released.groups)}" if len(released.groups) > 1 else ""
    said = [*standing.words] if standing else [f"People, as stated with the release: {people}"] if people else []
    asked = "one question" if len(released.questions) == 1 else f"{len(released.questions):,} questions"
    said.append(f"Answers to {asked}{groups}. Released once on {released.time} with dpbi {released.version}. The true "
                "counts are not in this statement.")
    for question, row in zip(released.questions, released.releases, strict=True):
        mechanism = row[0].mechanism
        said.append(f"Question: {question}. By {name_of(mechanism)} ({options_of(mechanism)}); {_sizes(row)}")
        if released.membership == "private" and len(released.groups) > 1:
            sizes = [(group, _size(_posterior(released, question, group))) for group in released.groups]
            known = [f"{group} about {size:,.1f}" for group, size in sizes if size is not None]
            said.append(f"Sizes of the groups, estimated: {', '.join(known) or 'not available'}.")
    return said


def _sizes(row: tuple[Release, ...]) -> str:
    sizes = ", ".join(f"{one.n:,}" for one in row)
    return f"n = {sizes}, public." if len(row) == 1 else f"the sizes of the groups, public: {sizes}."


def _table(released: TableRelease) -> tuple[tuple[str, ...], ...]:
    """Of many cells the files have them all."""
    rows = [outwards(row) for row in table_rows(released)]
    heads = ("Question", "Group", "Category", "Released count", "Noise-aware mean", "Noise-aware 95 % interval")
    names = [tuple(visible(str(row[name])) for name in ("question", "group", "category")) for row in rows]
    numbers = [(f"{row['released']:,}", mean_or_ends(row["mean"]), mean_or_ends(row["low"], row["high"]))
               for row in rows]  # fmt: skip
    return heads, *(one + other for one, other in zip(names, numbers, strict=True))


def _how_to_read(released: TableRelease) -> tuple[str, ...]:
    of_blocks = (
        "Each group is a block of one release: its shares allow for its size, which is not public, and is estimated "
        "too. The released counts of a group do not add to it."
    )
    return (
        "The noise-aware posterior averages over what the true counts may have been, by Bayes' rule, with the prior "
        "and the mechanism's noise, both public; it costs no privacy. The released counts hold noise: do not take them "
        "for the true ones.",
        *((of_blocks,) if released.membership == "private" else ()),
        "The file (JSON) holds every part. In Python dpbi.read_release_table reads all of them, and "
        "dpbi.read_release(data, part=(question, group)) one; each part's release can be read alone too. Several "
        "releases of the very same table, as whoever released them states it, are read as one by dpbi.tables_together.",
    )
