"""From bytes to cells: older workbooks, encodings that a file does not name, cells that a spreadsheet would run."""

import base64
import random
import zlib

import pandas as pd
import pytest

from dpbi import limits
from dpbi.dashboard.shown.downloads import csv_bytes
from dpbi.data.files import CountsQuestion
from dpbi.data.files.encoding import COMMON_FIRST_BYTES, ENCODINGS

from .hard_tables import ods
from .reader import by_name, ended, read, refused

# answer,n | Yes,12 | No,30 | Maybe,8.5, as an old Excel writes it
XLS = zlib.decompress(base64.b85decode(
    b"c-rk)O=uHA6#iy+(<UKFlbQ;xP(s04YcJ}>OI;PU2WhBY)FSA{?m=1-*%qWdXtm}j2%Z!#g<iZ=z4(J3^d=}&^dJaAqDN1Hf`>Nio42!=Y7Pz5"
    b"qB7qyZ(iPfGxM_Z=IzeDUdmMF?{`)43--c9&5xm_&L*hD!XIf+yYEXitfN$XjeiQUC@o}51W%H$TICwb^{&FeJ?lA1;3Jh&IFEd(=;k&M2iONk"
    b"NFN4C3fv}33Z3j#JIk{yH?h3S%%?2(vE>@eLE=`#D3<Je{~i^^CyX9$OF@qNko&x6%T9FQg^c1$*G0gMV83_HnfN;!x~&8jK<hT-7G2Mos31!V"
    b"xPWhd4)_}G)Mq(u-&nf<*}t#0w>GffFf3pe{uvJNG7@-c$`%U;ohfG-eYDWvLfg_QPF`?53V<SUPP&s6ulW+S4Lj2XH!f2%Z{_r=t(@c#Pmml#"
    b"8|xVk^fV>w<vU;A3>QZ1(`=dL^c^Jmt<o>}xGZ~6=M)03BqX<=<qnotc+@Sdcd^Wp$5i)@bSUNU9CNO6YcI{SoAK7(R;TxoUjBUaQFr;1y`A*M"
    b"q3TR_@tr-79(w4EQGa>OVL%LsTQ?;h+hHwKLioV4^S9&>HPXs=Up>j%u!1<N8J58>d3S{3iw1nbd^zGpBhLP0uuJic27H70rs4;8e@5}m27HtG"
    b"mg1YtKa!+}vC)nPaxhA5KM{w9hK7cQhK7cQMw1ZgmEKe@`0B7B50(5~XN5{le<t~FaSSE8rs!aL2t}$rOg9xjn-LM=SYnNR!taF=$7yyC<0!Bn"
    b"<4wme9sET7|5<a#^!ja~X6LUp<L4iq{|B3($gl"
))  # fmt: skip


def test_old_workbooks_are_read_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "8.5' is not a whole number" in refused(XLS, "table.xls")
    assert by_name(read(XLS, "table.xls", leave_out=4)) == {"Yes": 12, "No": 30}
    assert "there is no sheet 'data'; the sheets are 'Data'" in refused(XLS, "table.xls", sheet="data")
    book = read(ods([["", ""], ["answer", "n"], ["Yes", 12], ["No", 30]]), "table.ods")
    assert (by_name(book), book.header_row, dict(book.form)["sheet"]) == ({"Yes": 12, "No": 30}, 2, "Sheet1")
    monkeypatch.setattr(limits, "UPLOAD_WORKBOOK_CELLS_LARGEST", 7)
    assert "too large: at most 7 cells" in refused(XLS, "table.xls")


def test_a_damaged_workbook_takes_nobody_with_it() -> None:
    """Of these, some make calamine panic and some end its process."""
    draw = random.Random(2)
    for _ in range(4):
        wrong = bytearray(XLS)
        for at in draw.sample(range(len(wrong)), 60):
            wrong[at] = draw.randrange(256)
        ended(bytes(wrong), "table.xls")


# --- encodings ---

SPELLED = [
    ("Big5", "縣市,人數", ["臺北", "高雄", "臺中"]),
    ("Big5", "答案,次數", ["是", "否", "不知道"]),
    ("GB18030", "城市,人数", ["北京", "上海", "广州"]),
    ("EUC-KR", "답,수", ["예", "아니요", "모름"]),
    ("Shift_JIS", "回答,数", ["はい", "いいえ", "わからない"]),
    ("Windows-1251", "Ответ,n", ["Да", "Нет"]),
    ("KOI8-R", "Город,n", ["Москва", "Казань"]),
    ("Windows-1253", "Πόλη,n", ["Αθήνα", "Πάτρα"]),
    ("Windows-1255", "עיר,n", ["חיפה", "ירושלים"]),
    ("Windows-1256", "المدينة,n", ["القاهرة", "دمشق"]),
    ("Windows-1250", "Odpowiedź,n", ["Tak", "Łódź", "Gdańsk"]),
    ("cp874", "เมือง,n", ["กรุงเทพ", "เชียงใหม่"]),
    ("Mac-Roman", "Stadt,n", ["Köln", "München"]),
    ("Mac-Roman", "réponse,n", ["étudiant", "élève"]),
    ("cp850", "Stadt,n", ["Köln", "München"]),
]
WESTERN = ["Köln,Grün,Weiß", "élève,prêt,œuvre", "não,opinião", "Muñoz,¿Qué?,Sí", "Malmö,Ærø,Skåne",
           "don’t know,“no”,–", "20°C,±5,½", "< 10 €,10–20 €"]  # fmt: skip


def table(header: str, names: list[str]) -> tuple[str, dict[str, int]]:
    counts = {name: 12 + 7 * i for i, name in enumerate(names)}
    return "\n".join([header, *(f"{name},{count}" for name, count in counts.items()), ""]), counts


@pytest.mark.parametrize(("encoding", "header", "names"), SPELLED)
def test_an_encoding_that_letters_tell_is_asked_about(encoding: str, header: str, names: list[str]) -> None:
    text, counts = table(header, names)
    data = text.encode(COMMON_FIRST_BYTES.get(encoding, (encoding,))[0])
    with pytest.raises(CountsQuestion) as question:
        read(data)
    assert question.value.suggested["encoding"] == encoding in ENCODINGS
    assert by_name(read(data, **question.value.suggested)) == counts
    assert by_name(read(data, encoding=encoding, category_column=1, count_column=2)) == counts


@pytest.mark.parametrize("names", WESTERN)
def test_western_letters_are_read_with_a_remark(names: str) -> None:
    text, counts = table("answer,n", names.split(","))
    came = read(text.encode("cp1252"))
    assert (by_name(came), dict(came.form)["encoding"]) == (counts, "Windows-1252")
    assert any("It was read as Windows-1252" in warning for warning in came.warnings)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_what_is_said_to_be_the_encoding_is_what_was_found(encoding: str) -> None:
    data = "answer,n\nyes,12\nno,30\n".encode(encoding) + b"\x1a" * (encoding == "utf-8-sig")
    found = read(data)
    assert read(data, encoding=dict(found.form)["encoding"]).counts == found.counts == (12, 30)


def test_labels_that_a_spreadsheet_would_run_come_back() -> None:
    labels = ["-2", "=1+1", "@home", "+ yes", "'tis", "'-5'", "no"]
    data = csv_bytes(pd.DataFrame({"answer": labels, "-n": range(7)}))
    assert b"'=1+1" in data
    came = read(data, category_column="answer", count_column="-n")
    assert (came.labels, came.counts) == (tuple(labels), tuple(range(7)))
