"""Methods: what each mechanism does and promises, and what the words of these pages mean."""

from dpbi.dashboard import glossary
from dpbi.dashboard.scenario import latest, stage

with stage("Methods") as defaults:
    glossary.draw(latest(defaults))
