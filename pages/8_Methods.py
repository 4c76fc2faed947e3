"""Methods: what each mechanism does and promises, and what the words of these pages mean."""

from dpbi.dashboard.page import latest, stage
from dpbi.dashboard.views import methods

with stage("Methods") as defaults:
    methods.draw(latest(defaults))
