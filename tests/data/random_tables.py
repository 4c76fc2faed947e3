"""Random tables of the kinds that people bring, each with its truth: every number comes from a Generator."""

import csv
import io
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
from numpy.random import Generator

from .known_tables import KnownTable, Said
from .reader import Found, saved, workbook

Cell = str | int | float


def listed(names: str) -> list[str]:
    return names.split("|")


# Names in two parts, so that hundreds can be made of few; words that sound like totals and missing ones among them.
VOCABULARIES = [["".join(parts) for parts in product(listed(first), listed(second))] for first, second in (
    ("Yes|No|Maybe|Don't know|Refused|NA|Other, please specify|None of these|Not stated|Both|unknown|Missing", ""),
    ("Ja|Nein|Weiß nicht|keine Angabe|Enthaltung|Sonstige|stimme zu|stimme eher zu|lehne ab|beides|(leer)", ""),
    ("Oui|Non|Peut-être|Sans réponse|Plutôt d'accord|Pas d'accord|Ni l'un ni l'autre|Autre", ""),
    ("Sí|No|Quizás|No sabe|No contesta|Muy de acuerdo|De acuerdo|En desacuerdo|Otros", ""),
    ("All India|Samajwadi|Green|Labour|Christian|National|Workers'|Total|Radical|Free|Rashtriya|Both Rivers",
     " Front| Party| Union| Alliance| List| Movement| Congress|, independent| (new)| & Friends"),
    ("Ober|Unter|Alt|Neu|Groß|Klein|Nieder|Hohen|Mittel|Langen|Sankt ", "hausen|dorf|bach|berg|feld|kirchen|au|brück"),
    ("Saint-Jean|Saint-Ouen|Villeneuve|Beaumont|Châtel|Montreuil", "-sur-Mer|-en-Forêt|-lès-Bains|-le-Château|"),
    ("Nowa|Stara|Mała|Wielka|Dolna|Górna", " Wola| Wieś| Góra| Łąka| Huta| Dąbrowa"),
    ("Верхний|Нижний|Новый|Старый|Малый|Большой", " Бор| Посад| Двор| Яр| Лог| Луг"),
    ("东|西|南|北|上|下|大|小|长|新", "山区|河镇|城县|江市|湖乡|岭村|门街|口岸"),
    ("北|南|東|西|上|下|大|小", "川市|山町|野村|島区|田郡|沢町"),
    ("Senior|Junior|Chief|Deputy|Assistant|Trainee|Retired|Visiting|Head|Former",
     " nurse| teacher| engineer| cook| driver| clerk| farmer| judge| pilot| baker| tailor| vet| actor| miner"),
    ("Acer|Quercus|Salix|Betula|Carex|Rosa|Rubus|Pinus|Tilia|Ulmus|Fagus|Alnus|Abies|Larix|Picea|Populus|Prunus|Malus",
     " alba| nigra| rubra| minor| major| vulgaris| montana| sylvestris| palustris| repens| glauca| nana| sp., unsure"),
    ("|".join("ABCDEFGHIJ"), "|".join(f"{i:02d}" for i in range(40))),  # codes
    ("Route |Q|Ward |R", "|".join(map(str, range(1, 90)))),
    ("", "|".join(map(str, range(1, 400)))),
    ("", "|".join(map(str, range(1700, 2100)))),  # years
    ("", "|".join(f"{i}-{i + 4}" for i in range(0, 1600, 5))),  # ages and amounts
    ("", "|".join(f"{i}.{j}" for i in range(10, 60) for j in range(1, 8))),  # codes of industries
)]  # fmt: skip
NAMES = listed("Answer|Region|Party|Antwort|Ort|Commune|地区|category|label|Species|kind|Place name|Level|Name|"
               "Occupation|Código|How do you feel today?|Beruf|Группа|Code|Age")  # fmt: skip
COUNTS = listed("count|n|Number|Votes|Deaths|Cases|Persons|Anzahl|Stimmen|Effectif|人数|Freq|Total|Vehicles|2023|Value|"
                "Responses|Einwohner|Liczba|Número|Students|Number of people|Frequency|obs_value|Wert")  # fmt: skip
GROUPS: tuple[tuple[str, str], ...] = (
    ("Sex", "Men|Women|Diverse"), ("Geschlecht", "männlich|weiblich"), ("Year", "2019|2020|2021|2022|2023|2024"),
    ("District", "North|South|East|West|Centre"), ("Question", "Q1|Q2|Q3|Q4"), ("Land", "Bayern|Hessen|Sachsen|Bremen"),
    ("Wave", "1|2|3"), ("Période", "janvier|février|mars|avril"), ("sub-region", "All Saints|Old Town|Hill"),
)  # fmt: skip
TOTALS = listed("Total|TOTAL|Grand total|Insgesamt|Gesamt|All people|Persons|Both sexes|All ages|Population|Ensemble|"
                "Totale|Итого|合计|Summe|Everyone|Overall|Base|Insgesamt_1|Ogółem|Zusammen|All")  # fmt: skip
ABOVE = listed("Survey of 2024|Table 3: results by category|Bevölkerung, Stichtag 31.12.2023|Population, 2021|"
               "Exported 5 May|Enquête sur la vie quotidienne, résultats|Unit: persons|调查结果")  # fmt: skip
BELOW = listed("Source: national statistics office|Note: figures are provisional.|* estimated|Quelle: Amt, 2024|"
               "© the authors|Fuente: elaboración propia|(1) Including those abroad.|Data as of 3 January, 2024|"
               "来源：统计局")  # fmt: skip


@dataclass
class Draft:
    """A table on its way; `out` are the places of the records that are left out."""

    header: list[str]
    records: list[list[Cell]]
    truth: Found
    said: dict[str, Any]
    may_be: list[Found] = field(default_factory=list)
    out: Sequence[int] = ()


# --- names, sizes and counts ---


def one(rng: Generator, of: Any) -> Any:
    return of[int(rng.integers(len(of)))]


def labels(rng: Generator, k: int) -> list[str]:
    """k different names of one vocabulary that has as many, in any order or in its own."""
    names = one(rng, [names for names in VOCABULARIES if len(names) >= k])
    return [names[i] for i in (rng.permutation(len(names))[:k] if rng.random() < 0.7 else range(k))]


def size(rng: Generator) -> int:
    return int(one(rng, [1, *[2] * 4, *rng.integers(3, 9, 16), *rng.integers(9, 41, 12), *rng.integers(41, 301, 6)]))


def counts(rng: Generator, k: int) -> list[int]:
    """Of one shape: small, up to a thousand, of any magnitude up to 10^7, falling as 1/i, or nearly alike."""
    drawn = one(rng, [
        lambda: rng.integers(0, 21, k), lambda: rng.integers(0, 1_000, k),
        lambda: 10 ** rng.uniform(0, one(rng, [3, 5, 7]), k),
        lambda: 10 ** rng.uniform(2, 7) / np.arange(1, k + 1), lambda: rng.poisson(10 ** rng.uniform(0, 4), k),
    ])()  # fmt: skip
    return [int(count) for count in drawn]


# --- kinds ---


def people(rng: Generator) -> Draft:
    """A row per person, at times with a number of theirs beside the answers, of which some are blank."""
    n, questions = int(10 ** rng.uniform(0.8, 2.6)), rng.permutation(NAMES[:-1])[: rng.integers(1, 4)].tolist()
    columns: dict[str, list[Any]] = {one(rng, ["id", "Nr"]): [*range(1, n + 1)]} if rng.random() < 0.6 else {}
    for question in questions:
        names = labels(rng, int(rng.integers(2, 13)))
        shares = rng.dirichlet([*[0.7] * len(names), one(rng, [0.001, 0.3])])
        columns[question] = rng.choice([*names, ""], n, p=shares).tolist()
    if rng.random() < 0.4:
        columns[one(rng, ["Age", "Children", "Income", "Score"])] = rng.integers(0, one(rng, [5, 90]), n).tolist()
    meant, *others = [{name: columns[question].count(name) for name in dict.fromkeys(columns[question]) if name}
                      for question in questions]  # fmt: skip
    said = {"each_row": "person", "categories": questions[0]}
    return Draft([*columns], [list(row) for row in zip(*columns.values(), strict=True)], meant, said, others)


def pairs(rng: Generator, least: int = 1) -> Draft:
    """A category with its count in each row."""
    names, header = labels(rng, max(size(rng), least)), [one(rng, NAMES), one(rng, COUNTS)]
    found = dict(zip(names, counts(rng, len(names)), strict=True))
    said = {"each_row": "category", "categories": header[0], "counts": header[1]}
    return Draft(header, [[*pair] for pair in found.items()], found, said)


def totalled(rng: Generator, near: bool) -> Draft:
    """With a total; a near one is a few units off, or that of counts before they were rounded, if these are few."""
    draft = pairs(rng, least=2)
    base = one(rng, [1, 3, 5, 10]) if near and len(draft.truth) < 13 else 1
    off = one(rng, [-3, -2, -1, 1, 2, 3]) if near and base == 1 else 0
    total, at = base * round(sum(draft.truth.values()) / base) + off, one(rng, [0, len(draft.truth), len(draft.truth)])
    draft.truth = {name: base * round(count / base) for name, count in draft.truth.items()}
    draft.records, draft.out = [[*pair] for pair in draft.truth.items()], [at]
    draft.records.insert(at, [one(rng, [name for name in TOTALS if name not in draft.truth]), max(total, 0)])
    return draft


def one_row(rng: Generator) -> Draft:
    names = labels(rng, min(size(rng), 60))
    found = dict(zip(names, counts(rng, len(names)), strict=True))
    return Draft(names, [[*found.values()]], found, {"each_row": "group", "categories": tuple(names)})


def crossed(rng: Generator, header: str | int, groups: list[str], draft: Draft) -> dict[tuple[str, str], int]:
    """The count of each group and category. What is meant: all of them, the sums over the groups or one group; what may
    be meant: these and their like the other way."""
    names = labels(rng, int(rng.integers(2, 13)))
    cells = dict(zip(product(groups, names), counts(rng, len(groups) * len(names)), strict=True))
    chosen, way = one(rng, groups), int(rng.integers(3))
    found = [
        {f"{group} / {name}": count for (group, name), count in cells.items()},
        {name: sum(cells[group, name] for group in groups) for name in names},
        {name: cells[chosen, name] for name in names},
        {group: sum(cells[group, name] for name in names) for group in groups},
        *({name: cells[group, name] for name in names} for group in groups),
        *({group: cells[group, name] for group in groups} for name in names),
    ]
    draft.truth, draft.may_be = found[way], found
    draft.said |= {"groups": (header,) if way == 0 else (), "only": (header, chosen) if way == 2 else None}
    return cells


def across(rng: Generator) -> Draft:
    """A group in each row, with a column per category; sums of rows beside them, of columns below them, or neither."""
    header, groups = one(rng, GROUPS)
    header, draft = one(rng, [header, header, ""]), Draft([], [], {}, {"each_row": "group"})
    cells = crossed(rng, header or 1, listed(groups), draft)
    draft.said["categories"] = tuple(dict.fromkeys(name for _, name in cells))
    table, total = np.array([*cells.values()]).reshape(len(listed(groups)), -1), rng.permutation(TOTALS).tolist()
    beside, below = (rng.random(2) < 0.3).tolist()
    table = np.column_stack([table, table.sum(1)]) if beside else table
    table = np.vstack([table, table.sum(0)]) if below else table
    draft.header, draft.out = [header, *draft.said["categories"], *total[:beside]], [len(listed(groups))] * below
    names = [*listed(groups), *total[:below]]
    draft.records = [[name, *row] for name, row in zip(names, table.tolist(), strict=True)]
    return draft


def down(rng: Generator) -> Draft:
    """A row for each group and category, at times below a group of all."""
    header, groups = one(rng, GROUPS)
    titles = [header, one(rng, NAMES), one(rng, COUNTS)]
    draft = Draft(titles, [], {}, {"each_row": "category", "categories": titles[1], "counts": titles[2]})
    cells, total = crossed(rng, header, listed(groups), draft), one(rng, TOTALS[:4])
    draft.records = [[total, *pair] for pair in draft.may_be[1].items()] if rng.random() < 0.25 else []
    draft.out = range(len(draft.records))
    draft.records += [[*at, count] for at, count in cells.items()]
    return draft


def measured(rng: Generator) -> Draft:
    """Numbers and percentages of the same categories below each other, told apart by a column."""
    found, header = pairs(rng).truth, ["Measure", one(rng, NAMES), "Value"]
    rows: list[list[Cell]] = [
        [kind, name, count if kind == "Number" else round(100 * count / max(sum(found.values()), 1), 1)]
        for name, count in found.items() for kind in ("Number", "Percent")
    ]  # fmt: skip
    said = {"each_row": "category", "categories": header[1], "counts": "Value", "only": ("Measure", "Number")}
    return Draft(header, rows, found, said)


KINDS: dict[str, Callable[[Generator], Draft]] = {
    "people": people, "counts": pairs, "counts with a total": lambda rng: totalled(rng, False),
    "counts with a near total": lambda rng: totalled(rng, True), "one row of counts": one_row,
    "groups across": across, "groups down": down, "numbers and percents": measured,
}  # fmt: skip


# --- what stands beside and around a table, and how it is written ---


def random_table(rng: Generator, kind: str) -> KnownTable:
    """A table of the kind, with columns beside it, lines around it, and numbers written in one of many ways."""
    draft = KINDS[kind](rng)
    features = _beside(rng, draft) if kind.startswith(("counts", "groups down")) else []
    width, last = len(draft.header), len(draft.records)
    above, below = ([[line] for line in rng.permutation(lines)[: one(rng, [0, 0, 0, 0, 1, 2])].tolist()]
                    for lines in (ABOVE, BELOW))  # fmt: skip
    sparse = [["", one(rng, NAMES), *[""] * (width - 2)]] * (kind == "groups across" and rng.random() < 0.1)
    above += [[]] * (len(above) > 0 and rng.random() < 0.5) + sparse
    header = [draft.header] * (kind != "counts" or bool(above) or width > 2 or rng.random() > 0.1)
    units = [["", *["persons"] * (width - 1)]] * (bool(header) and kind != "people" and rng.random() < 0.07)
    start = len(above) + len(header) + len(units) + 1
    below = [[]] * (len(below) > 0 and rng.random() < 0.5) + below
    out = [*range(start - len(units), start), *(start + i for i in draft.out),
           *range(start + last, start + last + len(below))]  # fmt: skip
    said = {**draft.said, "header_row": len(above) + len(header) if header else 0, "left_out": tuple(out)}
    said |= {} if header else {"categories": 1, "counts": 2}
    marked = {"lines above": above, "lines below": below, "units below the header": units, "no header": not header,
              "sparse header": sparse, "records left out": draft.out}  # fmt: skip
    features += [feature for feature, there in marked.items() if there]
    data, filename, how = _as_file(rng, [*above, *header, *units, *draft.records, *below], kind)
    features += [f"{name} {value!r}" for name, value in how.items() if name != "sheet"] + [filename]
    return KnownTable(kind, data, filename, draft.truth, Said(**said, **how), tuple(draft.may_be), tuple(features))


def _beside(rng: Generator, draft: Draft) -> list[str]:
    """Puts shares after the counts, codes and the numbers of the rows before the names, or none of them."""
    values = [int(row[-1]) for row in draft.records]
    n = max(sum(values), 1)
    columns: dict[str, tuple[str, int, list[Any]]] = {
        "shares": ("%|Percent|share|Anteil in %", len(draft.header), [round(100 * count / n, 1) for count in values]),
        "codes": ("ISO|id_area|Kennziffer", 0, [f"X{7 * i + 11}" for i in range(len(values))]),
        "row numbers": ("|Nr|id|#|Rank", 0, [*range(1, len(values) + 1)]),
    }
    chosen = [feature for feature in columns if rng.random() < 0.15]
    for title, at, column in map(columns.__getitem__, chosen):
        draft.header.insert(at, one(rng, listed(title)))
        draft.records = [[*row[:at], cell, *row[at:]] for row, cell in zip(draft.records, column, strict=True)]
    return chosen


def _as_file(rng: Generator, rows: list[list[Any]], kind: str) -> tuple[bytes, str, dict[str, Any]]:
    """The bytes of a file of the rows, its name, and what must be said of it to read them."""
    if rng.random() < 0.03:
        noted = {"Notes": [["About this file"], ["Source", "a survey"]]} if rng.random() < 0.5 else {}
        return saved(workbook(**noted, Data=rows)), "table.xlsx", {"sheet": "Data"}
    separator, text = one(rng, [*[","] * 18, *";\t|" * 6, " "]), io.StringIO()
    point = "," if separator != "," and rng.random() < 0.5 else "."
    numbers = [value for row in rows for value in row if not isinstance(value, str)]
    marked = kind != "people" and max(numbers) > 999 and all(isinstance(value, int) for value in numbers)
    mark = one(rng, [""] * 12 + [",", ".", " ", "'"]) if marked else ""
    end = point + "0" if not mark and rng.random() < 0.03 else ""  # as data frames write columns with gaps

    def cell(value: Cell) -> str:
        if isinstance(value, int):
            return f"{value:,}".replace(",", mark) + end
        return value if isinstance(value, str) else str(value).replace(".", point)

    writer = csv.writer(text, delimiter=separator, lineterminator=one(rng, ["\n", "\r\n"]),
                        quoting=one(rng, [csv.QUOTE_MINIMAL] * 3 + [csv.QUOTE_ALL]))  # fmt: skip
    writer.writerows([map(cell, row) for row in rows])
    data, encoding = text.getvalue().encode(), one(rng, ["utf-8"] * 6 + ["utf-8-sig", "utf-16", "cp1252", "cp1252"])
    with suppress(UnicodeEncodeError):  # letters that Windows-1252 has not
        data = text.getvalue().encode(encoding)
    said = {"encoding": encoding} if data != text.getvalue().encode() else {}
    name = {"\t": "table.tsv", " ": "table.txt"}.get(separator, "table.csv")
    return data, name, said | ({"thousands": mark} if mark else {})


def random_tables(rng: Generator, many: int) -> list[KnownTable]:
    return [random_table(rng, kind) for kind, _ in zip([*KINDS] * many, range(many), strict=False)]
