"""Tour: eight scenes, from a posterior that leaks to the limit of privacy."""

from dpbi.dashboard.page import stage
from dpbi.dashboard.session import address
from dpbi.dashboard.views import tour

with stage("Tour") as defaults:
    tour.draw(address.scene(), defaults)
