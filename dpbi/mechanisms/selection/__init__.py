"""The exponential family from within: its outputs listed, its audit, its draw from fair bits."""
