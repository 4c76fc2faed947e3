"""A release to publish: one secure draw, its statement in words, and the ledger of what was spent."""
