"""The posterior, a Dirichlet distribution, and how far one lies from another."""

from dpbi.posterior.hellinger import (
    affinity_loss,
    chunks,
    count_loss,
    distance_of_loss,
    distances_between,
    distances_to,
    identities,
)

__all__ = ["affinity_loss", "chunks", "count_loss", "distance_of_loss", "distances_between", "distances_to",
           "identities"]
