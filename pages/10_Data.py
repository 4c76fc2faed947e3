"""Data: what a file is, said in a form, and the counts that come of it."""

from dpbi.dashboard.page import stage
from dpbi.dashboard.views import data

with stage("Data"):
    data.draw()
