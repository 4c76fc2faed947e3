"""Small tables, each of a kind that was read wrongly, with what is true of them."""

import io
import zipfile
from typing import Any

from .known_tables import KnownTable, Said
from .reader import Found, parquet_file

VISITS = {"Yes": 3, "No": 2}
VOTES = {"A": 1200, "B": 4500, "C": 300}
HARVEST = "id,crops\n1,maize rice\n2,maize\n3,rice beans\n4,beans\n5,maize rice\n6,rice\n"
COMBINED = {"maize rice": 2, "maize": 1, "rice beans": 1, "beans": 1, "rice": 1}
CHANCE = "a,57|b,120|c,177|d,44|e,391|f,85|g,260"
ENCODED = {
    "big5": {"紅色": 12, "綠色": 30, "藍色": 8}, "gbk": {"红色": 12, "绿色": 30, "蓝色": 8},
    "euc-kr": {"빨강": 12, "초록": 30, "파랑": 8}, "cp1251": {"Да": 12, "Нет": 30, "Не знаю": 8},
    "mac-roman": {"Crème": 12, "Señor": 30, "Über": 8}, "shift-jis": {"赤": 12, "緑": 30, "青": 8},
}  # fmt: skip
OASIS = "urn:oasis:names:tc:opendocument:xmlns"
ODS = f"""<office:document-content xmlns:office="{OASIS}:office:1.0" xmlns:table="{OASIS}:table:1.0"
 xmlns:text="{OASIS}:text:1.0">
<office:body><office:spreadsheet><table:table table:name="Sheet1">{{}}</table:table></office:spreadsheet></office:body>
</office:document-content>"""
SPREADSHEET = "application/vnd.oasis.opendocument.spreadsheet"
LISTED = f"""<manifest:manifest xmlns:manifest="{OASIS}:manifest:1.0">
<manifest:file-entry manifest:full-path="/" manifest:media-type="{SPREADSHEET}"/>
<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>"""


def counted(found: Found, header: str = "answer,n") -> str:
    return "\n".join([header, *(f"{name},{count}" for name, count in found.items()), ""])


def of(text: str) -> Found:
    return {name: int(count) for name, count in (line.split(",") for line in text.split("|"))}


def ods(rows: list[list[str | int]]) -> bytes:
    """An OpenDocument spreadsheet of one sheet."""
    typed = {str: 'string"', int: 'float" office:value="{}"'}
    cell = '<table:table-cell office:value-type="{}><text:p>{}</text:p></table:table-cell>'
    lines = ("".join(cell.format(typed[type(value)].format(value), value) for value in row) for row in rows)
    content = "".join(f"<table:table-row>{line}</table:table-row>" for line in lines)
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("mimetype", SPREADSHEET)
        archive.writestr("content.xml", ODS.format(content))
        archive.writestr("META-INF/manifest.xml", LISTED)
    return data.getvalue()


def person(column: str | int, **more: Any) -> Said:
    return Said("person", column, **more)


def category(names: str | int = "answer", counts: str | int = "n", **more: Any) -> Said:
    return Said("category", names, counts, **more)


def hard_tables() -> list[KnownTable]:
    tables: list[tuple[str, str | bytes, Found, Said, str, tuple[Found, ...]]] = [
        ("a: blank counts", "a,b,c\nx,,\ny,,\nx,,\n", {}, category("b", "c"), "no categories, no counts", ()),
        ("b: counts before codes", "count,stars\n12,1\n30,2\n48,3\n21,4\n", of("1,12|2,30|3,48|4,21"),
         category("stars", "count"), "", ()),
        ("b: Freq before codes", "Freq,score\n3,1\n8,2\n11,3\n2,4\n", of("1,3|2,8|3,11|4,2"), category("score", "Freq"),
         "", ()),
        ("c: spaces after commas", "Place name, Votes\n" + "".join(f"Ward {i} east, {i + 40}\n" for i in range(420)),
         {f"Ward {i} east": i + 40 for i in range(420)}, category("Place name", 2), "", ()),
        ("d: a sum by chance", counted(of(CHANCE)), of(CHANCE), category(), "c may be a sum, not suggested", ()),
        ("e: All in a name", counted(of("All India Front,900|Green,400|Labour,500|Radical,733|List,100"), "party,n"),
         of("All India Front,900|Green,400|Labour,500|Radical,733|List,100"), category("party"), "may be a sum", ()),
        *(("e: All in a group",
           f"answer,party,n\nYes,All India Front,9\nNo,All India Front,4\nYes,{other},5\nNo,{other},8\n",
           of("Yes,14|No,12"), category(), "groups", ({"All India Front": 13, other: 13}, of("Yes,9|No,4"),
           of("Yes,5|No,8"), of(f"All India Front / Yes,9|All India Front / No,4|{other} / Yes,5|{other} / No,8")))
          for other in ("Green", "All Greens")),
        *(("f: a block of totals", "district,party,votes\nTotal,A,30\nTotal,B,12\n"
           f"{one},A,10\n{one},B,7\n{two},A,20\n{two},B,5\n", of("A,30|B,12"),
           category("party", "votes", left_out=(2, 3)), "the group Total holds all others",
           ({one: 17, two: 25}, of("A,10|B,7"), of("A,20|B,5"),
            of(f"{one} / A,10|{one} / B,7|{two} / A,20|{two} / B,5"))) for one, two in (("North", "South"), "12")),
        ("g: two questions", "question,answer,count\nQ1,Yes,12\nQ1,No,30\nQ2,Good,25\nQ2,Bad,52\n", of("Yes,12|No,30"),
         category("answer", "count", only=("question", "Q1")), "two questions", (of("Good,25|Bad,52"),)),
        *(("h: numbered rows", f"{number},name,vehicles\n1,Ann Arbor,120\n2,Bonn,300\n3,Como,80\n",
           of("Ann Arbor,120|Bonn,300|Como,80"), category("name", "vehicles"), "", ()) for number in ("id", "No.", "")),
        ("h: numbered rows in Parquet",
         parquet_file(id=[1, 2, 3], name=["Ann Arbor", "Bonn", "Como"], vehicles=[120, 300, 80]),
         of("Ann Arbor,120|Bonn,300|Como,80"), category("name", "vehicles", header_row=None), "", ()),
        *((f"i: {word}", f"party,{word},seats\nA,1200,3\nB,4500,9\nC,300,1\n", VOTES, category("party", word), "", ())
          for word in ("votes", "deaths", "cases")),
        ("i: seats first", "party,seats,votes\nA,3,1200\nB,9,4500\nC,1,300\n", VOTES, category("party", "votes"), "",
         ()),
        ("j: fractions", "region,turnout,ballots\nNorth,61.5,3000\nSouth,70.2,30000\nWest,55.1,8000\n",
         of("North,3000|South,30000|West,8000"), category("region", "ballots"), "turnout is no column of counts", ()),
        ("k: a sparse header above", ",Persons,,\nRegion,Men,Women,Diverse\nNorth,10,12,1\nSouth,20,25,2\n",
         of("Men,30|Women,37|Diverse,3"), Said("group", ("Men", "Women", "Diverse"), header_row=2), "",
         (of("North,23|South,47"), of("Men,10|Women,12|Diverse,1"), of("Men,20|Women,25|Diverse,2"),
          of("North,10|South,20"), of("North,12|South,25"), of("North,1|South,2"),
          of("North / Men,10|North / Women,12|North / Diverse,1|South / Men,20|South / Women,25|South / Diverse,2"))),
        ("k: a sparse header above people", ",,Section A\nsex,Q1,Q2\nf,yes,no\nm,no,no\nf,yes,yes\n", of("yes,2|no,1"),
         person("Q1", header_row=2), "", (of("yes,1|no,2"), of("f,2|m,1"))),
        ("l: the first record is a header", "female,smoker\nfemale,yes\nmale,no\nmale,no\nfemale,yes\nfemale,no\n",
         of("yes,2|no,3"), person("smoker"), "the header", (of("female,3|male,2"),)),
        ("l: no header", "maybe\nyes\nno\nyes\nno\nno\n", of("maybe,1|yes,2|no,3"), person(1, header_row=0),
         "the header", ()),
        *((f"m: nearly {name}", counted({"Yes": 41, "No": 38, name: 80}), of("Yes,41|No,38"), category(left_out=(4,)),
           f"{name} is nearly the sum", ()) for name in (
             "All people", "Persons", "Both sexes", "All ages", "Population", "Insgesamt_2024", "Alle Befragten",
             "人数计")),
        ("n: several by spaces", HARVEST, COMBINED, person("crops"), "several answers", ()),
        ("n: several by line breaks",
         HARVEST.replace("maize rice", '"maize\nrice"').replace("rice beans", '"rice\nbeans"'), COMBINED,
         person("crops"), "several answers", ()),
        ("n: several in columns",
         "id,crops,crops/maize,crops/rice\n1,maize rice,1,1\n2,maize,1,0\n3,rice,0,1\n4,maize,1,0\n",
         of("1,3|0,1"), person("crops/maize"), "several answers", (of("maize rice,1|maize,2|rice,1"), of("1,2|0,2"))),
        *((f"o: {key}", f"{key},visit\nH1,Yes\nH1,No\nH2,Yes\nH3,Yes\nH3,No\n", VISITS, person("visit"),
           f"several rows a {key}", ()) for key in ("PARENT_KEY", "HHID", "hhno", "Household number")),
        ("p: a long export", "Name,Question #,Question,Response\nAnn,1,Tea?,Yes\nAnn,2,Milk?,Some\nBob,1,Tea?,No\n"
         "Bob,2,Milk?,None\nCat,1,Tea?,Yes\nCat,2,Milk?,Some\n", of("Yes,2|No,1"),
         person("Response", only=("Question #", "1")), "several questions", (of("Some,2|None,1"),)),
        *((f"q: {word}", f"region,{word}\nNorth,103\nSouth,48\nWest,210\n", of("North,103|South,48|West,210"),
           category("region", word), "noisy already", ()) for word in ("noisy_count", "dp_count", "count_with_noise")),
        *((f"q: {word} beside", f"region,count,{word}\nNorth,103,10.5\nSouth,48,9\nWest,210,10.5\n",
           of("North,103|South,48|West,210"), category("region", "count"), "noisy already", ())
          for word in ("noise_stddev", "Variance")),
        ("r: missing as categories", counted(of("Yes,12|No,30|NA,5|Missing,2|unknown,4")),
         of("Yes,12|No,30|NA,5|Missing,2|unknown,4"), category(), "NA, Missing, unknown", ()),
        ("s: weights", "id,answer,weight\n1,Yes,0.7\n2,No,1.3\n3,Yes,1.1\n4,Yes,0.9\n5,No,1.0\n", VISITS,
         person("answer"), "weight is not used", ()),
        *((f"t: {codec}", counted(found).encode(codec), found, category(encoding=codec), "the letters", ())
          for codec, found in ENCODED.items()),
        ("u: spaces between", "answer n\nYes 12\nNo 30\nMaybe 8\n", of("Yes,12|No,30|Maybe,8"), category(), "", ()),
        ("u: as it is printed", "answer    n\n   Yes   12\n    No   30\n Maybe    8\n", of("Yes,12|No,30|Maybe,8"),
         category(), "", ()),
        ("v: OpenDocument", ods([["answer", "n"], ["Yes", 12], ["No", 30], ["Maybe", 8]]), of("Yes,12|No,30|Maybe,8"),
         category(), "", ()),
        ("labels like -2", counted(of("-2,5|-1,70|0,900")), of("-2,5|-1,70|0,900"), category(), "", ()),
    ]  # fmt: skip
    endings = {"h: numbered rows in Parquet": "parquet", "v: OpenDocument": "ods"}
    return [
        KnownTable(kind, text if isinstance(text, bytes) else text.encode(), f"table.{endings.get(kind, 'csv')}", truth,
                   said, may_be, doubt=doubt)
        for kind, text, truth, said, doubt, may_be in tables
    ]  # fmt: skip
