"""Read noisy counts: what somebody published with noise, and what can be known of the counts behind it."""

from dpbi.dashboard.page import stage
from dpbi.dashboard.views import noisy_counts

with stage("Read noisy counts"):
    noisy_counts.draw()
