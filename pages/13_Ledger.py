"""Ledger: everything that was released about everybody, and what can be corrected of it. It needs no data."""

from dpbi.dashboard.page import stage
from dpbi.dashboard.views import release_overview

with stage("Ledger"):
    release_overview.draw()
