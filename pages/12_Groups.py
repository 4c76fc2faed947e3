"""Groups: two groups of different people compared, by their true counts, by private releases, and in a plan."""

from dpbi.dashboard.page import stage
from dpbi.dashboard.views import groups

with stage("Groups") as defaults:
    groups.draw(defaults)
