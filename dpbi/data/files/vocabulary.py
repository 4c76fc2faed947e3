"""Words that headers and names are recognised by, in the languages that people's files come in.

They steer questions, suggestions and remarks only: no count depends on a word.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


COUNTS = _words(
    """
    count counts n number num freq frequency frequencies total people persons respondents cases observations
    obs tally quantity qty anzahl häufigkeit personen nombre effectif effectifs número numero cantidad frecuencia
    frequenza conteggio antal aantal liczba
    """
)
SHARES = _words(
    """
    % percent percentage percentages pct share shares proportion proportions fraction probability anteil
    prozent pourcentage porcentaje percentuale andel cumulative cum kumuliert rate
    """
)
IDENTIFIERS = _words(
    """
    id ids uid uuid guid index idx nr row record serial member person user customer client participant
    respondent patient subject student pupil employee email mail ticket teilnehmer personne persona
    """
)
PEOPLE = _words("name names firstname surname vorname nachname nom prénom apellido who")
MEASUREMENTS = _words("age height weight income salary price score year alter größe gewicht einkommen âge")
UNITS = _words("kg g cm m km eur usd years year jahre euro thousand thousands units unit einheit in")
ANONYMOUS = _words("anonymous anonym anonyme anónimo anonimo anoniem anonymt none n/a na - unknown")
TOTALS = _words(
    """
    total totals subtotal sum all overall altogether everyone gesamt insgesamt summe gesamtsumme zwischensumme
    alle ensemble somme sous-total suma totale totaal totalt summa razem łącznie ogółem итого всего 合计 合計
    总计 総計 σ
    """
)
