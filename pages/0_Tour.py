"""Tour: six scenes, from a posterior that leaks to a budget that is spent in full."""

from dpbi.dashboard import address, tour
from dpbi.dashboard.scenario import stage

with stage("Tour") as defaults:
    tour.draw(address.scene(), defaults)
