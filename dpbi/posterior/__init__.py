"""The posterior, a Dirichlet distribution, and how far one lies from another."""
