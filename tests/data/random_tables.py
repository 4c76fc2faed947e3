"""Random tables of the kinds that people bring, each with its truth: every number comes from a Generator."""

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
from numpy.random import Generator

from .known_tables import Found, KnownTable, Said
from .reader import saved, workbook

Cell = str | int | float


def listed(names: str) -> list[str]:
    return names.split("|")


# Names in two parts, so that hundreds can be made of few; words that sound like totals and missing ones among them.
PARTS: tuple[tuple[str, str], ...] = (
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
)
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
    """A table on its way: `out` are the records that are left out, by their places."""

    header: list[str]
    records: list[list[Cell]]
    truth: Found
    said: dict[str, Any]
    may_be: list[Found] = field(default_factory=list)
    out: list[int] = field(default_factory=list)
    features: list[str] = field(default_factory=list)


# --- names, sizes and counts ---


def one(rng: Generator, of: Any) -> Any:
    return of[int(rng.integers(len(of)))]


def labels(rng: Generator, k: int) -> list[str]:
    """k different names of one vocabulary that has as many, in any order or in its own."""
    large = [(listed(first), listed(second)) for first, second in PARTS
             if len(listed(first)) * len(listed(second)) >= k]  # fmt: skip
    names = ["".join(parts) for parts in product(*one(rng, large))]
    picked = rng.permutation(len(names))[:k] if rng.random() < 0.7 else range(k)
    return [names[i] for i in picked]


def size(rng: Generator) -> int:
    return int(one(rng, [1, *[2] * 4, *rng.integers(3, 9, 16), *rng.integers(9, 41, 12), *rng.integers(41, 301, 6)]))


def counts(rng: Generator, k: int) -> list[int]:
    """Of one shape: small, of any magnitude up to 10^7, falling as 1/i, nearly alike, or up to a thousand."""
    drawn = one(rng, [
        lambda: rng.integers(0, 21, k), lambda: 10 ** rng.uniform(0, 7, k), lambda: rng.integers(0, 1_000, k),
        lambda: 10 ** rng.uniform(2, 7) / np.arange(1, k + 1), lambda: rng.poisson(10 ** rng.uniform(0, 4), k),
    ])()  # fmt: skip
    return [int(count) for count in drawn]


# --- kinds ---


def people(rng: Generator) -> Draft:
    """A row per person, with a number or an age beside the answers, some of which are blank."""
    n = int(10 ** rng.uniform(0.8, 2.6))
    header, columns = [], []
    if rng.random() < 0.6:
        header.append(one(rng, ["id", "Nr", "Respondent", "Timestamp"]))
        columns.append([f"2024-05-{i % 28 + 1:02d} 10:{i % 60:02d}" if header == ["Timestamp"] else i + 1
                        for i in range(n)])  # fmt: skip
    questions = [str(name) for name in rng.permutation(NAMES[:-1])[: rng.integers(1, 4)]]
    for question in questions:
        header.append(question)
        names = labels(rng, int(rng.integers(2, 13)))
        share = rng.dirichlet(np.full(len(names), 0.7))
        blank = rng.random(n) < one(rng, [0, 0, 0.1])
        columns.append(["" if blank[i] else name for i, name in enumerate(rng.choice(names, n, p=share).tolist())])
    if rng.random() < 0.4:
        header.append(one(rng, ["Age", "Children", "Income", "Score"]))
        columns.append(rng.integers(18, 90, n).tolist() if header[-1] == "Age" else rng.integers(0, 5, n).tolist())
    tallies = [{str(name): column.count(name) for name in dict.fromkeys(column) if name != ""}
               for name, column in zip(header, columns, strict=True) if name in questions]  # fmt: skip
    return Draft(header, [list(row) for row in zip(*columns, strict=True)], tallies[0],
                 {"each_row": "person", "categories": questions[0]}, tallies[1:])  # fmt: skip


def pairs(rng: Generator, least: int = 1) -> Draft:
    """A category with its count in each row."""
    names = labels(rng, max(size(rng), least))
    header = [str(one(rng, NAMES)), one(rng, COUNTS)]
    found = dict(zip(names, counts(rng, len(names)), strict=True))
    said = {"each_row": "category", "categories": header[0], "counts": header[1]}
    return Draft(header, [[*pair] for pair in found.items()], found, said)


def with_total(rng: Generator) -> Draft:
    draft = pairs(rng, least=2)
    _put_total(rng, draft, sum(draft.truth.values()))
    return draft


def with_near_total(rng: Generator) -> Draft:
    """The total is a few units off, or that of counts before they were rounded."""
    draft = pairs(rng, least=2)
    if len(draft.truth) > 12 or rng.random() < 0.5:  # the roundings of many add up to more than a few units
        total = max(sum(draft.truth.values()) + int(one(rng, [-3, -2, -1, 1, 2, 3])), 0)
    else:
        base = one(rng, [3, 5, 10])
        total = base * round(sum(draft.truth.values()) / base)
        draft.truth = {name: base * round(count / base) for name, count in draft.truth.items()}
        draft.records = [[*pair] for pair in draft.truth.items()]
    _put_total(rng, draft, total)
    return draft


def _put_total(rng: Generator, draft: Draft, total: int) -> None:
    at = one(rng, [0, len(draft.records), len(draft.records)])
    draft.records.insert(at, [one(rng, [name for name in TOTALS if name not in draft.truth]), total])
    draft.out.append(at)


def one_row(rng: Generator) -> Draft:
    names = labels(rng, min(size(rng), 60))
    found = dict(zip(names, counts(rng, len(names)), strict=True))
    return Draft(names, [[*found.values()]], found, {"each_row": "group", "categories": tuple(names)})


def crossed(rng: Generator) -> tuple[str, list[str], list[str], dict[tuple[str, str], int]]:
    """The header of the groups, the groups, the categories, and the count of each group and category."""
    header, named = one(rng, GROUPS)
    groups = listed(named)[: rng.integers(2, 7)]
    names = [name for name in labels(rng, int(rng.integers(2, 13))) if name not in groups]
    cells = dict(zip(product(groups, names), counts(rng, len(groups) * len(names)), strict=True))
    return header, groups, names, cells


def ways(cells: dict[tuple[str, str], int]) -> dict[str, Found]:
    """Every table that may be meant by one of groups and categories: the three that can be said, then the others."""
    groups, names = (list(dict.fromkeys(side)) for side in zip(*cells, strict=True))
    return {
        "all": {f"{group} / {name}": count for (group, name), count in cells.items()},
        "sums": {name: sum(cells[group, name] for group in groups) for name in names},
        **{f"group {group}": {name: cells[group, name] for name in names} for group in groups},
        **{f"name {name}": {group: cells[group, name] for group in groups} for name in names},
        "sums of groups": {group: sum(cells[group, name] for name in names) for group in groups},
    }


def _as_meant(rng: Generator, header: str | int, draft: Draft, cells: dict[tuple[str, str], int]) -> Draft:
    found = ways(cells)
    meant = one(rng, ["all", "sums", one(rng, [way for way in found if way.startswith("group ")])])
    draft.truth = found.pop(meant)
    draft.may_be = [*found.values()]
    draft.said |= {"groups": (header,) if meant == "all" else (),
                   "only": (header, meant.removeprefix("group ")) if meant.startswith("group ") else None}  # fmt: skip
    return draft


def across(rng: Generator) -> Draft:
    """A group in each row, with a column per category; sums of columns and of rows beside them, or neither."""
    header, groups, names, cells = crossed(rng)
    rows: list[list[Cell]] = [[group, *(cells[group, name] for name in names)] for group in groups]
    titles = [one(rng, [header, header, ""]), *names]
    draft = Draft(titles, rows, {}, {"each_row": "group", "categories": tuple(names)})
    if rng.random() < 0.3:
        draft.features.append("total column")
        draft.header.append(one(rng, TOTALS))
        for row in rows:
            row.append(sum(map(int, row[1:])))
    if rng.random() < 0.3:
        draft.features.append("total row")
        draft.out.append(len(rows))
        rows.append([one(rng, TOTALS), *(sum(map(int, column)) for column in list(zip(*rows, strict=True))[1:])])
    return _as_meant(rng, draft.header[0] or 1, draft, cells)


def down(rng: Generator) -> Draft:
    """A row for each group and category, at times below a group of all."""
    header, _, names, cells = crossed(rng)
    titles = [header, one(rng, [name for name in NAMES if name != header]), one(rng, COUNTS)]
    draft = Draft(titles, [], {}, {"each_row": "category", "categories": titles[1], "counts": titles[2]})
    if rng.random() < 0.25:
        draft.features.append("group of all")
        draft.records += [[one(rng, TOTALS[:4]), name, count] for name, count in ways(cells)["sums"].items()]
        draft.records = [[draft.records[0][0], *row[1:]] for row in draft.records]
        draft.out += range(len(names))
    draft.records += [[*at, count] for at, count in cells.items()]
    return _as_meant(rng, header, draft, cells)


def measured(rng: Generator) -> Draft:
    """Numbers and percentages of the same categories below each other, told apart by a column."""
    found = pairs(rng).truth
    header = ["Measure", one(rng, NAMES), "Value"]
    n = max(sum(found.values()), 1)
    rows: list[list[Cell]] = [[kind, name, count if kind == "Number" else round(100 * count / n, 1)]
                              for name, count in found.items() for kind in ("Number", "Percent")]  # fmt: skip
    said = {"each_row": "category", "categories": header[1], "counts": "Value", "only": ("Measure", "Number")}
    return Draft(header, rows, found, said)


KINDS: dict[str, Callable[[Generator], Draft]] = {
    "people": people, "counts": pairs, "counts with a total": with_total, "counts with a near total": with_near_total,
    "one row of counts": one_row, "groups across": across, "groups down": down, "numbers and percents": measured,
}  # fmt: skip


# --- what stands around a table, and how it is written ---


def _add_columns(rng: Generator, draft: Draft) -> None:
    """Shares after the counts, codes before the names, and the numbers of the rows in front of all."""
    if draft.said["each_row"] == "category" and len(draft.header) == 2:
        if rng.random() < 0.2:
            draft.features.append("percents")
            n = max(sum(draft.truth.values()), 1)
            draft.header.append(one(rng, ["%", "Percent", "share", "Anteil in %"]))
            draft.records = [[*row, round(100 * int(row[1]) / n, 1)] for row in draft.records]
        if rng.random() < 0.1:
            draft.features.append("codes")
            draft.header.insert(0, one(rng, ["ISO", "id_area", "Kennziffer"]))
            draft.records = [[f"X{7 * i + 11}", *row] for i, row in enumerate(draft.records)]
    if draft.said["each_row"] == "category" and rng.random() < 0.15:
        draft.features.append("row numbers")
        draft.header.insert(0, one(rng, ["", "Nr", "id", "#", "Rank"]))
        draft.records = [[i, *row] for i, row in enumerate(draft.records, 1)]


def _written(rng: Generator, rows: list[list[Cell]], mark: str, separator: str) -> str:
    point = "," if separator != "," and rng.random() < 0.5 else "."
    fraction = f"{point}0" if not mark and rng.random() < 0.03 else ""  # as data frames write columns with gaps

    def cell(value: Cell) -> str:
        if isinstance(value, float):
            return str(value).replace(".", point)
        return value if isinstance(value, str) else (f"{value:,}".replace(",", mark) if mark else str(value)) + fraction

    text = io.StringIO()
    quoting: Any = one(rng, [csv.QUOTE_MINIMAL] * 3 + [csv.QUOTE_ALL])
    writer = csv.writer(text, delimiter=separator, quoting=quoting, lineterminator=one(rng, ["\n", "\n", "\r\n"]))
    writer.writerows([[cell(value) for value in row] for row in rows])
    return text.getvalue()


def random_table(rng: Generator, kind: str) -> KnownTable:
    """A table of the kind: drawn, dressed and written."""
    draft = KINDS[kind](rng)
    _add_columns(rng, draft)
    said = dict(draft.said)
    above: list[list[Cell]] = [[line] for line in rng.permutation(ABOVE)[: one(rng, [0, 0, 0, 0, 1, 2])].tolist()]
    above += [[]] * (len(above) > 0 and rng.random() < 0.5)
    below: list[list[Cell]] = [[line] for line in rng.permutation(BELOW)[: one(rng, [0, 0, 0, 0, 1, 2])].tolist()]
    below = [[]] * (len(below) > 0 and rng.random() < 0.5) + below
    header: list[list[Cell]] = [[*draft.header]]
    if kind == "counts" and not above and draft.header.index(said["categories"]) == 0 and rng.random() < 0.1:
        header, said["categories"], said["counts"] = [], 1, 2
    units: list[list[Cell]] = []
    if header and kind != "people" and rng.random() < 0.07:
        units.append(["", *["persons"] * (len(draft.header) - 1)])
    marked = {"notes above": above, "notes below": below, "units below the header": units, "no header": not header}
    draft.features += [feature for feature, there in marked.items() if there]
    if kind == "groups across" and rng.random() < 0.1:
        draft.features.append("sparse header above")
        above.append(["", one(rng, NAMES), *[""] * (len(draft.header) - 2)])
    start = len(above) + len(header) + len(units) + 1
    end = start + len(draft.records)
    out = [len(above) + 2] * len(units) + [start + i for i in draft.out]
    said |= {"header_row": len(above) + 1 if header else 0,
             "left_out": (*out, *(end + i for i, line in enumerate(below) if line))}  # fmt: skip
    rows = [*above, *header, *units, *draft.records, *below]
    data, filename = _as_file(rng, rows, said, draft)
    return KnownTable(kind, data, filename, draft.truth, Said(**said), tuple(draft.may_be), tuple(draft.features))


def _as_file(rng: Generator, rows: list[list[Cell]], said: dict[str, Any], draft: Draft) -> tuple[bytes, str]:
    if rng.random() < 0.03:
        draft.features.append("workbook")
        if rng.random() < 0.5:
            return saved(workbook(rows)), "table.xlsx"
        said["sheet"] = "Data"
        return saved(workbook(Notes=[["About this file"], ["Source", "a survey"]], Data=rows)), "table.xlsx"
    separator = one(rng, [*[","] * 18, *";\t|" * 6, " "])
    values = [value for row in draft.records for value in row if not isinstance(value, str)]
    large = said["each_row"] != "person" and max(values) >= 1000 and all(isinstance(value, int) for value in values)
    mark = one(rng, [""] * 12 + [",", ".", " ", "'"]) if large else ""
    if mark:
        said["thousands"] = mark
        draft.features.append("thousands marks")
    if separator == " ":
        draft.features.append("spaces between")
    text = _written(rng, rows, mark, separator)
    encoding = one(rng, ["utf-8"] * 6 + ["utf-8-sig", "utf-16", "cp1252", "cp1252"])
    try:
        data = text.encode(encoding)
    except UnicodeEncodeError:  # letters that Windows-1252 has not
        data, encoding = text.encode(), "utf-8"
    if data != text.encode():
        said["encoding"] = encoding
        draft.features.append(encoding)
    return data, "table.tsv" if separator == "\t" else "table.csv"


def random_tables(rng: Generator, many: int) -> list[KnownTable]:
    return [random_table(rng, kind) for kind, _ in zip([*KINDS] * many, range(many), strict=False)]
