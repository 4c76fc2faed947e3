"""Words that headers and names are recognised by, in the languages that people's files come in.

They steer questions, suggestions and remarks only: no count depends on a word.
"""

def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


COUNTS = _words(
    """
    count counts n number num freq frequency frequencies total people persons respondents cases observations obs
    tally quantity qty anzahl häufigkeit personen nombre effectif effectifs número numero cantidad frecuencia
    frequenza conteggio antal aantal liczba количество число 人数 件数 个数 個数 数量
    """
)
SHARES = _words(
    """
    % percent percentage percentages pct share shares proportion proportions fraction probability anteil prozent
    pourcentage porcentaje percentuale andel cumulative cum kumuliert rate margin moe upper lower
    """
)
IDENTIFIERS = _words(
    """
    id ids uid uuid guid index idx nr row record serial member person user customer client participant
    respondent patient subject student pupil employee key hh hhid hhno household caseid
    email mail ticket teilnehmer personne persona
    """
)
POPULATION = _words(
    """
    respondents participants persons personas osób osoby respondentów pessoas человек людей people individuals
    adults population inhabitants residents cases deaths dead births votes voters users
    visitors patients students pupils employees members customers subjects households answers responses replies
    rows observation personen befragte befragten befragter fälle fall fallzahl teilnehmende teilnehmer
    teilnehmenden einwohner bevölkerung einwohnerzahl personenzahl menschen  stimmen todesfälle
    verstorbene geburten besucher studierende schüler patienten beschäftigte haushalte antworten nennungen
    nutzer gestorbene wähler habitants décès cas votants réponses ménages habitantes muertes casos
    respuestas hogares abitanti decessi casi risposte
    """
)
FILLERS = _words(
    """
    of the in and all both grand new total reported confirmed absolute absolut abs valid observed unweighted by der die
    des von im insgesamt gesamt value values wert werte de des du la les los las di dei o
    """
)
CODES = _words(
    """
    code codes coordinate vector uom dguid iso iso2 iso3 fips geoid nuts ags zip plz postcode schlüssel kennziffer gss
    """
)
MEASUREMENTS = _words(
    """
    age height weight income salary price score year alter größe körpergröße gewicht körpergewicht einkommen âge
    weighted amount cost costs temperature rainfall length width depth area volume speed duration steps rank
    phone telephone mobile born birth temperatur niederschlag länge breite tiefe fläche dauer schritte rang
    telefon geburtsjahr jahrgang preis kosten betrag lat lon latitude longitude mean average median sd
    mittelwert durchschnitt latency index ratio density quota stddev stdev sigma variance
    """
)
ANONYMOUS = _words("anonymous anonym anonyme anónimo anonimo anoniem anonymt none n/a na - unknown")
TOTALS = _words(
    """
    total totals subtotal sum all sexes ages base basis
    zusammen everybody overall altogether everyone gesamt insgesamt summe gesamtsumme
    zwischensumme alle gesamtergebnis ensemble somme sous-total suma totale totaal totalt summa razem łącznie
    ogółem итого всего 合计 合計 总计 総計 σ
    """
)
QUESTIONS = _words("question questions item items frage fragen variable indicator q pregunta")
REPLIES = _words("response responses answer answers value reply antwort antworten réponse réponses respuesta")
NO_ANSWER = frozenset((
    "na", "n/a", ".", "nan", "null", "none", "missing", "unknown", "not stated", "no answer", "refused", "don't know",
    "(leer)", "keine angabe", "k. a.", "sans réponse", "no contesta", "unbekannt",
))  # fmt: skip
WEIGHTS = _words("weight weights weighting pweight wt wgt gewicht gewichtung hochrechnungsfaktor poids peso")
NOISY = _words(
    "noisy noise noised dp private privatised privatized perturbed stddev stdev sigma variance verrauscht varianz"
)
