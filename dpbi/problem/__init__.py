"""The problem: a public prior and private counts, the datasets beside them, and the candidate posteriors."""
